/** A world with a real agent on PATH and a loopback model server that it talks to. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished } from "vitest"
import type { AgentName } from "../support/agents/catalogue.js"
import { ensureAgents } from "../support/agents/ensureAgents.js"
import { describeEnd, type Ended, type Running } from "../support/command.js"
import type { CheckpointDocument, DecisionDocument, Document, RunSummary, StreamLine } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import { type ModelRequest, type ModelServer, startModelServer } from "../support/modelServer/ModelServer.js"
import { openWorld, type World } from "../support/world.js"

export type RealAgent = Extract<AgentName, "claude" | "codex">

export interface Rig {
  readonly agent: RealAgent
  readonly world: World
  readonly server: ModelServer
  /** `run` with the model, thinking level and permission of these tests. */
  readonly runArgs: (prompt: string) => ReadonlyArray<string>
  /** What the agent's own file of a conversation holds; empty while there is none. */
  readonly sessionFile: (id: string) => SessionFile | null
}

/** The settings that every resumed request must still have. */
export const settings = {
  claude: { model: "claude-sonnet-5-5", thinking: "high", permission: "acceptEdits" },
  codex: { model: "gpt-6-sol", thinking: "high", permission: "workspace-write" }
} as const

/** The user's default in the agent's own configuration: different, so that a setting that was not passed shows. */
const defaultThinking = "low"

const files = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name))
  } catch {
    return []
  }
}

/** codex's own configuration file; the model is one that no test asks for, unless it says so. */
export const codexConfig = (url: string, model = "gpt-6-luna"): string =>
  [
    `model = "${model}"`,
    `model_reasoning_effort = "${defaultThinking}"`,
    'model_provider = "loop"',
    "check_for_update_on_startup = false",
    "[model_providers.loop]",
    'name = "loop"',
    `base_url = "${url}/v1"`,
    'env_key = "LOOP_KEY"',
    'wire_api = "responses"',
    "request_max_retries = 1",
    "stream_max_retries = 1",
    ""
  ].join("\n")

const configureCodex = (home: string, url: string): void => {
  mkdirSync(join(home, ".codex"), { recursive: true })
  writeFileSync(join(home, ".codex/config.toml"), codexConfig(url))
}

const configureClaude = (home: string): void => {
  mkdirSync(join(home, ".claude"), { recursive: true })
  writeFileSync(join(home, ".claude/settings.json"), JSON.stringify({ model: "opus", effortLevel: defaultThinking }))
}

/** A conversation's own file as its agent wrote it. */
export interface SessionFile {
  readonly path: string
  readonly text: string
}

/** The files of every conversation that an agent has had in a world. */
export const sessionFiles = (world: World, agent: RealAgent): ReadonlyArray<SessionFile> =>
  files(join(world.home, agent === "codex" ? ".codex/sessions" : ".claude/projects"))
    .filter((path) => path.endsWith(".jsonl"))
    .map((path) => ({ path, text: readFileSync(path, "utf8") }))

/** The environment of an agent that talks to the model server. */
export const agentEnv = (agent: RealAgent, url: string): Readonly<Record<string, string>> =>
  agent === "codex"
    ? { LOOP_KEY: "sk-test-dummy" }
    : {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: "sk-test-dummy",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        CLAUDE_CODE_MAX_RETRIES: "1",
        DISABLE_AUTOUPDATER: "1",
        DISABLE_TELEMETRY: "1",
        IS_SANDBOX: "1"
      }

/** A world with these agents on PATH, all talking to one model server. */
export const openAgents = async (
  agents: ReadonlyArray<RealAgent>,
  env: Readonly<Record<string, string>> = {}
): Promise<{ readonly world: World; readonly server: ModelServer }> => {
  const installed = await ensureAgents(...agents)
  const server = await startModelServer()
  onTestFinished(() => server.close())
  const world = openWorld({
    path: agents.map((agent) => installed[agent].bin),
    env: { ...Object.assign({}, ...agents.map((agent) => agentEnv(agent, server.url))), ...env }
  })
  if (agents.includes("codex")) configureCodex(world.home, server.url)
  if (agents.includes("claude")) configureClaude(world.home)
  return { world, server }
}

export const openRig = async (agent: RealAgent, env: Readonly<Record<string, string>> = {}): Promise<Rig> => {
  const { server, world } = await openAgents([agent], env)
  writeFileSync(join(world.work, "waited-for.log"), "")
  return {
    agent,
    world,
    server,
    runArgs: (prompt) => [
      "run",
      "--json",
      "--provider",
      agent,
      "--model",
      settings[agent].model,
      "--thinking",
      settings[agent].thinking,
      "--permission",
      "edit",
      "--prompt",
      prompt
    ],
    sessionFile: (id) => sessionFiles(world, agent).find(({ path }) => path.endsWith(`${id}.jsonl`)) ?? null
  }
}

export const task = "TASK-ORIGINAL: count the files of this folder."
export const instruction = "INSTRUCTION-NEW: carry on with it."

export interface UnderWay {
  readonly alluka: Running
  readonly id: string
  readonly providerSession: string
}

/** Whether the conversation's file holds the task as a message of the user; claude writes it into its queue before. */
const holdsTask = (rig: Rig, providerSession: string): boolean =>
  (rig.sessionFile(providerSession)?.text ?? "")
    .split("\n")
    .some((row) => row.includes("TASK-ORIGINAL") && (rig.agent === "codex" || row.includes('"type":"user"')))

