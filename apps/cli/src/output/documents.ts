/** The JSON documents and lines of the command line, made from the program's own values. */
import { Checkpoint, type CheckpointStore, type Decision, DecisionDocument, type Event } from "@alluka/core"
import type { Cancelled } from "../commands/cancel.js"
import type { ProviderFound } from "../commands/providersList.js"
import type { Json, JsonObject } from "./json.js"

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

const plainJson = (value: unknown): Json => value as Json

const reasonDocument = (reason: Checkpoint.Reason | null): JsonObject | null =>
  reason === null
    ? null
    : {
        code: reason.code,
        message: reason.message,
        detail: reason.detail,
        resets_at: iso(reason.resetsAt),
        resets_at_source: reason.resetsAtSource,
        exit_code: reason.exitCode,
        signal: reason.signal,
        provider_text: reason.providerText,
        truncated: reason.truncated
      }

const sessionOf = (session: Checkpoint.ProviderSession | null): JsonObject | null =>
  session === null
    ? null
    : { id: session.id, assigned_by: session.assignedBy, seen_at: iso(session.seenAt), location: session.location }

const usageOf = ({ costUsd, inputTokens, outputTokens }: Checkpoint.Usage): JsonObject => ({
  input_tokens: inputTokens,
  output_tokens: outputTokens,
  cost_usd: costUsd
})

const setting = ({ actual, requested }: Checkpoint.Setting): JsonObject => ({ requested, actual })

export const checkpointDocument = (checkpoint: Checkpoint.Checkpoint, decision: Decision.Decision): JsonObject => {
  const { progress, spec } = checkpoint
  const phase = Checkpoint.currentPhase(progress)
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
    provider: phase.provider,
    provider_args: spec.providerArgs,
    permission: { requested: spec.permission, actual: progress.permissionActual },
    add_dirs: spec.addDirs,
    model: setting(phase.model),
    thinking: setting(phase.thinking),
    provider_session: sessionOf(phase.providerSession),
    phase: progress.phase,
    phases: progress.phases.map((each) => ({
      index: each.index,
      name: each.name,
      provider: each.provider,
      model: setting(each.model),
      thinking: setting(each.thinking),
      provider_session: sessionOf(each.providerSession),
      state: each.state,
      started_at: iso(each.startedAt),
      ended_at: iso(each.endedAt)
    })),
    workspace: { cwd: spec.workspace.cwd, real_path: spec.workspace.realPath, git_head: spec.workspace.gitHead, git_branch: spec.workspace.gitBranch },
    changes: progress.changes === null ? null : { ...progress.changes },
    position: {
      turn: progress.position.turn,
      messages: progress.position.messages,
      last_message_id: progress.position.lastMessageId,
      open_tool:
        progress.position.openTool === null
          ? null
          : { id: progress.position.openTool.id, name: progress.position.openTool.name, since: iso(progress.position.openTool.since) },
      last_activity_at: iso(progress.position.lastActivityAt)
    },
    started_at: iso(checkpoint.startedAt),
    updated_at: iso(checkpoint.updatedAt),
    ended_at: iso(checkpoint.endedAt),
    reconciled_at: iso(checkpoint.reconciledAt),
    dismissed_at: iso(checkpoint.dismissedAt),
    elapsed_ms: progress.elapsedMs,
    resumable: checkpoint.state !== "running" && checkpoint.state !== "completed" && checkpoint.resumedBy === null,
    decision: { status: decision.status, reason: decision.reason, requires: decision.requires, basis: decision.basis },
    state: checkpoint.state,
    reason: reasonDocument(checkpoint.reason),
    cancel_requested:
      checkpoint.cancelRequested === null
        ? null
        : { at: iso(checkpoint.cancelRequested.at), by: checkpoint.cancelRequested.by, code: checkpoint.cancelRequested.code },
    denied: progress.denied,
    stream: { ...progress.stream },
    provider_exit: progress.providerExit === null ? null : { ...progress.providerExit },
    attempt: checkpoint.attempt,
    root_id: checkpoint.rootId,
    resumed_from: checkpoint.resumedFrom,
    resumed_by: checkpoint.resumedBy,
    forked_from: checkpoint.forkedFrom,
    owner: { id: checkpoint.owner.id, host: checkpoint.owner.host, pid: checkpoint.owner.pid, pid_start: checkpoint.owner.pidStart },
    child: progress.child === null ? null : { pid: progress.child.pid, pid_start: progress.child.pidStart },
    usage: usageOf(progress.usage),
    loop: plainJson(spec.loop)
  }
}

