/**
 * What went wrong, from codex's own words: 0.171.0 gives neither code nor status, only a text (in `turn.failed`, and for
 * a refused resume on stderr).
 */
import type { Failure } from "@alluka/core"
import { codeOfStatus, failure, type Matcher, matching, networkWords } from "../failures.js"
import { number } from "../json.js"

/** codex's refusals to open a conversation. */
const refusals: ReadonlyArray<Matcher> = [
  { words: /no rollout found for thread id/, code: "provider_session_missing", lostSession: "no_such_session" },
  { words: /\bSession not found: /, code: "provider_session_missing", lostSession: "no_such_session" },
  { words: /already has an active writer/, code: "provider_error" },
  { words: /session \S+ is archived/, code: "provider_error" },
  { words: /failed to read (?:thread|session metadata)/, code: "provider_error" },
  { words: /Cannot change this thread's model provider/, code: "invalid_request" },
  { words: /Not inside a trusted directory/, code: "invalid_request" },
  { words: /^error: (?:unexpected argument|invalid value|the following required)/m, code: "invalid_request" },
  { words: /No prompt provided via stdin/, code: "invalid_request" },
  { words: /^Error loading config|failed to load configuration/m, code: "invalid_request" }
]

/** Words that say more than the status beside them. */
const surer: ReadonlyArray<Matcher> = [
  { words: /\b(?:hit|reached) your usage limit\b|\busage limit reached\b/i, code: "usage_limit" },
  { words: /\bQuota exceeded\b|\binsufficient_quota\b|\bbilling details\b/i, code: "budget_exceeded" },
  { words: /\bran out of room in the model's context window\b|\bcontext_length_exceeded\b/i, code: "context_exhausted" }
]

const words: ReadonlyArray<Matcher> = [
  { words: /^Missing environment variable: |\bNot logged in\b|\bplease (?:log|sign) in\b/i, code: "auth_required" },
  {
    words:
      /\bmodel\b.*\bdoes not exist\b|\bmodel is not supported\b|\bmodel_not_found\b|\bmodel\b.*\bis not available\b/i,
    code: "model_unavailable"
  },
  {
    words: /\bat capacity\b|\bexperiencing high demand\b|\brate limit exceeded\b|\boverloaded\b/i,
    code: "provider_overloaded"
  },
  {
    words: /\bstream disconnected before completion\b|\berror sending request\b|\bConnection failed\b/i,
    code: "network_lost"
  },
  networkWords
]

/** The status that codex quotes, as in `unexpected status 401 Unauthorized` or `last status: 429 Too Many Requests`. */
const quotedStatus = (text: string): number | null => {
  const digits = /\b(?:unexpected|last) status:? (\d{3})\b/.exec(text)?.[1]
  return digits === undefined ? null : number(Number(digits))
}

/** The class of the text of a failed turn. `resetsAt`: what the event itself said, ms since 1970. */
export const classify = (text: string, resetsAt: number | null = null): Failure.ProviderFailure => {
  const status = quotedStatus(text)
  const code =
    matching(surer, text)?.code ??
    codeOfStatus(status) ??
    matching([...refusals, ...words], text)?.code ??
    "provider_error"
  return failure(code, text, { status, resetsAt: code === "usage_limit" ? resetsAt : null })
}

/** What stderr says where codex ended without a finished turn; `null`: nothing that is known. */
export const classifyStderr = (stderr: string): Failure.ProviderFailure | null => {
  const found = matching([...refusals, ...surer, ...words], stderr)
  return found === null ? null : failure(found.code, errorIn(stderr), { lostSession: found.lostSession ?? null })
}

/** codex's message without its warnings and the backtrace after it. */
const errorIn = (stderr: string): string => {
  const lines = stderr.split("\n").map((line) => line.trim())
  return lines.find((line) => /^error:/i.test(line)) ?? lines.filter((line) => line !== "").at(-1) ?? ""
}
