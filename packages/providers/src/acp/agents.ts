/** What is known of an agent that speaks the protocol, and the agents that are known. Data. */
import { join } from "node:path"
import { getuid } from "node:process"
import type { Capabilities, Checkpoint, Provider, State } from "@alluka/core"
import type * as Effect from "effect/Effect"
import { objection } from "../claude/capabilities.js"
import * as Claude from "../claude/session.js"
import * as Codex from "../codex/session.js"
import { object } from "../json.js"
import type { Env, Settings } from "../processProvider.js"
import { isUuid } from "../sessionIds.js"
import { rowStorage } from "./rows.js"

/** A piece of a message that is the agent's own remark and not the model's words. */
export type Aside = "notice" | "retrying" | "error"

export interface AcpAgent {
  /** The provider's id. */
  readonly id: string
  readonly title: string
  readonly install: string
  /** The program, a name or a path, and its arguments. */
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly capabilities: Capabilities.Capabilities
  /** The mode that each permission asks for; `null`: the mode is left as it is, and questions are answered. */
  readonly modes: Readonly<Record<State.Permission, string | null>>
  /** Whose words a piece of a message are, where the agent mixes its own among the model's; `null`: the model's. */
  readonly aside: (text: string, messageId: string | null) => Aside | null
  readonly isSessionId: (text: string) => boolean
  /** Where the agent keeps its conversations, and what it has of one, where that is known. */
  readonly storage?: Storage
  readonly objection?: (settings: Settings, env: Env) => string | null
}

export interface Storage {
  readonly location: (env: Env) => string
  /** The variables that make the agent use a recorded location. */
  readonly envFor: (recorded: string | null, env: Env) => Env
  readonly inspectSession: (session: Checkpoint.ProviderSession, env: Env) => Effect.Effect<Provider.SessionInspection>
}

/**
 * Ids that may be handed to an agent: no empty one (claude-agent-acp 0.101.0 answers it with a new session), none that
 * looks like a flag or a path.
 */
export const isPlainId = (text: string): boolean => /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,255}$/.test(text)

/** What holds of every agent: the protocol has the agent name its sessions, and settings are given again at every start. */
export const common: Pick<
  Capabilities.Capabilities,
  | "continuation"
  | "idAssignment"
  | "idKnown"
  | "modelOnResume"
  | "thinkingOnResume"
  | "permissionOnResume"
  | "concurrentGuard"
  | "promptChannel"
  | "modelChangeCompacts"
  | "screen"
> = {
  continuation: "provider_session",
  idAssignment: "provider",
  idKnown: "first_event",
  modelOnResume: "must_be_passed",
  thinkingOnResume: "must_be_passed",
  permissionOnResume: "must_be_passed",
  concurrentGuard: false,
  promptChannel: "stdin",
  modelChangeCompacts: false,
  screen: false
}

/** Its sessions are Claude Code's: same ids, same files. Its remarks on an error are repeated in the error itself. */
const claudeAgent: AcpAgent = {
  id: "claude-acp",
  title: "Claude Code (ACP)",
  install: "Install it with `npm install -g @agentclientprotocol/claude-agent-acp` (needs Node 22).",
  program: "claude-agent-acp",
  args: [],
  capabilities: {
    ...common,
    fork: true,
    thinkingLevels: ["low", "medium", "high", "xhigh", "max"],
    permissions: { read: "default", edit: "acceptEdits", full: "bypassPermissions" },
    cwdBound: false,
    survivesKill: true,
    reportsModel: true,
    verifiedWith: "claude-agent-acp 0.101.0"
  },
  modes: { read: "default", edit: "acceptEdits", full: "bypassPermissions" },
  aside: (text) => (text.startsWith("**Warning:** ") ? "notice" : null),
  isSessionId: isUuid,
  storage: { location: Claude.location, envFor: Claude.envFor, inspectSession: Claude.inspectSession },
  objection: ({ permission }, env) => objection(permission, { root: getuid?.() === 0, sandbox: env.IS_SANDBOX })
}

/**
 * Its sessions are Codex's: same ids, same files. What the model says carries a message id; what the adapter says about
 * errors does not, and with several of them the turn still ends as `end_turn`.
 */
const codexAgent: AcpAgent = {
  id: "codex-acp",
  title: "Codex (ACP)",
  install: "Install it with `npm install -g @agentclientprotocol/codex-acp`.",
  program: "codex-acp",
  args: [],
  capabilities: {
    ...common,
    fork: true,
    thinkingLevels: ["low", "medium", "high", "xhigh", "max", "ultra"],
    permissions: { read: "read-only", edit: "workspace-write", full: "agent-full-access" },
    cwdBound: false,
    survivesKill: false,
    reportsModel: true,
    verifiedWith: "codex-acp 2.6.0"
  },
  modes: { read: "read-only", edit: "workspace-write", full: "agent-full-access" },
  aside: (text, messageId) => (messageId !== null ? null : /^Warning: /.test(text) ? "notice" : "error"),
  isSessionId: isUuid,
  storage: { location: Codex.location, envFor: Codex.envFor, inspectSession: Codex.inspectSession }
}

const qwen: AcpAgent = {
  id: "qwen",
  title: "Qwen Code",
  install: "Install it with `npm install -g @qwen-code/qwen-code` (needs Node 22).",
  program: "qwen",
  args: ["--acp"],
  capabilities: {
    ...common,
    fork: false,
    thinkingLevels: [],
    permissions: { read: "default", edit: "auto-edit", full: "yolo" },
    // Sessions are kept by project: from another folder the id is not found.
    cwdBound: true,
    survivesKill: true,
    reportsModel: true,
    verifiedWith: "qwen 0.24.4"
  },
  modes: { read: "default", edit: "auto-edit", full: "yolo" },
  aside: () => null,
  isSessionId: isUuid,
  storage: rowStorage({
    title: "qwen",
    variable: "QWEN_HOME",
    folder: ".qwen",
    root: "projects",
    file: (project, id) => join(project, "chats", `${id}.jsonl`),
    isPrompt: (row) => row.type === "user" && object(row.message).role === "user"
  })
}

/** After a 401 or a 429 its turn ends as `end_turn`, with the error as a piece of text. */
const copilot: AcpAgent = {
  id: "copilot",
  title: "GitHub Copilot CLI",
  install: "Install it with `npm install -g @github/copilot`.",
  program: "copilot",
  args: ["--acp"],
  capabilities: {
    ...common,
    fork: false,
    thinkingLevels: [],
    // It asks before everything that is not reading; the answers are the permission.
    permissions: { read: "agent", edit: "agent", full: "agent" },
    cwdBound: false,
    survivesKill: true,
    reportsModel: false,
    verifiedWith: "copilot 1.0.102"
  },
  modes: { read: null, edit: null, full: null },
  aside: (text) =>
    /^Error: /.test(text)
      ? "error"
      : /^Info: .*Retrying/.test(text)
        ? "retrying"
        : /^Info: /.test(text)
          ? "notice"
          : null,
  isSessionId: isUuid,
  storage: rowStorage({
    title: "copilot",
    variable: "COPILOT_HOME",
    folder: ".copilot",
    root: "session-state",
    file: (session, id) => (session === id ? join(id, "events.jsonl") : null),
    isPrompt: (row) => row.type === "user.message"
  })
}

/** The agents that are known by name; any other comes by configuration. */
export const knownAgents: ReadonlyArray<AcpAgent> = [claudeAgent, codexAgent, qwen, copilot]