export interface Decided {
  readonly checkpoint: Checkpoint.Checkpoint
  readonly decision: Decision.Decision
}

export const checkpointListDocument = (page: CheckpointStore.CheckpointPage, decided: ReadonlyArray<Decided>) => ({
  kind: "checkpoint_list",
  version: 1,
  items: decided.map(({ checkpoint, decision }) => checkpointDocument(checkpoint, decision)),
  total: page.total,
  next_cursor: page.nextCursor,
  skipped: page.skipped
})

export const eventLine = (event: Event.StoredEvent): JsonObject => ({
  version: 1,
  kind: event.kind,
  seq: event.seq,
  timestamp: iso(event.timestamp),
  checkpoint_id: event.checkpointId,
  task_id: event.taskId,
  phase: event.phase,
  message: event.message,
  payload: plainJson(event.payload)
})

export const timelineDocument = (id: string, events: ReadonlyArray<Event.StoredEvent>): JsonObject => ({
  kind: "timeline",
  version: 1,
  checkpoint_id: id,
  items: events.map(eventLine)
})

export const previewDocument = (decision: Decision.Decision): JsonObject => ({
  kind: "resume_preview",
  version: 1,
  ...(DecisionDocument.decisionPayload(decision) as JsonObject)
})

/** A decision that nothing was stored for: nothing started. */
export const decisionLine = (decision: Decision.Decision): JsonObject => ({
  version: 1,
  kind: "resume_decision",
  seq: null,
  timestamp: iso(decision.evaluatedAt),
  checkpoint_id: decision.checkpointId,
  task_id: decision.taskId,
  phase: decision.facts.phase,
  message: decision.message,
  payload: DecisionDocument.decisionPayload(decision) as JsonObject
})

export const refusalSummary = (decision: Decision.Decision, exitCode: number): JsonObject => ({
  kind: "run_summary",
  version: 1,
  checkpoint_id: decision.checkpointId,
  state: null,
  reason: null,
  exit_code: exitCode,
  usage: null,
  denied: 0,
  elapsed_ms: null
})

/** `ended`: the checkpoint is as it was stored at the end; otherwise how it ended is not known. */
export const runSummary = ({
  checkpoint,
  ended,
  exitCode
}: {
  readonly checkpoint: Checkpoint.Checkpoint
  readonly ended: boolean
  readonly exitCode: number
}): JsonObject => ({
  kind: "run_summary",
  version: 1,
  checkpoint_id: checkpoint.id,
  state: ended ? checkpoint.state : null,
  reason: ended ? reasonDocument(checkpoint.reason) : null,
  exit_code: exitCode,
  usage: usageOf(checkpoint.progress.usage),
  denied: checkpoint.progress.denied,
  elapsed_ms: checkpoint.progress.elapsedMs
})

export const cancelResultDocument = (results: ReadonlyArray<Cancelled>): JsonObject => ({
  kind: "cancel_result",
  version: 1,
  items: results.map(({ checkpoint, ended, left, outcome }) => ({
    checkpoint_id: checkpoint.id,
    outcome,
    state: checkpoint.state,
    reason: reasonDocument(checkpoint.reason),
    ended_processes: ended.map(({ command, pid }) => ({ pid, command })),
    left_processes: left.map(({ command, pid }) => ({ pid, command }))
  }))
})

export const providerListDocument = (found: ReadonlyArray<ProviderFound>): JsonObject => ({
  kind: "provider_list",
  version: 1,
  items: found.map(({ availability, provider, version }) => ({
    id: provider.id,
    title: provider.title,
    installed: availability._tag === "Installed",
    command: availability.command,
    program_version: version,
    install: provider.install,
    capabilities: plainJson(provider.capabilities)
  }))
})
