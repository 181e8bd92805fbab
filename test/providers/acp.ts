/** Agents that speak the Agent Client Protocol, played by the stub that does. */
import { exit, forever, type Kept, type Steps, type StubScript, until } from "../support/stub/script.js"
import { openWorld, type World } from "../support/world.js"
import { configure, noise } from "./lines.js"
import { allPoints, type Point } from "./points.js"
import type { Plan, Stage, Subject } from "./subject.js"
import { claudeVoice, codexVoice } from "./voices.js"

interface AcpAgent {
  readonly id: string
  readonly program: string
  /** What the agent can do, as its answer to `initialize` tells. */
  readonly agentCapabilities: object
  /** The words of its settings; the first is the default. */
  readonly modes: ReadonlyArray<string>
  readonly levels: ReadonlyArray<string>
  /** The permission is the answer to its questions, not a mode. */
  readonly modeIsPermission: boolean
  readonly notFound: object
  readonly kept: Kept | null
  readonly entry?: object
  readonly alike?: true
  readonly env?: Readonly<Record<string, string>>
}

const said = (text: string): Steps => [
  { update: { sessionUpdate: "agent_message_chunk", messageId: "m1", content: { type: "text", text } } }
]

const toolBegan: Steps = [
  {
    update: {
      sessionUpdate: "tool_call",
      toolCallId: "call_1",
      title: "make test",
      kind: "execute",
      status: "in_progress",
      rawInput: { command: "make test" }
    }
  }
]

const toolEnded: Steps = [{ update: { sessionUpdate: "tool_call_update", toolCallId: "call_1", status: "completed" } }]

const endTurn: Steps = [{ answer: { stopReason: "end_turn" } }]

/** The conversation is open, and on the disk, before the first word. */
const story: Readonly<Partial<Record<Point, Steps>>> = {
  message: said("Working on it."),
  tool: toolBegan,
  toolDone: toolEnded,
  midLine: said("Nearly done."),
  result: endTurn
}
const all: Steps = allPoints.flatMap((point) => story[point] ?? [])

const upTo = (last: Point): Steps =>
  allPoints.slice(0, allPoints.indexOf(last) + 1).flatMap((point) => story[point] ?? [])

/** Stops at a point of the turn for ever, or for `exited` until it may say the rest. */
const stopping = ({ go, point, reached }: Extract<Plan, { readonly do: "stopAt" }>): Steps => {
  const stop: Steps = [{ touch: reached }, forever]
  switch (point) {
    case "midLine":
      return [...upTo("toolDone"), ...said("Nearly done.").map((step) => ({ ...step, half: true as const })), ...stop]
    case "exited":
      return [...upTo("midLine"), { touch: reached }, until(go), ...endTurn, exit(0)]
    case "result":
      // Otherwise it ends with its input.
      return [{ linger: true }, { ignore: ["SIGTERM"] }, ...upTo("result"), ...stop]
    default:
      return [...upTo(point), ...stop]
  }
}

const refusals: Readonly<Record<"failure" | "limit" | "auth", object>> = {
  failure: { code: -32603, message: "Internal error: something new" },
  limit: { code: -32603, message: "Internal error: You've hit your usage limit" },
  auth: { code: -32000, message: "Authentication required" }
}

const planned = (agent: AcpAgent, plan: Plan): StubScript => {
  const common = {
    acp: {
      agentCapabilities: agent.agentCapabilities,
      options: {
        mode: agent.modes,
        model: ["m-default", "M-1", "M-2"],
        ...(agent.levels.length === 0 ? {} : { thought_level: agent.levels })
      },
      notFound: agent.notFound,
      ...(plan.do === "announce" ? { announce: plan.id } : {}),
      ...(plan.do === "stopAt" && (plan.point === "silent" || plan.point === "firstLine")
        ? { greeting: { half: plan.point === "firstLine", reached: plan.reached } }
        : {})
    },
    ...(agent.kept === null ? {} : { keep: agent.kept, storage: agent.kept.path })
  }
  switch (plan.do) {
    case "finish":
    case "announce":
      return { ...common, fresh: all }
    case "work":
      return { ...common, fresh: [...upTo("message"), forever] }
    case "stopAt":
      return { ...common, fresh: stopping(plan) }
    case "end":
      return { ...common, fresh: [...said("Well,"), { refuse: refusals[plan.how] }] }
    case "cut":
      return { ...common, fresh: [...said("The half of"), exit(0)] }
    case "babble":
      return { ...common, fresh: allPoints.flatMap((point) => [...noise, ...(story[point] ?? [])]) }
    case "forget":
      return { ...common, storage: "/nowhere/$SESSION", fresh: all }
  }
}

