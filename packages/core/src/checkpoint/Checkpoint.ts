/**
 * The checkpoint: the durable record of one run. Shapes only; who may change what, and when, is in `Checkpoints`.
 *
 * Names are camelCase here and snake_case in JSON (`contract/`). Times are milliseconds since 1970 (UTC) here and
 * ISO 8601 in JSON. `null` means unknown or not there; a field is never missing.
 */
import * as Schema from "../Schema.js"
import { GateCommand } from "./GateCommand.js"
import { CheckpointId, OwnerId, SessionId } from "./ids.js"
import { CancelledCode, Origin, Permission, ReasonCode, State } from "./state.js"

/** Milliseconds since 1970, UTC. */
export const Time = Schema.Number.pipe(Schema.int())
export type Time = typeof Time.Type

const Count = Schema.Number.pipe(Schema.int(), Schema.nonNegative())

/** What was asked for, and what the provider itself reported; `null` where it was not set, or not reported. */
export const Setting = Schema.Struct({
  requested: Schema.NullOr(Schema.String),
  actual: Schema.NullOr(Schema.String)
})
export type Setting = typeof Setting.Type

export const ProviderSession = Schema.Struct({
  /** The provider's own id of the conversation. */
  id: Schema.String,
  assignedBy: Schema.Literal("caller", "provider"),
  /** When the provider itself first named the id; `null` while only we have chosen it. */
  seenAt: Schema.NullOr(Time),
  /** The provider's configuration directory or session file, as the run used it. */
  location: Schema.NullOr(Schema.String)
})
export type ProviderSession = typeof ProviderSession.Type

export const Phase = Schema.Struct({
  index: Count,
  name: Schema.String,
  provider: Schema.String,
  model: Setting,
  thinking: Setting,
  /** What the agent may do in this phase; absent: what the run may. */
  permission: Schema.optionalWith(Permission, { exact: true }),
  providerSession: Schema.NullOr(ProviderSession),
  state: Schema.Literal("pending", ...State.literals),
  startedAt: Schema.NullOr(Time),
  endedAt: Schema.NullOr(Time)
})
export type Phase = typeof Phase.Type

export const Workspace = Schema.Struct({
  /** The folder as it was given. */
  cwd: Schema.String,
  /** The same folder with every symbolic link resolved. */
  realPath: Schema.String,
  gitHead: Schema.NullOr(Schema.String),
  gitBranch: Schema.NullOr(Schema.String)
})
export type Workspace = typeof Workspace.Type

export const Changes = Schema.Struct({ files: Count, insertions: Count, deletions: Count })
export type Changes = typeof Changes.Type

export const OpenTool = Schema.Struct({ id: Schema.String, name: Schema.String, since: Time })
export type OpenTool = typeof OpenTool.Type

/** Where in the conversation the run is, or stopped. */
export const Position = Schema.Struct({
  turn: Count,
  messages: Count,
  lastMessageId: Schema.NullOr(Schema.String),
  /** A tool that had started and not finished: at the end of a run its effects are uncertain. */
  openTool: Schema.NullOr(OpenTool),
  lastActivityAt: Time
})
export type Position = typeof Position.Type

export const Reason = Schema.Struct({
  code: ReasonCode,
  /** One line, at most 280 characters. */
  message: Schema.String,
  detail: Schema.NullOr(Schema.String),
  /** When a usage limit resets. */
  resetsAt: Schema.NullOr(Time),
  /** Whether `resetsAt` came from data (`structured`) or was read from words (`text`). */
  resetsAtSource: Schema.NullOr(Schema.Literal("structured", "text")),
  exitCode: Schema.NullOr(Schema.Number),
  signal: Schema.NullOr(Schema.String),
  /** The provider's own words, redacted. */
  providerText: Schema.NullOr(Schema.String),
  truncated: Schema.Boolean
})
export type Reason = typeof Reason.Type

export const CancelRequest = Schema.Struct({ at: Time, by: Schema.String, code: CancelledCode })
export type CancelRequest = typeof CancelRequest.Type

/** A process, told apart from a later one with the same number by its start time. */
export const ProcessIdentity = Schema.Struct({ pid: Schema.Number, pidStart: Schema.NullOr(Schema.String) })
export type ProcessIdentity = typeof ProcessIdentity.Type

export const Owner = Schema.Struct({ id: OwnerId, host: Schema.String, ...ProcessIdentity.fields })
export type Owner = typeof Owner.Type

