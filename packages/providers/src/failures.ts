/** What every provider's failure table is made of. */
import type { Failure } from "@alluka/core"
import { type JsonObject, moment, object } from "./json.js"

export type FailureCode = Failure.ProviderFailure["code"]

/** One entry of a table: words of a program, and what they mean. */
export interface Matcher {
  readonly words: RegExp
  readonly code: FailureCode
  readonly lostSession?: "no_such_session" | "invalid_session"
}

/** A failure in a provider's own words. */
export const failure = (
  code: FailureCode,
  text: string,
  more: Partial<Pick<Failure.ProviderFailure, "resetsAt" | "status" | "lostSession">> = {}
): Failure.ProviderFailure => ({ code, text, resetsAt: null, status: null, lostSession: null, ...more })

/** The first entry whose words a text holds. Typographic apostrophes count as plain ones. */
export const matching = (table: ReadonlyArray<Matcher>, text: string): Matcher | null => {
  const plain = text.replaceAll("’", "'")
  return table.find((matcher) => matcher.words.test(plain)) ?? null
}

/** How programs written in Node, Rust and Go say that the connection was not made, or was lost. */
export const networkWords: Matcher = {
  words:
    /\bE(?:CONNREFUSED|CONNRESET|CONNABORTED|NOTFOUND|TIMEDOUT|HOSTUNREACH|NETUNREACH|AI_AGAIN|PIPE)\b|connection (?:refused|reset|error|closed|timed out)|network error|socket hang up|fetch failed|dns error/i,
  code: "network_lost"
}

/** What an HTTP status alone says; `null` for one that says nothing certain. */
export const codeOfStatus = (status: number | null): FailureCode | null => {
  if (status === null) return null
  if (status === 401 || status === 403) return "auth_required"
  if (status === 402) return "budget_exceeded"
  if (status === 429 || status >= 500) return "provider_overloaded"
  return null
}

/** What is certain, then the status, then what the words suggest; a refused request where nothing else is known of a 400. */
export const codeFrom = (
  said: string,
  status: number | null,
  tables: { readonly surer: ReadonlyArray<Matcher>; readonly words: ReadonlyArray<Matcher> }
): FailureCode =>
  matching(tables.surer, said)?.code ??
  codeOfStatus(status) ??
  matching(tables.words, said)?.code ??
  (status === 400 ? "invalid_request" : "provider_error")

/** When a limit resets, from the fields that are used for it in an object or in the ones inside it; ms since 1970. */
export const resetIn = (value: JsonObject): number | null => {
  const inner = [value, object(value.rate_limit_info), object(value.error)]
  const params = object(value.api_error_params)
  for (const place of [...inner, object(params.rate_limit_info)]) {
    const at = moment(place.resetsAt ?? place.resets_at)
    if (at !== null) return at
  }
  return null
}