const stageOf = (agent: AcpAgent): Stage => {
  const world: World = openWorld(agent.env === undefined ? {} : { env: agent.env })
  if (agent.entry !== undefined) configure(world, { [agent.id]: agent.entry })
  return {
    world,
    plan: (plan) => {
      world.stub(agent.program, planned(agent, plan))
      return {}
    },
    heard: () =>
      world.stubStarts().map(({ cwd, forkOf, resumed, session, settings = {}, stdin }) => ({
        prompt: stdin,
        resumed,
        session,
        forkOf,
        model: settings.model ?? null,
        thinking: settings.thought_level ?? null,
        permission: agent.modeIsPermission ? (settings.mode ?? null) : undefined,
        cwd
      }))
  }
}

const subjectOf = (agent: AcpAgent): Subject => ({
  id: agent.id,
  label: agent.id,
  open: () => Promise.resolve(stageOf(agent)),
  announcedAt: "opened",
  storedAt: "opened",
  lacking: {},
  lastWord: "success",
  storage:
    agent.kept === null
      ? null
      : {
          rows: true,
          file: (world, session) =>
            (agent.kept?.path ?? "").replaceAll("$HOME", world.home).replaceAll("$SESSION", session)
        },
  ends: { failure: ["provider_error"], limit: ["usage_limit"], auth: ["auth_required"] },
  without: [],
  ...(agent.alike === undefined ? {} : { alike: agent.alike }),
  ...(agent.entry === undefined ? {} : { entry: agent.entry })
})

const everything = {
  loadSession: true,
  sessionCapabilities: { resume: {}, fork: {}, close: {} }
}

const rows = (...values: ReadonlyArray<object>): string => values.map((value) => `${JSON.stringify(value)}\n`).join("")
const at = "2026-12-01T02:43:29.123Z"

/** As qwen 0.24.4 keeps a conversation. */
const qwenKept: Kept = {
  path: "$HOME/.qwen/projects/-work/chats/$SESSION.jsonl",
  text: rows(
    { uuid: "0a3f92e9", parentUuid: null, type: "user", timestamp: at, message: { role: "user", parts: [] } },
    { uuid: "b9661db5", parentUuid: "0a3f92e9", type: "system", timestamp: at },
    {
      uuid: "cd202e1e",
      parentUuid: "b9661db5",
      type: "assistant",
      timestamp: at,
      message: { role: "model", parts: [] }
    }
  )
}

/** As copilot 1.0.102 keeps a conversation. */
const copilotKept: Kept = {
  path: "$HOME/.copilot/session-state/$SESSION/events.jsonl",
  text: rows(
    { type: "session.start", timestamp: at, data: { sessionId: "$SESSION" } },
    { type: "user.message", timestamp: at, data: { content: "hello" } },
    { type: "assistant.message", timestamp: at, data: { content: "hi" } }
  )
}

const agents: ReadonlyArray<AcpAgent> = [
  {
    id: "claude-acp",
    program: "claude-agent-acp",
    agentCapabilities: everything,
    modes: ["auto", "default", "acceptEdits", "bypassPermissions"],
    levels: ["low", "medium", "high", "xhigh", "max"],
    modeIsPermission: true,
    notFound: { code: -32002, message: "Resource not found" },
    kept: claudeVoice.storage?.kept ?? null,
    env: { IS_SANDBOX: "1" }
  },
  {
    id: "codex-acp",
    program: "codex-acp",
    agentCapabilities: everything,
    modes: ["auto", "read-only", "workspace-write", "agent-full-access"],
    levels: ["medium", "low", "high", "xhigh", "max", "ultra"],
    modeIsPermission: true,
    notFound: { code: -32603, message: "Internal error", data: { details: "no rollout found for thread id x" } },
    kept: codexVoice.storage?.kept ?? null,
    alike: true
  },
  {
    id: "qwen",
    program: "qwen",
    agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {} } },
    modes: ["auto", "default", "auto-edit", "yolo"],
    levels: [],
    modeIsPermission: true,
    notFound: { code: -32002, message: "Resource not found: session:x" },
    kept: qwenKept,
    alike: true
  },
  {
    id: "copilot",
    program: "copilot",
    agentCapabilities: { loadSession: true },
    modes: ["agent"],
    levels: [],
    modeIsPermission: true,
    notFound: { code: -32002, message: "Resource not found" },
    kept: copilotKept,
    alike: true
  },
  {
    id: "my-acp",
    program: "my-acp",
    agentCapabilities: { loadSession: true },
    modes: ["auto"],
    levels: ["low", "high"],
    modeIsPermission: false,
    notFound: { code: -32602, message: "Invalid params", data: "Unknown sessionId" },
    kept: null,
    entry: { type: "acp", command: ["my-acp", "--acp"], thinking: ["low", "high"] },
    alike: true
  }
]

export const acpSubjects: ReadonlyArray<Subject> = agents.map(subjectOf)