/** Waits until the conversation of a run is on the agent's disk with its prompt: from then on it can be continued. */
export const flushed = async (rig: Rig, providerSession: string): Promise<void> => {
  await eventually(() => holdsTask(rig, providerSession), { what: `the session file of ${providerSession}` })
}

const begin = async (rig: Rig, prompt: string): Promise<UnderWay> => {
  const alluka = rig.world.start(rig.runArgs(prompt))
  const created = await alluka.event<StreamLine>("created")
  await alluka.event("provider_session")
  await rig.server.waitForRequest((request) => request.userTexts.some((text) => text.includes("TASK-ORIGINAL")))
  const id = created.checkpoint_id ?? ""
  const shown = await rig.world.show(id)
  const providerSession = shown.provider_session?.id ?? ""
  await flushed(rig, providerSession)
  return { alluka, id, providerSession }
}

/** A run whose model is streaming its answer, for a minute. */
export const streaming = (rig: Rig): Promise<UnderWay> => begin(rig, `${task} {{slow 240}}`)

/** What the agent's shell runs in `usingTool`: never ends, and both agents allow it without a question. */
export const toolCommand = "tail -f waited-for.log"

/** A run whose agent waits for a command that never ends. */
export const usingTool = async (rig: Rig): Promise<UnderWay> => {
  const run = await begin(rig, `${task} {{tool ${toolCommand}}}`)
  await run.alluka.event("tool_started")
  await eventually(() => rig.world.marked(run.id).some((one) => one.command === toolCommand), {
    what: "the tool's process"
  })
  return run
}

export const situations = { streaming, usingTool } as const
export type Situation = keyof typeof situations

export const resumed = async (
  rig: Rig,
  id: string,
  flags: ReadonlyArray<string> = []
): Promise<{ readonly ended: Ended; readonly request: ModelRequest; readonly checkpoint: CheckpointDocument }> => {
  const before = rig.server.requests.length
  const ended = await rig.world.run(["resume", id, "--json", "-p", `${instruction} {{text}}`, ...flags], {
    withinMs: 60_000
  })
  expect(ended.code, describeEnd(ended)).toBe(0)
  const request = rig.server.requests[before]
  if (request === undefined) throw new Error(`the resume made no model request\n${describeEnd(ended)}`)
  const summary = ended.last<RunSummary & Document>("run_summary")
  return { ended, request, checkpoint: await rig.world.show(summary.checkpoint_id ?? "") }
}

/** The sandbox or permission mode that a request or record shows. */
const permissionOf = (rig: Rig, request: ModelRequest, checkpoint: CheckpointDocument): string | null =>
  rig.agent === "claude"
    ? checkpoint.permission.actual
    : (/sandbox_mode.{0,10}?(read-only|workspace-write|danger-full-access)/.exec(JSON.stringify(request.body))?.[1] ??
      null)

/**
 * Resumes a run and holds what the model was sent against what a continued conversation must hold: the earlier messages,
 * the same model, thinking level and permission, the instruction once, and the task not said a second time.
 */
export const expectContinued = async (
  rig: Rig,
  first: UnderWay,
  flags: ReadonlyArray<string> = []
): Promise<CheckpointDocument> => {
  const original = rig.server.requests.find((one) => one.userTexts.some((text) => text.includes("TASK-ORIGINAL")))
  if (original === undefined) throw new Error("the first run made no request")
  const stopped = await rig.world.show(first.id)
  const { ended, request, checkpoint } = await resumed(rig, first.id, flags)

  const decision = ended.last<StreamLine>("resume_decision").payload as unknown as DecisionDocument
  expect(decision).toMatchObject({ status: "resuming_same_session", scope: "run_session", checkpoint_id: first.id })

  const said = request.userTexts
  expect(said.filter((text) => text.includes("TASK-ORIGINAL"))).toHaveLength(1)
  expect(said.filter((text) => text.includes("INSTRUCTION-NEW"))).toHaveLength(1)
  expect(said.at(-1)).toContain("INSTRUCTION-NEW")
  expect(said.at(-1)).not.toContain("TASK-ORIGINAL")
  expect(JSON.stringify(request.transcript).split("INSTRUCTION-NEW")).toHaveLength(2)

  const wanted = settings[rig.agent]
  expect({ model: request.model, effort: request.effort }).toEqual({ model: wanted.model, effort: wanted.thinking })
  expect({ model: original.model, effort: original.effort }).toEqual({ model: wanted.model, effort: wanted.thinking })
  expect(permissionOf(rig, original, stopped)).toBe(wanted.permission)
  expect(permissionOf(rig, request, checkpoint)).toBe(wanted.permission)

  expect(checkpoint).toMatchObject({
    state: "completed",
    attempt: 2,
    root_id: first.id,
    resumed_from: first.id,
    provider_session: { id: first.providerSession }
  })
  expect(await rig.world.show(first.id)).toMatchObject({
    state: stopped.state,
    reason: stopped.reason,
    resumed_by: checkpoint.id
  })
  await rig.world.noneMarked(first.id)
  await rig.world.noneMarked(checkpoint.id)
  return checkpoint
}
