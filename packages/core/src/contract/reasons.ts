/**
 * What every reason means, for `help reasons` and the documentation. Total over the closed lists: a new reason does not
 * compile without its sentence.
 */
import { type ReasonCode, stateOfReason } from "../checkpoint/state.js"
import { type Consent, consentFlag, type DecisionReason } from "../resume/Decision.js"
import { exitCodeOfDecisionReason, exitCodeOfReason } from "./exitCodes.js"

/** Why a run ended. */
const runReasons: Readonly<Record<ReasonCode, string>> = {
  owner_lost: "the process that owned the run ended unexpectedly (crash, kill -9)",
  host_restarted: "the machine was restarted",
  terminal_closed: "the terminal of a foreground run was closed",
  shutdown: "the owning process was asked to stop (SIGTERM)",
  provider_killed: "the provider's process was killed by a signal that was not ours",
  usage_limit: "the provider's usage limit was reached; the reset time is kept where it is known",
  provider_overloaded: "the provider is overloaded, limits the rate, or has a fault of its own",
  network_lost: "the connection to the provider was refused or lost",
  stalled: "the provider said nothing for the idle limit (--idle-timeout)",
  timed_out: "the run reached its time limit (--timeout)",
  interactive_ended: "a conversation in the provider's own screen ended",
  provider_error: "the provider reported an error, or exited with a code that is not 0",
  ended_without_result: "the provider ended without a result; its exit code is no proof of success",
  provider_not_found: "the provider's program could not be started",
  auth_required: "the provider is not signed in, or its key was refused",
  model_unavailable: "the model does not exist any more, or not for this account",
  context_exhausted: "the conversation no longer fits the model's context",
  turn_limit: "the limit of turns was reached",
  budget_exceeded: "the budget, credit or quota is used up",
  gate_failed: "the gate command kept failing",
  invalid_request: "the provider refused the request",
  session_mismatch: "the provider opened another conversation than the one asked for, and was stopped",
  provider_session_missing: "the provider answered that it no longer has the conversation",
  cancelled_by_user: "a person cancelled it",
  cancelled_by_stop: "a stop was asked for"
}

/** What a decision's reason says, and where nothing starts what a person can do. */
const decisionReasons: Readonly<Record<DecisionReason, string>> = {
  store_newer: "the store was written by a newer program; use that one",
  record_corrupt: "the checkpoint's record is damaged; it is kept as it is",
  checkpoint_not_found: "there is no such checkpoint, or not in this scope",
  unsupported_provider: "this program has no such provider, or the run belongs to another app",
  checkpoint_completed: "completed runs are records; start a new run in the session instead",
  already_running: "an attempt of this task is live; watch it",
  checkpoint_superseded: "a later attempt went on from here; resume that one",
  owner_unknown: "whether the owner is alive cannot be proven here",
  provider_process_alive: "a process of the interrupted run is still alive",
  session_busy: "another run is going on in the same conversation",
  attempts_exhausted: "the limit of attempts is reached (resume.max_attempts)",
  workspace_missing: "the folder is gone; name the new place with --cd",
  workspace_not_a_directory: "something that is no folder stands in its place",
  workspace_not_accessible: "the folder may not be read or entered",
  workspace_changed: "the path leads to another folder now; name the right one with --cd",
  provider_not_found: "the provider's program is not installed",
  provider_auth_required: "the provider is not signed in",
  usage_limit_not_reset: "the usage limit has not reset yet",
  provider_session_damaged: "the conversation's file is damaged; the provider would go on without the damaged part",
  model_unavailable: "the recorded model is not available; name another with --model",
  model_change_requires_confirmation: "the provider would replace the conversation by a summary",
  resume_confirmation_required: "there is a saved session; say whether it goes on (--resume, --no-resume)",
  cancelled_requires_confirmation: "the run was cancelled; it goes on only if you say so",
  session_timed_out_requires_confirmation: "the session is older than resume.max_age",
  fresh_start_requires_confirmation: "the conversation cannot go on; only a fresh start is possible",
  no_session: "there is no saved session in this folder",
  session_stale: "the saved session's task is not being worked on any more",
  session_declined: "the old conversation could have gone on and was declined",
  explicit_task_selection_overrides_session: "another task than the saved session's was named",
  resume_target_missing: "the saved session's task no longer exists",
  resume_target_terminal: "the saved session's task is settled",
  continuation_unsupported: "the provider cannot continue, or cannot copy, a conversation, or not in another folder",
  provider_session_missing: "the provider no longer has the conversation",
  provider_session_invalid: "the recorded id cannot be one of the provider's",
  missing_provider_session_id: "the run stopped before the provider named its conversation",
  provider_changed: "another provider takes the task over",
  session_valid: "the conversation goes on",
  session_timed_out_confirmed: "the old conversation goes on, as confirmed",
  cancelled_confirmed: "the cancelled conversation goes on, as confirmed",
  limit_ignored: "the conversation goes on although the limit has not reset, as asked",
  transcript_replayed: "the conversation, which we hold ourselves, is sent again and goes on"
}

/** The consent that turns a refusal around, where there is one. */
const consentOf: Partial<Readonly<Record<DecisionReason, Consent>>> = {
  owner_unknown: "owner_dead",
  provider_process_alive: "survivor",
  attempts_exhausted: "attempts",
  usage_limit_not_reset: "limit",
  provider_session_damaged: "fresh",
  model_change_requires_confirmation: "model_change",
  cancelled_requires_confirmation: "cancelled",
  session_timed_out_requires_confirmation: "stale",
  fresh_start_requires_confirmation: "fresh"
}

export interface RunReasonRow {
  readonly code: ReasonCode
  readonly state: string
  readonly exitCode: number
  readonly meaning: string
}

export interface DecisionReasonRow {
  readonly reason: DecisionReason
  /** 0: something starts. */
  readonly exitCode: number
  /** The flag that answers it. */
  readonly flag: string | null
  readonly meaning: string
}

const entries = <K extends string, V>(table: Readonly<Record<K, V>>): ReadonlyArray<readonly [K, V]> =>
  Object.entries(table) as unknown as ReadonlyArray<readonly [K, V]>

/** Every reason of an end, in the order of the list. */
export const runReasonTable: ReadonlyArray<RunReasonRow> = entries(runReasons).map(([code, meaning]) => ({
  code,
  state: stateOfReason(code),
  exitCode: exitCodeOfReason(code),
  meaning
}))

/** Every reason of a decision, in the order in which they are looked at. */
export const decisionReasonTable: ReadonlyArray<DecisionReasonRow> = entries(decisionReasons).map(
  ([reason, meaning]) => {
    const consent = consentOf[reason]
    return {
      reason,
      exitCode: exitCodeOfDecisionReason[reason],
      flag: consent === undefined ? null : consentFlag[consent],
      meaning
    }
  }
)
