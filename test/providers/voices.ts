/** The command-line providers in their programs' own words. */
import * as claude from "../support/stub/claudeStream.js"
import * as codex from "../support/stub/codexStream.js"
import * as gemini from "../support/stub/geminiStream.js"
import * as kimi from "../support/stub/kimiStream.js"
import * as opencode from "../support/stub/opencodeStream.js"
import * as pi from "../support/stub/piStream.js"
import { exit, line, type Steps, stderr, stdout } from "../support/stub/script.js"
import { after, type Voice } from "./lines.js"

const rows = (...values: ReadonlyArray<object>): string => values.map((value) => `${JSON.stringify(value)}\n`).join("")
const at = "2026-12-01T02:43:29.123Z"

export const claudeVoice: Voice = {
  id: "claude",
  program: "claude",
  opened: (id) => [claude.init({ session_id: id })],
  said: (text) => [claude.text(text)],
  tool: [[claude.toolUse("toolu_1")], [claude.toolResult("toolu_1")]],
  succeeded: () => [claude.success()],
  ends: {
    failure: {
      steps: [claude.result({ subtype: "error_max_turns", is_error: true, terminal_reason: "max_turns" }), exit(1)],
      code: ["turn_limit"]
    },
    limit: {
      steps: [
        claude.rateLimit(4_102_444_800),
        claude.apiError(429, "You've hit your 5-hour limit · resets 11:46pm (UTC)", {
          api_error: "usage_limit_reached"
        }),
        exit(1)
      ],
      code: ["usage_limit"]
    },
    auth: { steps: [claude.apiError(401, "Invalid API key · Fix external API key"), exit(1)], code: ["auth_required"] }
  },
  noSession: claude.noSession,
  announcedAt: "opened",
  storage: {
    at: "opened",
    kept: {
      path: "$HOME/.claude/projects/-work/$SESSION.jsonl",
      text: rows(
        { type: "user", message: { role: "user", content: "hello" }, uuid: "0a3f92e9", timestamp: at },
        { type: "attachment", uuid: "b9661db5", timestamp: at },
        { type: "assistant", message: { role: "assistant", content: [] }, uuid: "cd202e1e", timestamp: at }
      )
    }
  },
  world: { env: { IS_SANDBOX: "1" } },
  read: ({ argv, stdin }) => ({
    prompt: stdin,
    model: after(argv, "--model"),
    thinking: after(argv, "--effort"),
    permission: after(argv, "--permission-mode")
  })
}

const codexRow = (type: string, payload: object): object => ({ timestamp: at, type, payload })

export const codexVoice: Voice = {
  id: "codex",
  program: "codex",
  opened: (id) => [line({ type: "thread.started", thread_id: id }), codex.turnStarted],
  said: (text) => [codex.message(text)],
  tool: [[codex.commandStarted("item_2")], [codex.commandCompleted("item_2")]],
  succeeded: () => [codex.turnCompleted()],
  ends: {
    failure: { steps: [...codex.failed("something new"), exit(1)], code: ["provider_error"] },
    limit: {
      steps: [...codex.failed("You’ve hit your usage limit. Visit … or try again at 11:54 PM."), exit(1)],
      code: ["usage_limit"]
    },
    auth: {
      steps: [...codex.failed("unexpected status 401 Unauthorized: , url: http://127.0.0.1/v1/responses"), exit(1)],
      code: ["auth_required"]
    }
  },
  noSession: codex.noSession,
  announcedAt: "opened",
  storage: {
    at: "opened",
    kept: {
      path: "$HOME/.codex/sessions/2026/12/01/rollout-2026-12-01T02-43-29-$SESSION.jsonl",
      text: rows(
        codexRow("session_meta", { id: "$SESSION", cwd: "$CWD" }),
        codexRow("response_item", { type: "message", role: "user", content: [{ type: "input_text", text: "hello" }] }),
        codexRow("response_item", { type: "message", role: "assistant", content: [] })
      )
    }
  },
  read: ({ argv, stdin }) => ({
    prompt: stdin,
    model: after(argv, "-m"),
    thinking: argv.find((arg) => arg.startsWith("model_reasoning_effort="))?.split("=")[1] ?? null,
    permission: after(argv, "-s")
  })
}

