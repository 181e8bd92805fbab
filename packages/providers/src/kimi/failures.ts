/** What went wrong, from kimi's own words: all of them are on stderr. Words of 2.1.0. */
import type { Failure } from "@alluka/core"
import { codeFrom, failure, type Matcher, matching, networkWords } from "../failures.js"

const refusals: ReadonlyArray<Matcher> = [
  { words: /Session "[^"]*" not found/, code: "provider_session_missing", lostSession: "no_such_session" },
  { words: /was created under a different directory/, code: "invalid_request" },
  { words: /Model "[^"]*" is not configured/, code: "model_unavailable" },
  {
    words: /\bNo model (?:is )?configured\b|\bnot logged in\b|\bPlease (?:log ?in|run .*login)\b|\/login\b/i,
    code: "auth_required"
  },
  {
    words:
      /^(?:unknown option|unknown command|Cannot combine|option .*(?:invalid|argument missing))|Prompt cannot be empty/m,
    code: "invalid_request"
  }
]

/** Words that say more than the status beside them. */
const surer: ReadonlyArray<Matcher> = [
  { words: /\busage limit\b|\b(?:hit|reached) your\b.*\blimit\b/i, code: "usage_limit" },
  {
    words: /\binsufficient_quota\b|\bexceeded your current quota\b|\binsufficient balance\b|\bbilling\b/i,
    code: "budget_exceeded"
  },
  { words: /\bcontext (?:window|length)\b|\bcontext_overflow\b|\btoken limit\b/i, code: "context_exhausted" },
  { words: /\bmodel\b.*\b(?:not found|does not exist|not available)\b/i, code: "model_unavailable" }
]

const words: ReadonlyArray<Matcher> = [
  { words: /\bprovider\.auth_error\b/, code: "auth_required" },
  { words: /\bprovider\.rate_limit\w*\b|\boverloaded\b/i, code: "provider_overloaded" },
  { words: /\bprovider\.connection\w*\b|\bprovider\.timeout\w*\b|\bConnection error\b/i, code: "network_lost" },
  networkWords
]

/** What stderr says of a run that did not come to its end; `null`: nothing that is known. */
export const classifyStderr = (stderr: string): Failure.ProviderFailure | null => {
  const said = errorIn(stderr)
  if (said === null) return null
  const refusal = matching(refusals, said)
  if (refusal !== null) return failure(refusal.code, said, { lostSession: refusal.lostSession ?? null })
  const digits = /\bprovider\.\w+: (\d{3})\b/.exec(said)?.[1]
  const status = digits === undefined ? null : Number(digits)
  const code = codeFrom(said, status, { surer, words })
  return failure(code, said, { status })
}

/** kimi's message. Its stderr also holds what its tools print, so only a line of its own form counts. */
const errorIn = (stderr: string): string | null => {
  const line = stderr.split("\n").findLast((each) => /^error: /.test(each))
  return line === undefined ? null : line.replace(/^error: (?:failed to run prompt: )?/, "").trim()
}
