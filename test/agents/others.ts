/** The real agents, each set up for a model server on 127.0.0.1. */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { onTestFinished } from "vitest"
import type { AgentName } from "../support/agents/catalogue.js"
import { ensureAgents } from "../support/agents/ensureAgents.js"
import { type ModelServer, startModelServer } from "../support/modelServer/ModelServer.js"
import { openWorld, type World } from "../support/world.js"
import { agentEnv, codexConfig, settings } from "./rig.js"

export interface OtherAgent {
  /** In the catalogue. */
  readonly agent: AgentName
  /** Alluka's name for it. */
  readonly provider: string
  /** What the model is called on the command line, and in a request. */
  readonly model: { readonly asked: string; readonly sent: string } | null
  readonly thinking: string | null
  readonly permission: "read" | "edit" | "full"
  /** What the model does in the run that is killed. */
  readonly working: string
  /**
   * A finished run comes first, since only then the agent tells the id of a new conversation in time: of any, or of one in
   * which the model has said nothing yet.
   */
  readonly usedBefore?: "always" | "before words"
  /** It keeps nothing of a conversation before its first answer is complete. */
  readonly keepsAnswersOnly?: true
  readonly env: (url: string) => Readonly<Record<string, string>>
  /** Files of its configuration, under the home folder. */
  readonly files: (url: string) => Readonly<Record<string, string>>
}

const key = "sk-test-dummy"
const json = (value: object): string => JSON.stringify(value, null, 2)
/** A minute of words. */
const slow = "{{slow 240}}"
/** Answers that are complete, one after the other: some programs store nothing before the first. */
const loop = "{{loop echo again}}"

const piFiles = (url: string): Readonly<Record<string, string>> => ({
  ".pi/agent/models.json": json({
    providers: {
      loop: {
        baseUrl: `${url}/v1`,
        api: "openai-completions",
        apiKey: key,
        models: ["m-1", "m-2"].map((id) => ({ id, reasoning: true, contextWindow: 128_000, maxTokens: 8000 }))
      }
    }
  }),
  ".pi/agent/settings.json": json({ defaultProvider: "loop", defaultModel: "m-2" })
})

const piEnv = (): Readonly<Record<string, string>> => ({ PI_OFFLINE: "1", PI_TELEMETRY: "0" })
const piSettings = { model: { asked: "loop/m-1", sent: "m-1" }, thinking: "high" } as const

export const others: ReadonlyArray<OtherAgent> = [
  {
    agent: "opencode",
    provider: "opencode",
    model: { asked: "loop/m-1", sent: "m-1" },
    thinking: null,
    permission: "edit",
    working: slow,
    usedBefore: "before words",
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" }),
    files: (url) => ({
      ".config/opencode/opencode.json": json({
        model: "loop/m-2",
        small_model: "loop/m-2",
        provider: {
          loop: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${url}/v1`, apiKey: key },
            models: { "m-1": {}, "m-2": {} }
          }
        }
      })
    })
  },
  {
    agent: "gemini",
    provider: "gemini",
    model: { asked: "gemini-2.5-flash", sent: "gemini-2.5-flash" },
    thinking: null,
    permission: "full",
    working: slow,
    env: (url) => ({ GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: "true" }),
    files: () => ({ ".gemini/settings.json": json({ security: { auth: { selectedType: "gemini-api-key" } } }) })
  },
  {
    agent: "pi-0.73",
    provider: "pi",
    ...piSettings,
    permission: "full",
    working: loop,
    keepsAnswersOnly: true,
    env: piEnv,
    files: piFiles
  },
  { agent: "pi", provider: "pi", ...piSettings, permission: "full", working: slow, env: piEnv, files: piFiles },
  {
    agent: "kimi",
    provider: "kimi",
    model: { asked: "one", sent: "m-1" },
    thinking: null,
    permission: "edit",
    working: slow,
    usedBefore: "always",
    env: () => ({}),
    files: (url) => ({
      ".kimi-code/config.toml": [
        'default_model = "two"',
        "[providers.loop]",
        'type = "openai"',
        `base_url = "${url}/v1"`,
        `api_key = "${key}"`,
        ...[
          ["one", "m-1"],
          ["two", "m-2"]
        ].flatMap(([alias, model]) => [
          `[models.${alias}]`,
          'provider = "loop"',
          `model = "${model}"`,
          "max_context_size = 128000"
        ]),
        ""
      ].join("\n")
    })
  },
  {
    agent: "claude-acp",
    provider: "claude-acp",
    model: { asked: "claude-sonnet-5-5", sent: "claude-sonnet-5-5" },
    thinking: null,
    permission: "edit",
    working: slow,
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      IS_SANDBOX: "1"
    }),
    files: () => ({})
  },
  {
    agent: "codex-acp",
    provider: "codex-acp",
    model: null,
    thinking: null,
    permission: "edit",
    working: slow,
    env: () => ({ LOOP_KEY: key }),
    files: (url) => ({ ".codex/config.toml": codexConfig(url, settings.codex.model) })
  },
  {
    agent: "qwen",
    provider: "qwen",
    model: null,
    thinking: null,
    permission: "edit",
    working: slow,
    env: (url) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "m-1" }),
    files: () => ({
      ".qwen/settings.json": json({
        security: { auth: { selectedType: "openai" } },
        memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false }
      })
    })
  },
  {
    agent: "copilot",
    provider: "copilot",
    model: null,
    thinking: null,
    permission: "edit",
    working: slow,
    env: (url) => ({
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: key,
      COPILOT_MODEL: "m-1",
      COPILOT_OFFLINE: "true"
    }),
    files: () => ({})
  }
]

/** The two that are held to on every change. */
export const first: ReadonlyArray<OtherAgent> = [
  {
    agent: "claude",
    provider: "claude",
    model: { asked: settings.claude.model, sent: settings.claude.model },
    thinking: settings.claude.thinking,
    permission: "edit",
    working: slow,
    env: (url) => agentEnv("claude", url),
    files: () => ({})
  },
  {
    agent: "codex",
    provider: "codex",
    model: { asked: settings.codex.model, sent: settings.codex.model },
    thinking: settings.codex.thinking,
    permission: "edit",
    working: slow,
    env: (url) => agentEnv("codex", url),
    files: (url) => ({ ".codex/config.toml": codexConfig(url) })
  }
]

export interface OtherRig {
  readonly world: World
  readonly server: ModelServer
}

export const openOther = async ({ agent, env, files }: OtherAgent): Promise<OtherRig> => {
  const installed = await ensureAgents(agent)
  const server = await startModelServer()
  onTestFinished(() => server.close())
  const world = openWorld({ path: [installed[agent].bin], env: { ...env(server.url) } })
  for (const [name, text] of Object.entries(files(server.url))) {
    const path = join(world.home, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  return { world, server }
}