export const Usage = Schema.Struct({
  inputTokens: Count,
  outputTokens: Count,
  costUsd: Schema.NullOr(Schema.Number)
})
export type Usage = typeof Usage.Type

/** How the provider's output was read: lines understood, lines that were no event, lines over the size limit. */
export const StreamCounts = Schema.Struct({ lines: Count, skipped: Count, oversize: Count })
export type StreamCounts = typeof StreamCounts.Type

export const ProviderExit = Schema.Struct({ code: Schema.NullOr(Schema.Number), signal: Schema.NullOr(Schema.String) })
export type ProviderExit = typeof ProviderExit.Type

export const LoopProgress = Schema.Struct({
  id: Schema.String,
  maxTasks: Schema.NullOr(Count),
  tasksCompleted: Count,
  iterationsPlanned: Schema.NullOr(Count),
  iterationsCompleted: Count
})
export type LoopProgress = typeof LoopProgress.Type

export const PermissionSetting = Schema.Struct({
  requested: Permission,
  /** The provider's own word for the mode it reported. */
  actual: Schema.NullOr(Schema.String)
})
export type PermissionSetting = typeof PermissionSetting.Type

/** What never changes after the first commit. */
export const Spec = Schema.Struct({
  origin: Origin,
  prompt: Schema.String,
  promptRedacted: Schema.Boolean,
  /** The prompt was longer than our copy of it. */
  promptTruncated: Schema.Boolean,
  /**
   * Broken lines that the conversation's file was known to hold when the run began: a line cut by a kill stays in the
   * file, and the loss was told at the resume that followed it.
   */
  knownDamage: Count,
  instruction: Schema.NullOr(Schema.String),
  provider: Schema.String,
  providerArgs: Schema.Array(Schema.String),
  providerArgsRedacted: Schema.Boolean,
  /** What was asked for; what the provider reported is progress. */
  permission: Permission,
  addDirs: Schema.Array(Schema.String),
  workspace: Workspace,
  loop: Schema.NullOr(LoopProgress),
  /** The command whose success the run must reach; absent: none. */
  gate: Schema.optionalWith(GateCommand, { exact: true })
})
export type Spec = typeof Spec.Type

/** What the owner, and nobody else, moves forward while the run lives. */
export const Progress = Schema.Struct({
  phases: Schema.Array(Phase),
  /** Index into `phases`. */
  phase: Count,
  permissionActual: Schema.NullOr(Schema.String),
  position: Position,
  usage: Usage,
  /** The provider's own running totals where it reports cumulative figures; the next attempt subtracts them. */
  cumulativeUsage: Schema.NullOr(Usage),
  denied: Count,
  stream: StreamCounts,
  child: Schema.NullOr(ProcessIdentity),
  providerExit: Schema.NullOr(ProviderExit),
  changes: Schema.NullOr(Changes),
  elapsedMs: Count
})
export type Progress = typeof Progress.Type

export const Checkpoint = Schema.Struct({
  id: CheckpointId,
  /** Store-wide number of the `created` event: the order of creation. */
  seq: Count,
  agent: Schema.String,
  sessionId: SessionId,
  taskId: Schema.NullOr(Schema.String),
  key: Schema.NullOr(Schema.String),
  labels: Schema.Record({ key: Schema.String, value: Schema.String }),
  title: Schema.String,
  spec: Spec,
  progress: Progress,
  state: State,
  reason: Schema.NullOr(Reason),
  cancelRequested: Schema.NullOr(CancelRequest),
  startedAt: Time,
  updatedAt: Time,
  endedAt: Schema.NullOr(Time),
  reconciledAt: Schema.NullOr(Time),
  dismissedAt: Schema.NullOr(Time),
  attempt: Count,
  rootId: CheckpointId,
  resumedFrom: Schema.NullOr(CheckpointId),
  resumedBy: Schema.NullOr(CheckpointId),
  forkedFrom: Schema.NullOr(CheckpointId),
  owner: Owner
})
export type Checkpoint = typeof Checkpoint.Type

/**
 * The number by which people, events and derived session ids name the phase that the run is in: phases of a task count
 * from 1, a run in one pass is phase 0.
 */
export const phaseNumber = (
  progress: Pick<Progress, "phase"> & { readonly phases: { readonly length: number } }
): number => (progress.phases.length > 1 ? progress.phase + 1 : 0)

/** The phase the run is in, or ended in. */
export const currentPhase = (progress: Progress): Phase => {
  const phase = progress.phases[progress.phase]
  if (phase === undefined) throw new Error(`checkpoint has no phase ${progress.phase}`)
  return phase
}
