/**
 * What a server's error means: OpenAI's own codes, and the words of Ollama, LM Studio, vLLM and llama.cpp, whose codes
 * differ. Pure.
 */
import type { Failure } from "@alluka/core"
import { codeOfStatus, type FailureCode, failure, type Matcher, matching } from "../failures.js"
import { moment, object, text } from "../json.js"

/** An error as it came. */
export interface ServerError {
  /** The connection was not made, or was lost. */
  readonly connection: boolean
  /** `null`: there was no answer, or the error came inside the stream. */
  readonly status: number | null
  /** The error object of the answer. */
  readonly body: unknown
  readonly message: string
  /** The header `retry-after`. */
  readonly retryAfter: string | null
  readonly baseUrl: string
  /** ms since 1970. */
  readonly now: number
}

const byCode: Readonly<Record<string, FailureCode | undefined>> = {
  insufficient_quota: "budget_exceeded",
  billing_hard_limit_reached: "budget_exceeded",
  usage_limit_reached: "usage_limit",
  context_length_exceeded: "context_exhausted",
  model_not_found: "model_unavailable",
  invalid_api_key: "auth_required",
  rate_limit_exceeded: "provider_overloaded",
  server_error: "provider_overloaded"
}

const surer: ReadonlyArray<Matcher> = [
  {
    words:
      /\b(?:maximum|available) context (?:length|size)\b|\bcontext (?:window|length)\b[^\n]*\bexceed|\bexceeds?\b[^\n]*\bcontext\b|\bprompt is too long\b/i,
    code: "context_exhausted"
  },
  {
    words: /\bexceeded your current quota\b|\bbilling\b|\binsufficient (?:credits|balance|funds)\b/i,
    code: "budget_exceeded"
  },
  { words: /\b(?:usage|daily|weekly|monthly) limit\b/i, code: "usage_limit" },
  {
    words: /\bmodel\b[^\n]*\b(?:not found|does not exist|not loaded|is not available)\b|\bno models? loaded\b/i,
    code: "model_unavailable"
  }
]

const codeNamed = (name: unknown): FailureCode | null =>
  typeof name === "string" && Object.hasOwn(byCode, name) ? (byCode[name] ?? null) : null

/** A wait longer than this is a limit, not a moment's load, ms. */
const longWaitMs = 60_000

/** How long a server asks to be left alone, from `retry-after` (seconds, or a date), ms; `null`: it does not say. */
export const waitOf = (retryAfter: string | null, now: number): number | null => {
  if (retryAfter === null || retryAfter.trim() === "") return null
  const seconds = Number(retryAfter)
  if (Number.isFinite(seconds)) return Math.max(0, Math.round(seconds * 1000))
  const at = moment(retryAfter)
  return at === null ? null : Math.max(0, at - now)
}

/** The class of a server's error. */
export const classify = (error: ServerError): Failure.ProviderFailure => {
  const { baseUrl, now, status } = error
  const body = object(error.body)
  const byName = [body.code, body.type].map(codeNamed).find((code) => code !== null) ?? null
  const said = text(body.message) ?? text(error.body) ?? error.message
  const wait = waitOf(error.retryAfter, now)
  const long = status === 429 && wait !== null && wait > longWaitMs
  const code = error.connection
    ? "network_lost"
    : (matching(surer, said)?.code ??
      (long && byName !== "budget_exceeded" ? "usage_limit" : null) ??
      byName ??
      codeOfStatus(status) ??
      (status === null ? "provider_error" : "invalid_request"))
  const resetsAt =
    code === "usage_limit" ? (moment(body.resets_at) ?? (wait === null ? null : Math.round(now + wait))) : null
  return failure(code, worded(code, said, status, baseUrl), { status, resetsAt })
}

/** The server's words, with what to look at where they say too little. */
const worded = (code: FailureCode, said: string, status: number | null, baseUrl: string): string => {
  if (code === "network_lost") return `${said} (${baseUrl}; is the server running and reachable?)`
  if (code === "invalid_request" && status === 404) return `${said} (HTTP 404 from ${baseUrl}; is the address right?)`
  return said
}

/** How a connection failed: the words of the error and of what caused it. */
export const wordsOfCause = (cause: unknown): string => {
  const words: Array<string> = []
  let next: unknown = cause
  for (let depth = 0; depth < 5 && typeof next === "object" && next !== null; depth++) {
    const { code, message } = next as { readonly code?: unknown; readonly message?: unknown }
    for (const part of [text(message), text(code)]) {
      if (part !== null && part !== "" && !words.some((known) => known.includes(part))) words.push(part)
    }
    next = (next as { readonly cause?: unknown }).cause
  }
  return words.length === 0 ? String(cause) : words.join(": ")
}
