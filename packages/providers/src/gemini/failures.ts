/**
 * What went wrong, from gemini's own words: the `result` of a failed run carries a text, in it the answer of the API as
 * JSON; the exit code of a refusal of the API is its HTTP status mod 256 (145 for 401). Words of 0.61.0.
 */
import type { Failure } from "@alluka/core"
import { codeFrom, failure, type Matcher, matching, networkWords } from "../failures.js"
import { number, object, parseObject, text } from "../json.js"

/** gemini's own refusals, on stderr; nothing is on stdout then. */
const refusals: ReadonlyArray<Matcher> = [
  { words: /Invalid session identifier "/, code: "provider_session_missing", lostSession: "no_such_session" },
  {
    words: /No previous sessions found for this project/,
    code: "provider_session_missing",
    lostSession: "no_such_session"
  },
  { words: /Session ID "[^"]*" already exists/, code: "invalid_request" },
  { words: /not running in a trusted directory/, code: "invalid_request" },
  { words: /^Unknown arguments?: |^Invalid values:|Not enough arguments following/m, code: "invalid_request" },
  {
    words:
      /you must specify the GEMINI_API_KEY|Invalid auth method selected|Please set an Auth method|\bFatalAuthenticationError\b/i,
    code: "auth_required"
  }
]

/** Words that say more than the status beside them. */
const surer: ReadonlyArray<Matcher> = [
  {
    words: /exhausted your (?:daily quota|capacity)|\bquota will reset\b|\bTerminalQuotaError\b|\busage limit\b/i,
    code: "usage_limit"
  },
  { words: /\bbilling\b|\bprepayment credits\b/i, code: "budget_exceeded" },
  { words: /\binput token count\b.*\bexceeds\b|\bcontext window\b|\btoken limit\b/i, code: "context_exhausted" },
  {
    words: /\bModelNotFoundError\b|\bmodels?\/\S+ is not found\b|\bmodel\b.*\bnot found\b/i,
    code: "model_unavailable"
  }
]

const words: ReadonlyArray<Matcher> = [
  { words: /\bAPI key not valid\b|\bAPI_KEY_INVALID\b|\bUNAUTHENTICATED\b/, code: "auth_required" },
  { words: /\bRESOURCE_EXHAUSTED\b|\boverloaded\b|\bUNAVAILABLE\b|\bINTERNAL\b/, code: "provider_overloaded" },
  { words: /\[API Error: terminated\]|\bother side closed\b/, code: "network_lost" },
  { words: /\bmax session turns\b/i, code: "turn_limit" },
  networkWords
]

/** The statuses that gemini turns into exit codes. */
const statuses: ReadonlyArray<number> = [400, 401, 402, 403, 404, 429, 500, 502, 503, 504, 529]

/**
 * The class of a failed result. `said`: its text; `exitCode`, `stderr`: how the program ended and what it said beside.
 * A daily quota ends with the code of 429 too, so words come before the status.
 */
export const classify = (said: string, exitCode: number | null, stderr: string): Failure.ProviderFailure => {
  const answer = apiError(said)
  const status = answer?.status ?? statuses.find((each) => exitCode !== null && each % 256 === exitCode) ?? null
  const about = `${said}\n${named(stderr)}`
  const code = codeFrom(about, status, { surer, words })
  return failure(code, answer?.message ?? said, { status })
}

/** The API's own answer inside of `[API Error: {...}]`. */
const apiError = (said: string): { readonly message: string | null; readonly status: number | null } | null => {
  const json = /\[API Error: (\{.*\})\]/s.exec(said)?.[1]
  const error = json === undefined ? null : object(parseObject(json)?.error)
  if (error === null) return null
  const words = [text(error.message)?.trim(), text(error.status)].filter((each) => each != null && each !== "")
  return {
    message: words.length === 0 ? null : words.join(" (").concat(words.length > 1 ? ")" : ""),
    status: number(error.code)
  }
}

/** The name of the error that stderr reports, such as `ModelNotFoundError`: what stands around it is only noise. */
const named = (stderr: string): string => /\b(?:ModelNotFoundError|TerminalQuotaError)\b/.exec(stderr)?.[0] ?? ""

/** What stderr says where gemini ended without a result; `null`: nothing that is known. */
export const classifyStderr = (stderr: string): Failure.ProviderFailure | null => {
  const found = matching([...refusals, networkWords], stderr)
  if (found === null) return null
  const line = stderr.split("\n").find((each) => found.words.test(each)) ?? stderr
  return failure(found.code, line.trim(), { lostSession: found.lostSession ?? null })
}