export const opencodeVoice: Voice = {
  id: "opencode",
  program: "opencode",
  opened: (id) => [opencode.stepStartOf(id)],
  said: (text) => [opencode.message(text)],
  // A tool is told only once it has ended, and a step ends with it.
  tool: [[], [opencode.toolUse("call_1"), opencode.stepFinish("tool-calls"), opencode.stepStart]],
  succeeded: () => [opencode.stepFinish()],
  ends: {
    failure: { steps: [opencode.apiError(400, "HTTP 400"), exit(1)], code: ["invalid_request"] },
    limit: { steps: [opencode.apiError(429, "You have hit your usage limit"), exit(1)], code: ["usage_limit"] },
    auth: { steps: [opencode.apiError(401, "Incorrect API key provided"), exit(1)], code: ["auth_required"] }
  },
  lacking: { tool: "a tool is told only once it has ended" },
  succeedsByExit: true,
  noSession: [stderr("\u001b[91mError: \u001b[0mSession not found\n"), exit(1)],
  announcedAt: "opened",
  storage: { at: "opened", kept: { path: "$HOME/.local/share/opencode/opencode.db", text: "" } },
  script: (world) => ({
    idPrefix: "ses_",
    showEnv: ["OPENCODE_PERMISSION"],
    commands: {
      db: [stdout(`${opencode.found(world.work)}\n`)],
      // Sessions are not made ahead here: that has tests of its own.
      import: [exit(1)]
    }
  }),
  read: ({ argv, env, stdin }) => ({
    prompt: stdin,
    model: after(argv, "-m"),
    thinking: after(argv, "--variant"),
    permission: argv.includes("--auto")
      ? "auto"
      : (env.OPENCODE_PERMISSION ?? "").includes('"*":"deny"')
        ? "reading tools"
        : "own rules"
  })
}

export const geminiVoice: Voice = {
  id: "gemini",
  program: "gemini",
  opened: (id) => [
    { keep: { path: "$HOME/.gemini/tmp/work/.project_root", text: "$CWD" } },
    gemini.init({ session_id: id })
  ],
  said: (text) => [gemini.message(text)],
  tool: [[gemini.toolUse("run_1")], [gemini.toolResult("run_1")]],
  succeeded: () => [gemini.success],
  ends: {
    failure: { steps: [gemini.failed("[API Error: something new]"), exit(1)], code: ["provider_error"] },
    limit: {
      steps: [gemini.failed("[API Error: You have exhausted your daily quota on this model.]"), exit(173)],
      code: ["usage_limit"]
    },
    auth: {
      steps: [
        gemini.failed('[API Error: {"error":{"code":401,"message":"HTTP 401","status":"UNAUTHENTICATED"}}]'),
        exit(145)
      ],
      code: ["auth_required"]
    }
  },
  noSession: [stderr('Error resuming session: Invalid session identifier "$SESSION".\n'), exit(42)],
  announcedAt: "opened",
  storage: {
    at: "opened",
    kept: {
      path: "$HOME/.gemini/tmp/work/chats/session-2026-12-01T02-43-$SESSION8.jsonl",
      text: rows(
        { sessionId: "$SESSION", projectHash: "abc", startTime: at, lastUpdated: at, kind: "main" },
        { id: "0a3f92e9", timestamp: at, type: "user", content: [{ text: "hello" }] },
        { id: "007ada28", timestamp: at, type: "gemini", content: "hi", model: "gemini-2.5-flash" }
      )
    }
  },
  read: ({ argv, stdin }) => ({
    prompt: stdin,
    model: after(argv, "-m"),
    thinking: null,
    permission: after(argv, "--approval-mode")
  })
}

