/**
 * The answer to "resume this": the same shape for preview, execution, events and JSON. `decide.ts` makes it from facts;
 * nothing else does.
 */
import { Time } from "../checkpoint/Checkpoint.js"
import * as Schema from "../Schema.js"

export const DecisionStatus = Schema.Literal(
  "resuming_same_session",
  "falling_back_to_fresh_invocation",
  "refusing_to_resume"
)
export type DecisionStatus = typeof DecisionStatus.Type

/** `run_session`: a new checkpoint goes on from an old one. `continue_session`: a conversation is reused in a live run or session. */
export const DecisionScope = Schema.Literal("run_session", "continue_session")
export type DecisionScope = typeof DecisionScope.Type

/** Every reason a decision can have, in the order in which they are looked at. */
export const DecisionReason = Schema.Literal(
  // store
  "store_newer",
  "record_corrupt",
  "checkpoint_not_found",
  "unsupported_provider",
  // state
  "checkpoint_completed",
  "already_running",
  "checkpoint_superseded",
  "owner_unknown",
  "provider_process_alive",
  "session_busy",
  "attempts_exhausted",
  // world
  "workspace_missing",
  "workspace_not_a_directory",
  "workspace_not_accessible",
  "workspace_changed",
  "provider_not_found",
  "provider_auth_required",
  "usage_limit_not_reset",
  "provider_session_damaged",
  "model_unavailable",
  "model_change_requires_confirmation",
  // consents
  "resume_confirmation_required",
  "cancelled_requires_confirmation",
  "session_timed_out_requires_confirmation",
  "fresh_start_requires_confirmation",
  // fresh
  "no_session",
  "session_stale",
  "session_declined",
  "explicit_task_selection_overrides_session",
  "resume_target_missing",
  "resume_target_terminal",
  "continuation_unsupported",
  "provider_session_missing",
  "provider_session_invalid",
  "missing_provider_session_id",
  "provider_changed",
  // same
  "session_valid",
  "session_timed_out_confirmed",
  "cancelled_confirmed",
  "limit_ignored",
  "transcript_replayed"
)
export type DecisionReason = typeof DecisionReason.Type

export const Consent = Schema.Literal(
  "stale",
  "cancelled",
  "fresh",
  "model_change",
  "survivor",
  "limit",
  "attempts",
  "owner_dead"
)
export type Consent = typeof Consent.Type

/** The flag that gives each consent on the command line. */
export const consentFlag: Readonly<Record<Consent, string>> = {
  stale: "--confirm-stale",
  cancelled: "--confirm-cancelled",
  fresh: "--fresh",
  model_change: "--confirm-model",
  survivor: "--stop-survivor",
  limit: "--ignore-limit",
  attempts: "--more-attempts",
  owner_dead: "--assume-owner-dead"
}

/** What is known about the conversation being the same, strongest first. */
export const Continuity = Schema.Literal("session_file_checked", "history_replayed", "id_echoed", "unproven")
export type Continuity = typeof Continuity.Type

/** Something a person could do instead. */
export const Alternative = Schema.Struct({
  action: Schema.Literal(
    "resume",
    "resume_with_consent",
    "fresh",
    "watch",
    "open",
    "wait",
    "follow_up",
    "new_run",
    "relocate",
    "leave"
  ),
  title: Schema.String,
  consents: Schema.Array(Consent),
  /** The command that does it, without the program's name; empty where there is none. */
  argv: Schema.Array(Schema.String)
})
export type Alternative = typeof Alternative.Type

export const DecisionFacts = Schema.Struct({
  ageMs: Schema.NullOr(Schema.Number),
  maxAgeMs: Schema.NullOr(Schema.Number),
  resetsAt: Schema.NullOr(Time),
  owner: Schema.NullOr(
    Schema.Struct({
      pid: Schema.Number,
      host: Schema.String,
      since: Schema.NullOr(Time),
      liveness: Schema.Literal("alive", "dead", "unknown")
    })
  ),
  survivorPid: Schema.NullOr(Schema.Number),
  path: Schema.NullOr(Schema.String),
  phase: Schema.NullOr(Schema.Number),
  attempts: Schema.NullOr(Schema.Number),
  maxAttempts: Schema.NullOr(Schema.Number),
  provider: Schema.NullOr(Schema.String),
  providerSession: Schema.NullOr(Schema.String),
  model: Schema.NullOr(Schema.String),
  thinking: Schema.NullOr(Schema.String),
  permission: Schema.NullOr(Schema.String),
  holder: Schema.NullOr(Schema.String),
  tip: Schema.NullOr(Schema.String),
  tasksCompleted: Schema.NullOr(Schema.Number)
})
export type DecisionFacts = typeof DecisionFacts.Type

export const Decision = Schema.Struct({
  status: DecisionStatus,
  scope: DecisionScope,
  reason: DecisionReason,
  /** The reason behind a confirmation that is asked for, or given. */
  cause: Schema.NullOr(DecisionReason),
  checkpointId: Schema.NullOr(Schema.String),
  taskId: Schema.NullOr(Schema.String),
  /** One sentence; begins with `Resume: `. */
  message: Schema.String,
  detail: Schema.String,
  keeps: Schema.Array(Schema.String),
  loses: Schema.Array(Schema.String),
  warnings: Schema.Array(Schema.String),
  continuity: Continuity,
  facts: DecisionFacts,
  requires: Schema.Array(Consent),
  alternatives: Schema.Array(Alternative),
  evaluatedAt: Time,
  /** `record`: from the stored record alone (lists); `probed`: the world was looked at. */
  basis: Schema.Literal("record", "probed")
})
export type Decision = typeof Decision.Type
