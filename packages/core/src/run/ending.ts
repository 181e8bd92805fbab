/**
 * How a run ends: one pure function, first that applies. An exit code alone never makes `completed`: programs exit 0 on
 * errors and non-zero after a success that they reported.
 */
import type { CancelRequest, ProviderExit, Reason } from "../checkpoint/Checkpoint.js"
import { reasonOf } from "../checkpoint/reason.js"
import { type EndState, type ReasonCode, stateOfReason } from "../checkpoint/state.js"
import type { ProviderFailure } from "../provider/failure.js"
import type { StopCause } from "../provider/Provider.js"
import { bounded } from "../text/bounded.js"
import { duration } from "../text/duration.js"

export interface EndingFacts {
  /** The provider's own success event was seen. */
  readonly succeeded: boolean
  /** The stored wish to cancel. */
  readonly cancel: CancelRequest | null
  /** Why we ourselves ended the provider. */
  readonly stopped: OwnStop | null
  /** The provider's terminal error. */
  readonly failure: ProviderFailure | null
  readonly exit: ProviderExit | null
  /** The last of the provider's stderr, redacted. */
  readonly stderr: string
  /** How long the run lasted, and its limits, for the message. */
  readonly limits: { readonly timeoutMs: number | null; readonly idleMs: number | null }
  /** When the words of a usage limit say that it resets, read with the zone they need. */
  readonly resetFromText: number | null
}

/** Our own reason to end the provider, with what is worth telling. */
export interface OwnStop {
  readonly cause: Exclude<StopCause, "cancel">
  readonly detail: string | null
}

export interface Ending {
  readonly state: EndState
  readonly reason: Reason | null
}

/** The end of a run from everything that is known when its stream has ended. Texts come in redacted. */
export const endingOf = (facts: EndingFacts): Ending => {
  const { cancel, exit, failure, stopped } = facts
  // What succeeded in another conversation than the one asked for is not what was asked for.
  if (stopped?.cause === "mismatch") return stoppedByUs(facts, stopped)
  if (facts.succeeded) return { state: "completed", reason: null }
  if (cancel !== null) {
    return because(
      facts,
      cancel.code,
      cancel.code === "cancelled_by_stop" ? "stopped on request" : `cancelled by ${cancel.by}`
    )
  }
  if (stopped !== null) return stoppedByUs(facts, stopped)
  if (failure !== null) {
    return because(facts, failure.code, failure.text === "" ? sentenceOf[failure.code] : failure.text, {
      providerText: failure.text,
      resetsAt: failure.resetsAt ?? facts.resetFromText,
      resetsAtSource: failure.resetsAt !== null ? "structured" : facts.resetFromText !== null ? "text" : null
    })
  }
  if (exit?.signal != null) return because(facts, "provider_killed", `the provider was killed by ${exit.signal}`)
  if (exit?.code != null && exit.code !== 0) {
    return because(facts, "provider_error", lastLine(facts.stderr) ?? `the provider exited with code ${exit.code}`)
  }
  const said = lastLine(facts.stderr)
  return because(
    facts,
    "ended_without_result",
    said === null ? "the provider ended without a result" : `the provider ended without a result: ${said}`
  )
}

const stoppedByUs = (facts: EndingFacts, { cause, detail }: OwnStop): Ending => {
  switch (cause) {
    case "interrupt":
      return because(facts, "cancelled_by_user", "cancelled with Ctrl-C")
    case "shutdown":
      return because(facts, "shutdown", "the owning process was asked to stop")
    case "terminal_closed":
      return because(facts, "terminal_closed", "the terminal was closed")
    case "timed_out":
      return because(facts, "timed_out", `the run reached its time limit${of(facts.limits.timeoutMs)}`)
    case "stalled":
      return because(facts, "stalled", `the provider said nothing for${of(facts.limits.idleMs) || " too long"}`)
    case "mismatch":
      return because(
        facts,
        "session_mismatch",
        detail ?? "the provider opened another conversation than the one asked for"
      )
    case "fenced":
      return because(facts, "owner_lost", "another process took this run over")
  }
}

const of = (ms: number | null): string => (ms === null ? "" : ` ${duration(ms)}`)

const sentenceOf: Readonly<Record<ProviderFailure["code"], string>> = {
  usage_limit: "the provider's usage limit was reached",
  provider_overloaded: "the provider is overloaded",
  network_lost: "the connection to the provider was lost",
  interactive_ended: "the provider's own screen was closed",
  provider_error: "the provider reported an error",
  auth_required: "the provider is not signed in",
  model_unavailable: "the model is not available",
  context_exhausted: "the conversation no longer fits the model's context",
  turn_limit: "the limit of turns was reached",
  budget_exceeded: "the budget is used up",
  invalid_request: "the provider refused the request",
  session_mismatch: "the provider opened another conversation than the one asked for",
  provider_session_missing: "the provider no longer has the conversation"
}

const because = (
  facts: EndingFacts,
  code: ReasonCode,
  message: string,
  more: Partial<Pick<Reason, "providerText" | "resetsAt" | "resetsAtSource">> = {}
): Ending => {
  const stderr = bounded(facts.stderr.trim(), 4096)
  const words = more.providerText == null ? null : bounded(more.providerText, 4096)
  const reason = reasonOf(code, message, {
    detail: stderr.text === "" ? null : stderr.text,
    resetsAt: more.resetsAt ?? null,
    resetsAtSource: more.resetsAtSource ?? null,
    exitCode: facts.exit?.code ?? null,
    signal: facts.exit?.signal ?? null,
    providerText: words?.text ?? null
  })
  return {
    state: stateOfReason(code),
    reason: { ...reason, truncated: stderr.truncated || words?.truncated === true || reason.message !== message }
  }
}

/** The last line of a text that says something. */
const lastLine = (text: string): string | null =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .at(-1) ?? null