const piVoice = (of: pi.Line): Voice => ({
  id: "pi",
  label: `pi ${of}`,
  program: "pi",
  opened: (id) => [pi.session({ id }), ...pi.begun],
  said: (text) => pi.message(of, text),
  tool: [[pi.toolStart("call_1")], [pi.toolEnd("call_1")]],
  succeeded: () => pi.settled(of),
  ends: {
    failure: { steps: [...pi.failed(of, "400 HTTP 400"), ...pi.settled(of), exit(0)], code: ["invalid_request"] },
    limit: {
      steps: [...pi.failed(of, "429 You have hit your usage limit"), ...pi.settled(of), exit(0)],
      code: ["usage_limit"]
    },
    auth: {
      steps: [...pi.failed(of, "401 Incorrect API key provided"), ...pi.settled(of), exit(0)],
      code: ["auth_required"]
    }
  },
  ...(of === "0.73" ? { succeedsByExit: true } : {}),
  noSession: [stderr("No session found matching '$SESSION'\n"), exit(1)],
  announcedAt: "opened",
  storage: {
    // 0.73.1 writes nothing before the first answer is complete.
    at: of === "0.73" ? "message" : "opened",
    kept: {
      path: "$HOME/.pi/agent/sessions/--work--/2026-12-01T02-09-55-609Z_$SESSION.jsonl",
      text: rows(
        { type: "session", version: 3, id: "$SESSION", timestamp: at, cwd: "$CWD" },
        { type: "message", id: "afb9f68d", parentId: null, timestamp: at, message: { role: "user", content: [] } },
        { type: "message", id: "1c936e23", parentId: "afb9f68d", timestamp: at, message: { role: "assistant" } }
      )
    }
  },
  read: ({ argv, stdin }) => ({
    prompt: stdin,
    model: after(argv, "--model"),
    thinking: after(argv, "--thinking"),
    permission: after(argv, "--tools")?.replace(",mcp__none", "") ?? "all tools"
  })
})

export const piVoices: ReadonlyArray<Voice> = [piVoice("1.6"), piVoice("0.73")]

const copyOfKimi = "session_dc9de738-b4b9-4854-9dd7-4b15e4b978d6"

export const kimiVoice: Voice = {
  id: "kimi",
  program: "kimi",
  opened: () => [kimi.version],
  said: (text) => [kimi.message(text)],
  tool: [[kimi.toolCall("call_1")], [kimi.toolResult("call_1")]],
  succeeded: (id) => [kimi.resumeHint(id)],
  ends: {
    failure: { steps: kimiError("provider.api_error: 400 HTTP 400"), code: ["invalid_request"] },
    limit: { steps: kimiError("provider.rate_limit: 429 You have hit your usage limit"), code: ["usage_limit"] },
    auth: { steps: kimiError("provider.auth_error: 401 Incorrect API key provided"), code: ["auth_required"] }
  },
  noSession: kimiError('Session "$SESSION" not found.'),
  announcedAt: "result",
  storage: {
    at: "opened",
    kept: {
      path: "$HOME/.kimi-code/sessions/wd_work_1/$SESSION/agents/main/wire.jsonl",
      text: rows(
        { type: "metadata", protocol_version: "1.5", created_at: 1_796_091_223_646 },
        { type: "turn.prompt", agentId: "main", input: [{ type: "text", text: "hello" }], time: 1_796_091_223_794 },
        { type: "turn.ended", agentId: "main", reason: "completed", time: 1_796_091_224_100 }
      )
    }
  },
  script: () => ({
    idPrefix: "session_",
    commands: {
      fork: [
        // The copy is there before the command answers.
        { keep: { path: copyPath(), text: "{}\n" } },
        stdout(`Forked to ${copyOfKimi} ("Fork: x") in 9ms\n`)
      ]
    }
  }),
  forkOf: (starts) => {
    const asked = starts.findLast(({ command }) => command === "fork")
    return asked?.argv[1] ?? null
  },
  read: ({ argv }) => ({
    prompt: argv.find((arg) => arg.startsWith("--prompt="))?.slice("--prompt=".length),
    model: after(argv, "-m"),
    thinking: null,
    // Always its one mode: nothing is passed.
    permission: undefined
  })
}

function copyPath(): string {
  return `$HOME/.kimi-code/sessions/wd_work_1/${copyOfKimi}/agents/main/wire.jsonl`
}

function kimiError(said: string): Steps {
  return [stderr(`error: failed to run prompt: ${said}\nSee log: /x/kimi-code.log\n`), exit(1)]
}
