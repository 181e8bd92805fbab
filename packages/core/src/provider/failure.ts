/** The classes of a provider's terminal error, whatever the provider's words were. */
import type { Time } from "../checkpoint/Checkpoint.js"
import type { FailedCode, InterruptedCode } from "../checkpoint/state.js"

export interface ProviderFailure {
  readonly code:
    | Extract<InterruptedCode, "usage_limit" | "provider_overloaded" | "network_lost" | "interactive_ended">
    | Exclude<FailedCode, "ended_without_result" | "gate_failed" | "provider_not_found">
  /** The provider's own words. */
  readonly text: string
  /** When a usage limit resets, from data; words are read later by `limits/`, with the zone they need. */
  readonly resetsAt: Time | null
  readonly status: number | null
  /**
   * The provider's declared answer that the session asked for is not there (`no_such_session`) or is not a session
   * (`invalid_session`). Only these two count as a lost session; every other failure keeps the id.
   */
  readonly lostSession: "no_such_session" | "invalid_session" | null
}
