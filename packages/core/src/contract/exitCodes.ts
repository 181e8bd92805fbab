/** The exit codes of the command line, and the one table that gives every reason its own. */
import type { Checkpoint } from "../checkpoint/Checkpoint.js"
import { type ReasonCode, type State, stateOfReason } from "../checkpoint/state.js"
import type { Decision, DecisionReason } from "../resume/Decision.js"

export interface ExitCodeRow {
  readonly code: number
  readonly name: string
  readonly meaning: string
}

export const exitCodes: ReadonlyArray<ExitCodeRow> = [
  { code: 0, name: "done", meaning: "done; the run completed; a preview that would start" },
  { code: 1, name: "failure", meaning: "failed for another reason (I/O, damaged record); doctor found problems" },
  { code: 2, name: "usage", meaning: "usage, ambiguous id, unsupported thinking level or permission" },
  { code: 3, name: "not_found", meaning: "not found" },
  {
    code: 4,
    name: "provider",
    meaning: "provider unknown to this program, not installed, or not signed in (nothing was created)"
  },
  {
    code: 5,
    name: "refused",
    meaning:
      "refused until a person consents or changes something (stale, cancelled, limit, attempts, model, workspace, damaged session)"
  },
  {
    code: 6,
    name: "conflict",
    meaning: "conflict: already running, session busy, survivor alive, owner unknown, store locked"
  },
  { code: 7, name: "run_failed", meaning: "the run ended failed" },
  { code: 8, name: "run_interrupted", meaning: "the run ended interrupted, or is still running at --timeout" },
  { code: 9, name: "run_cancelled", meaning: "the run was cancelled from elsewhere" },
  { code: 10, name: "fresh_needed", meaning: "a fresh start would be needed and was not allowed" },
  { code: 11, name: "not_resumable", meaning: "cannot be resumed: completed or superseded" },
  { code: 70, name: "bug", meaning: "a bug; prints where the log is" },
  { code: 129, name: "sighup", meaning: "ended by SIGHUP after the run's end was stored" },
  { code: 130, name: "sigint", meaning: "ended by SIGINT after the run's end was stored" },
  { code: 143, name: "sigterm", meaning: "ended by SIGTERM after the run's end was stored" }
]

/** Exit code of each decision reason when nothing starts; 0 where something does. */
export const exitCodeOfDecisionReason: Readonly<Record<DecisionReason, number>> = {
  store_newer: 1,
  record_corrupt: 1,
  checkpoint_not_found: 3,
  unsupported_provider: 4,
  checkpoint_completed: 11,
  already_running: 6,
  checkpoint_superseded: 11,
  owner_unknown: 6,
  provider_process_alive: 6,
  session_busy: 6,
  attempts_exhausted: 5,
  workspace_missing: 5,
  workspace_not_a_directory: 5,
  workspace_not_accessible: 5,
  workspace_changed: 5,
  provider_not_found: 4,
  provider_auth_required: 4,
  usage_limit_not_reset: 5,
  provider_session_damaged: 5,
  model_unavailable: 5,
  model_change_requires_confirmation: 5,
  resume_confirmation_required: 5,
  cancelled_requires_confirmation: 5,
  session_timed_out_requires_confirmation: 5,
  fresh_start_requires_confirmation: 10,
  no_session: 0,
  session_stale: 0,
  session_declined: 0,
  explicit_task_selection_overrides_session: 0,
  resume_target_missing: 0,
  resume_target_terminal: 0,
  continuation_unsupported: 0,
  provider_session_missing: 0,
  provider_session_invalid: 0,
  missing_provider_session_id: 0,
  provider_changed: 0,
  session_valid: 0,
  session_timed_out_confirmed: 0,
  cancelled_confirmed: 0,
  limit_ignored: 0,
  transcript_replayed: 0
}

export const exitCodeOfDecision = (decision: Decision): number =>
  decision.status === "refusing_to_resume" ? exitCodeOfDecisionReason[decision.reason] : 0

const exitCodeOfState: Readonly<Record<State, number>> = {
  completed: 0,
  failed: 7,
  interrupted: 8,
  cancelled: 9,
  /** Left running when `--timeout` ended the wait. */
  running: 8
}

/** Exit code of a run that ended for a reason: that of the one state the reason belongs to. */
export const exitCodeOfReason = (code: ReasonCode): number => exitCodeOfState[stateOfReason(code)]

/**
 * Exit code of a process that ran a checkpoint to its end. `signal` is the one this process itself received, if that is
 * what ended the run: then the shell's convention wins over the state's code.
 */
export const exitCodeOfRun = (
  checkpoint: Pick<Checkpoint, "state">,
  signal: "SIGINT" | "SIGTERM" | "SIGHUP" | null
): number => {
  if (checkpoint.state === "completed") return 0
  if (signal === "SIGINT") return 130
  if (signal === "SIGTERM") return 143
  if (signal === "SIGHUP") return 129
  return exitCodeOfState[checkpoint.state]
}
