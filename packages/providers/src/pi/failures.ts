/**
 * What went wrong, from pi's own words: the `errorMessage` of the last answer begins with the status of the model's server,
 * and 1.6.0 adds its JSON; refusals to begin stand on stderr alone. Words of 0.73.1 and 1.6.0.
 */
import type { Failure } from "@alluka/core"
import { codeFrom, failure, type Matcher, matching, networkWords } from "../failures.js"
import { object, parseObject, text } from "../json.js"

/** pi's own refusals, on stderr. Some of them end with 0. */
const refusals: ReadonlyArray<Matcher> = [
  { words: /No session found matching '/, code: "provider_session_missing", lostSession: "no_such_session" },
  {
    words: /Session file is not a valid pi session/,
    code: "provider_session_missing",
    lostSession: "invalid_session"
  },
  { words: /Session found in different project: /, code: "invalid_request" },
  { words: /Stored session working directory does not exist/, code: "invalid_request" },
  { words: /No API key found for |No models available/, code: "auth_required" },
  { words: /Model "[^"]*" not found\b/, code: "model_unavailable" },
  { words: /^Error: (?:Unknown option|File not found)|Session already exists with id/m, code: "invalid_request" }
]

/** Words that say more than the status beside them. */
const surer: ReadonlyArray<Matcher> = [
  { words: /\busage limit\b|\b(?:hit|reached) your\b.*\blimit\b/i, code: "usage_limit" },
  {
    words: /\binsufficient_quota\b|\bexceeded your current quota\b|\bcredit balance\b|\bbilling\b/i,
    code: "budget_exceeded"
  },
  { words: /\bcontext (?:window|length)\b|\bprompt is too long\b|\btoo many tokens\b/i, code: "context_exhausted" },
  { words: /\bmodel\b.*\b(?:not found|does not exist|not available)\b|\bmodel_not_found\b/i, code: "model_unavailable" }
]

const words: ReadonlyArray<Matcher> = [
  { words: /\boverloaded\b|\brate limit\b/i, code: "provider_overloaded" },
  { words: /\bterminated\b|\bstream ended\b|\bpremature close\b|\bConnection error\b/i, code: "network_lost" },
  networkWords
]

/** The class of an answer that ended in an error. */
export const classify = (said: string): Failure.ProviderFailure => {
  const [, digits, rest] = /^(\d{3})(?::\s*|\s+)(.*)$/s.exec(said) ?? []
  const status = digits === undefined ? null : Number(digits)
  const code = codeFrom(said, status, { surer, words })
  const json = object(parseObject(rest ?? ""))
  const inner = text(json.message) ?? text(object(json.error).message)
  return failure(code, inner === null ? said : `${digits} ${inner}`, { status })
}

/** The class of an answer that ended otherwise than by itself. */
export const classifyStop = (reason: string): Failure.ProviderFailure =>
  reason === "length"
    ? failure("provider_error", "the model's answer was cut at its limit of tokens")
    : reason === "aborted"
      ? failure("provider_error", "the answer was aborted from outside")
      : failure("provider_error", `the answer ended with "${reason}"`)

/** What stderr says where pi said nothing else; `null`: nothing that is known. The exit code tells nothing. */
export const classifyStderr = (stderr: string): Failure.ProviderFailure | null => {
  const found = matching([...refusals, networkWords], stderr)
  if (found === null) return null
  const line = stderr.split("\n").find((each) => found.words.test(each)) ?? stderr
  return failure(found.code, line.trim(), { lostSession: found.lostSession ?? null })
}
