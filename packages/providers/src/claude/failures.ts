/**
 * What went wrong, from claude's own answer. Structured fields decide before words do; the words are those of 2.1.332,
 * some older ones beside them. `subtype` alone says nothing: an API failure is `success` with `is_error`.
 */
import type { Failure } from "@alluka/core"
import { codeOfStatus, type FailureCode, failure, type Matcher, matching, networkWords } from "../failures.js"
import { moment } from "../json.js"

/** The fields of a `result`, and of the synthetic `assistant` row before it, that tell what went wrong. */
export interface ClaudeError {
  readonly subtype: string | null
  readonly terminalReason: string | null
  /** `api_error_status`: the HTTP status. */
  readonly status: number | null
  /** `api_error`: `usage_limit_reached`, `connection_failed`. */
  readonly apiError: string | null
  /** `error` of the synthetic row: `authentication_failed`, `rate_limit`, ... */
  readonly error: string | null
  /** `errors` of the result: what claude itself says, never the model. */
  readonly errors: ReadonlyArray<string>
  /** `result` or the synthetic row's text. */
  readonly text: string
  /** When a rejecting `rate_limit_event` said that the limit resets. */
  readonly resetsAt: number | null
  /** A `rate_limit_event` rejected the request. */
  readonly rejected: boolean
}

/** claude's own refusals, in `errors` and on stderr. */
const refusals: ReadonlyArray<Matcher> = [
  {
    words: /^(?:Error: )?No conversation found with session ID\b/m,
    code: "provider_session_missing",
    lostSession: "no_such_session"
  },
  {
    words: /--resume requires a valid session ID|\bInvalid session ID\b/,
    code: "provider_session_missing",
    lostSession: "invalid_session"
  },
  { words: /Session ID \S+ is already in use/, code: "invalid_request" },
  { words: /cannot be used with root\/sudo privileges/, code: "invalid_request" },
  { words: /^error: (?:unknown option|option .* is invalid)|No deferred tool marker found/m, code: "invalid_request" },
  { words: /\bNot logged in\b|\bInvalid API key\b|\bPlease run \/login\b/, code: "auth_required" }
]

const limitWords =
  /\b(?:hit|reached) your\b.*\blimit\b|\b(?:usage|session|weekly|5-hour) limit (?:has been )?reached\b|\bout of (?:extra )?usage\b/i

const words: ReadonlyArray<Matcher> = [
  { words: limitWords, code: "usage_limit" },
  { words: /\bcredit balance is too low\b|\bbilling\b/i, code: "budget_exceeded" },
  {
    words: /\bissue with the selected model\b|\bmodel\b.*\b(?:not found|does not exist)\b/i,
    code: "model_unavailable"
  },
  { words: /\bprompt is too long\b|\bcontext (?:window|limit|length)\b/i, code: "context_exhausted" },
  { words: /\bNot logged in\b|\bInvalid API key\b|\bFailed to authenticate\b|\bOAuth token\b/i, code: "auth_required" },
  { words: /\bOverloaded\b|\bInternal server error\b|\bAPI Error: 5\d\d\b/i, code: "provider_overloaded" },
  { words: /\bRequest rejected \(429\)|\brate limit\b/i, code: "provider_overloaded" },
  networkWords
]

const byTerminalReason: Readonly<Record<string, FailureCode>> = {
  max_turns: "turn_limit",
  budget_exhausted: "budget_exceeded",
  prompt_too_long: "context_exhausted"
}

const bySubtype: Readonly<Record<string, FailureCode>> = {
  error_max_turns: "turn_limit",
  error_max_budget_usd: "budget_exceeded"
}

const byError: Readonly<Record<string, FailureCode>> = {
  authentication_failed: "auth_required",
  model_not_found: "model_unavailable",
  billing_error: "budget_exceeded",
  overloaded: "provider_overloaded"
}

const byApiError: Readonly<Record<string, FailureCode>> = {
  usage_limit_reached: "usage_limit",
  connection_failed: "network_lost"
}

const known = (table: Readonly<Record<string, FailureCode>>, key: string | null): FailureCode | null =>
  key !== null && Object.hasOwn(table, key) ? (table[key] ?? null) : null

/** Whether a terminal reason says that somebody stopped the run: with it, exit 0 and even `success` mean nothing. */
export const isAborted = (terminalReason: string | null): boolean => terminalReason?.startsWith("aborted") === true

/** The class of a failed `result`. */
export const classify = (error: ClaudeError): Failure.ProviderFailure => {
  const own = error.errors.join("\n")
  const text = [error.text, own].find((candidate) => candidate.trim() !== "") ?? ""
  const about = { status: error.status }

  const refusal = matching(refusals, own)
  if (refusal !== null) return failure(refusal.code, own, { ...about, lostSession: refusal.lostSession ?? null })
  if (isAborted(error.terminalReason)) {
    return failure("provider_error", `the run was interrupted from outside (${error.terminalReason})`, about)
  }

  const limited = matching([{ words: limitWords, code: "usage_limit" }], text) !== null
  const code =
    known(byApiError, error.apiError) ??
    known(byTerminalReason, error.terminalReason) ??
    known(bySubtype, error.subtype) ??
    known(byError, error.error) ??
    (error.status === 429 && (limited || error.rejected) ? "usage_limit" : null) ??
    codeOfStatus(error.status) ??
    matching(words, text)?.code ??
    (error.status === 400 || error.error === "invalid_request" ? "invalid_request" : null) ??
    (error.error === "server_error" ? "provider_overloaded" : "provider_error")
  return failure(code, text, {
    ...about,
    resetsAt: code === "usage_limit" ? (error.resetsAt ?? resetInWords(text)) : null
  })
}

/** Older versions end the words of a limit with the moment itself: `Claude AI usage limit reached|1783710000`. */
const resetInWords = (text: string): number | null => {
  const seconds = /limit reached\|(\d{9,11})\b/.exec(text)?.[1]
  return seconds === undefined ? null : moment(Number(seconds))
}

/** What stderr says where claude ended without a `result`; `null`: nothing that is known. */
export const classifyStderr = (stderr: string): Failure.ProviderFailure | null => {
  const found = matching([...refusals, networkWords], stderr)
  return found === null ? null : failure(found.code, stderr.trim(), { lostSession: found.lostSession ?? null })
}
