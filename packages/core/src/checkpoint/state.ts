/**
 * States, reasons and origins of a run: the closed lists. Everything that shows, stores or decides on one of these words
 * takes it from here.
 */
import * as Schema from "../Schema.js"

/** `running` becomes one of the other four, once; those four are final. */
export const states = ["running", "completed", "interrupted", "failed", "cancelled"] as const
export const State = Schema.Literal(...states)
export type State = typeof State.Type

/** The four states in which a run has ended. */
export const EndState = Schema.Literal("completed", "interrupted", "failed", "cancelled")
export type EndState = typeof EndState.Type

/** Cut off by something outside the task: it can simply go on. */
export const InterruptedCode = Schema.Literal(
  "owner_lost",
  "host_restarted",
  "terminal_closed",
  "shutdown",
  "provider_killed",
  "usage_limit",
  "provider_overloaded",
  "network_lost",
  "stalled",
  "timed_out",
  "interactive_ended"
)
export type InterruptedCode = typeof InterruptedCode.Type

/** Something must change first, or the agent gave up. */
export const FailedCode = Schema.Literal(
  "provider_error",
  "ended_without_result",
  "provider_not_found",
  "auth_required",
  "model_unavailable",
  "context_exhausted",
  "turn_limit",
  "budget_exceeded",
  "gate_failed",
  "invalid_request",
  "session_mismatch",
  "provider_session_missing"
)
export type FailedCode = typeof FailedCode.Type

/** Somebody asked for it. */
export const CancelledCode = Schema.Literal("cancelled_by_user", "cancelled_by_stop")
export type CancelledCode = typeof CancelledCode.Type

export const ReasonCode = Schema.Literal(...InterruptedCode.literals, ...FailedCode.literals, ...CancelledCode.literals)
export type ReasonCode = typeof ReasonCode.Type

/** The state a reason belongs to: every reason belongs to exactly one. */
export const stateOfReason = (code: ReasonCode): Exclude<EndState, "completed"> =>
  Schema.is(InterruptedCode)(code) ? "interrupted" : Schema.is(FailedCode)(code) ? "failed" : "cancelled"

export const Origin = Schema.Literal("manual", "automation", "task", "resume", "interactive", "api")
export type Origin = typeof Origin.Type

/** What an agent may do to the files and the machine, in Alluka's words; each provider maps them to its own. */
export const Permission = Schema.Literal("read", "edit", "full")
export type Permission = typeof Permission.Type
