/** A checkpoint as JSON, and lists of them. */
import {
  type Checkpoint,
  type LoopProgress,
  type Phase,
  type ProcessIdentity,
  type ProviderSession,
  phaseNumber,
  type Reason,
  type Setting,
  type Usage
} from "../checkpoint/Checkpoint.js"
import type { CheckpointPage } from "../checkpoint/CheckpointStore.js"
import type { GateCommand } from "../checkpoint/GateCommand.js"
import type { Decision } from "../resume/Decision.js"
import { iso, isoOrNull } from "./json.js"
import type {
  CheckpointDocument,
  CheckpointListDocument,
  DecisionSummary,
  GateDocument,
  PhaseDocument,
  ReasonDocument,
  UsageDocument
} from "./schema/checkpoint.js"

/** What a resume would answer, as far as a document tells it. */
export type Judged = Pick<Decision, "status" | "reason" | "requires" | "basis">

/** Whether a person could go on from here now: with consents if need be, or by naming another model. */
export const isResumable = (decision: Judged): boolean =>
  decision.status !== "refusing_to_resume" || decision.requires.length > 0 || decision.reason === "model_unavailable"

export const decisionSummary = ({ basis, reason, requires, status }: Judged): DecisionSummary => ({
  status,
  reason,
  requires,
  basis
})

/** The document of a checkpoint. `decision`: what a resume of it would answer; `null`: not asked. */
export const checkpointDocument = (checkpoint: Checkpoint, decision: Judged | null): CheckpointDocument => {
  const { progress, spec } = checkpoint
  const phase = progress.phases[progress.phase]
  const { position } = progress
  return {
    kind: "checkpoint",
    version: 1,
    id: checkpoint.id,
    seq: checkpoint.seq,
    agent: checkpoint.agent,
    session_id: checkpoint.sessionId,
    task_id: checkpoint.taskId,
    origin: spec.origin,
    labels: checkpoint.labels,
    key: checkpoint.key,
    title: checkpoint.title,
    prompt: spec.prompt,
    prompt_redacted: spec.promptRedacted,
    prompt_truncated: spec.promptTruncated,
    instruction: spec.instruction,
    state: checkpoint.state,
    reason: reasonDocument(checkpoint.reason),
    resumable: decision === null ? null : isResumable(decision),
    decision: decision === null ? null : decisionSummary(decision),
    provider: phase?.provider ?? spec.provider,
    model: phase === undefined ? unset : setting(phase.model),
    thinking: phase === undefined ? unset : setting(phase.thinking),
    permission: { requested: spec.permission, actual: progress.permissionActual },
    provider_session: phase === undefined ? null : session(phase.providerSession),
    provider_args: spec.providerArgs,
    provider_args_redacted: spec.providerArgsRedacted,
    add_dirs: spec.addDirs,
    phase: phaseNumber(progress),
    phases: progress.phases.map(phaseDocument),
    workspace: {
      cwd: spec.workspace.cwd,
      real_path: spec.workspace.realPath,
      git_head: spec.workspace.gitHead,
      git_branch: spec.workspace.gitBranch
    },
    changes: progress.changes,
    position: {
      turn: position.turn,
      messages: position.messages,
      last_message_id: position.lastMessageId,
      open_tool:
        position.openTool === null
          ? null
          : { id: position.openTool.id, name: position.openTool.name, since: iso(position.openTool.since) },
      last_activity_at: iso(position.lastActivityAt)
    },
    usage: usageDocument(progress.usage),
    denied: progress.denied,
    stream: progress.stream,
    provider_exit: progress.providerExit,
    cancel_requested:
      checkpoint.cancelRequested === null
        ? null
        : {
            at: iso(checkpoint.cancelRequested.at),
            by: checkpoint.cancelRequested.by,
            code: checkpoint.cancelRequested.code
          },
    started_at: iso(checkpoint.startedAt),
    updated_at: iso(checkpoint.updatedAt),
    ended_at: isoOrNull(checkpoint.endedAt),
    reconciled_at: isoOrNull(checkpoint.reconciledAt),
    dismissed_at: isoOrNull(checkpoint.dismissedAt),
    elapsed_ms: progress.elapsedMs,
    attempt: checkpoint.attempt,
    root_id: checkpoint.rootId,
    resumed_from: checkpoint.resumedFrom,
    resumed_by: checkpoint.resumedBy,
    forked_from: checkpoint.forkedFrom,
    owner: { id: checkpoint.owner.id, host: checkpoint.owner.host, ...processDocument(checkpoint.owner) },
    child: progress.child === null ? null : processDocument(progress.child),
    loop: spec.loop === null ? null : loopDocument(spec.loop),
    gate: spec.gate === undefined ? null : gateDocument(spec.gate)
  }
}

const unset = { requested: null, actual: null }

const setting = ({ actual, requested }: Setting) => ({ requested, actual })

const session = (value: ProviderSession | null) =>
  value === null
    ? null
    : { id: value.id, assigned_by: value.assignedBy, seen_at: isoOrNull(value.seenAt), location: value.location }

const phaseDocument = (phase: Phase): PhaseDocument => ({
  index: phase.index,
  name: phase.name,
  provider: phase.provider,
  model: setting(phase.model),
  thinking: setting(phase.thinking),
  provider_session: session(phase.providerSession),
  state: phase.state,
  started_at: isoOrNull(phase.startedAt),
  ended_at: isoOrNull(phase.endedAt)
})

export const reasonDocument = (reason: Reason | null): ReasonDocument | null =>
  reason === null
    ? null
    : {
        code: reason.code,
        message: reason.message,
        detail: reason.detail,
        resets_at: isoOrNull(reason.resetsAt),
        resets_at_source: reason.resetsAtSource,
        exit_code: reason.exitCode,
        signal: reason.signal,
        provider_text: reason.providerText,
        truncated: reason.truncated
      }

export const usageDocument = (usage: Usage): UsageDocument => ({
  input_tokens: usage.inputTokens,
  output_tokens: usage.outputTokens,
  cost_usd: usage.costUsd
})

const processDocument = ({ pid, pidStart }: ProcessIdentity) => ({ pid, pid_start: pidStart })

export const gateDocument = ({ argv, shell, timeoutMs }: GateCommand): GateDocument => ({
  argv,
  shell,
  timeout_ms: timeoutMs
})

export const loopDocument = (loop: LoopProgress) => ({
  id: loop.id,
  max_tasks: loop.maxTasks,
  tasks_completed: loop.tasksCompleted,
  iterations_planned: loop.iterationsPlanned,
  iterations_completed: loop.iterationsCompleted
})

/** A checkpoint with what a resume of it would answer. */
export interface Decided {
  readonly checkpoint: Checkpoint
  readonly decision: Judged | null
}

export const checkpointListDocument = (
  { nextCursor, skipped, total }: Pick<CheckpointPage, "nextCursor" | "skipped" | "total">,
  items: ReadonlyArray<Decided>
): CheckpointListDocument => ({
  kind: "checkpoint_list",
  version: 1,
  items: items.map(({ checkpoint, decision }) => checkpointDocument(checkpoint, decision)),
  total,
  next_cursor: nextCursor,
  skipped
})
