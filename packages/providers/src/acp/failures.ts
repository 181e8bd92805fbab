/**
 * What an agent's refusal means. The protocol has codes for "not signed in" (-32000) and "not found" (-32002), and agents
 * use -32603 for everything; so structured data decides first, then the code, then words. Observed on claude-agent-acp
 * 0.101.0, codex-acp 2.6.0, qwen 0.24.4, copilot 1.0.102, kimi 2.1.0, opencode 1.18.33 and pi-acp 0.0.34.
 */
import type { Failure } from "@alluka/core"
import { codeOfStatus, type FailureCode, failure, type Matcher, matching, networkWords, resetIn } from "../failures.js"
import { number, object, text } from "../json.js"
import type { RpcError } from "./message.js"

const authRequired = -32000
const notFound = -32002
const methodNotFound = -32601

/** Refusals to open a conversation. */
const lost: ReadonlyArray<Matcher> = [
  {
    words: /\bno rollout found for thread id\b|\bUnknown sessionId\b|\bsession\b[^\n]{0,80}\bnot found\b/i,
    code: "provider_session_missing",
    lostSession: "no_such_session"
  },
  {
    words: /--resume requires a valid session ID|\binvalid session ?id\b/i,
    code: "provider_session_missing",
    lostSession: "invalid_session"
  }
]

/** `data.errorKind` of claude-agent-acp and `data.codexErrorInfo` of codex-acp. */
const byKind: Readonly<Record<string, FailureCode>> = {
  authentication_failed: "auth_required",
  unauthorized: "auth_required",
  model_not_found: "model_unavailable",
  billing_error: "budget_exceeded",
  overloaded: "provider_overloaded",
  server_error: "provider_overloaded",
  serverOverloaded: "provider_overloaded",
  internalServerError: "provider_overloaded",
  contextWindowExceeded: "context_exhausted",
  usageLimitExceeded: "usage_limit",
  httpConnectionFailed: "network_lost",
  responseStreamConnectionFailed: "network_lost",
  responseStreamDisconnected: "network_lost",
  max_turns: "turn_limit"
}

/** Words that say more than a status or a kind beside them. */
const surer: ReadonlyArray<Matcher> = [
  {
    words: /\b(?:hit|reached) your\b[^\n]*\blimit\b|\b(?:usage|session|weekly|5-hour) limit (?:has been )?reached\b/i,
    code: "usage_limit"
  },
  {
    words:
      /\bQuota exceeded\b|\binsufficient_quota\b|\bexceeded your current quota\b|\bbilling\b|\bcredit balance is too low\b/i,
    code: "budget_exceeded"
  },
  {
    words:
      /\bprompt is too long\b|\bran out of room in the model's context\b|\bcontext (?:window|length)\b|\bcontext_length_exceeded\b/i,
    code: "context_exhausted"
  }
]

const words: ReadonlyArray<Matcher> = [
  {
    words: /\bmodel\b[^\n]*\b(?:not found|does not exist)\b|\bissue with the selected model\b/i,
    code: "model_unavailable"
  },
  {
    words:
      /\bAuthentication (?:failed|required)\b|\bIncorrect API key\b|\bInvalid API key\b|\bnot (?:logged|signed) in\b|\blog ?in required\b/i,
    code: "auth_required"
  },
  {
    words: /\boverloaded\b|\bhigh demand\b|\bat capacity\b|\brate.?limit\b|\btoo many requests\b/i,
    code: "provider_overloaded"
  },
  {
    words: /\bstream disconnected\b|\bmodel HTTP request\b|\berror (?:sending request|decoding response)\b/i,
    code: "network_lost"
  },
  networkWords
]

/** A status as agents quote it: `401 Incorrect API key`, `(HTTP 404)`, `last status: 429`, `Last error: 500`, `(429)`. */
const quotedStatus = (said: string): number | null => {
  const digits = /(?:^|\bHTTP |\bstatus:? |\berror:? |\()([45]\d\d)\b/i.exec(said)?.[1]
  return digits === undefined ? null : Number(digits)
}

/** The class of an agent's own words about an error, where it gave nothing else. */
export const classifyWords = (said: string): Failure.ProviderFailure => {
  const status = quotedStatus(said)
  const code =
    matching(surer, said)?.code ?? modelOrStatus(status, said) ?? matching(words, said)?.code ?? "provider_error"
  return failure(code, said.trim(), { status })
}

/** A 404 of a model server is about the model. */
const modelOrStatus = (status: number | null, said: string): FailureCode | null =>
  status === 404 ? "model_unavailable" : status === 400 && /\bmodel\b/i.test(said) ? null : codeOfStatus(status)

/** The words of an error: what stands in its data, where its message is only the name of its code. */
export const wordsOf = ({ data, message }: RpcError): string => {
  const said = message.replace(/^(?:Internal error|Invalid params): /, "")
  const fields = object(data)
  const detail = text(fields.details) ?? text(fields.message) ?? text(data) ?? text(object(fields.error).message)
  if (detail === null || said.includes(detail)) return said
  return /^(?:Internal error|Invalid params|Invalid request|Resource not found)?$/i.test(said.trim())
    ? detail
    : `${said}: ${detail}`
}

export interface Circumstances {
  /** A conversation was to be opened, not started or worked in. */
  readonly opening: boolean
  /** The agent's own, complete list of its conversations does not have the one that was asked for. */
  readonly unlisted: boolean
  /** How to sign in, in the agent's words. */
  readonly signIn: ReadonlyArray<string>
}

/** The class of an error that an agent answered with. */
export const classifyRefusal = (error: RpcError, circumstances: Circumstances): Failure.ProviderFailure => {
  const said = wordsOf(error)
  const data = object(error.data)
  if (error.code === authRequired) {
    const how = circumstances.signIn.join(" / ")
    return failure("auth_required", how === "" ? said : `${said} (${how})`)
  }
  if (circumstances.opening) {
    const found = matching(lost, said)
    if (found !== null) return failure(found.code, said, { lostSession: found.lostSession ?? null })
    if (error.code === notFound || (circumstances.unlisted && error.code !== methodNotFound && isVague(said))) {
      return failure("provider_session_missing", said, { lostSession: "no_such_session" })
    }
  }
  const kind = text(data.errorKind) ?? text(data.codexErrorInfo) ?? Object.keys(object(data.codexErrorInfo))[0] ?? ""
  const bySurer = matching(surer, said)?.code
  const code =
    bySurer ??
    (Object.hasOwn(byKind, kind) ? byKind[kind] : undefined) ??
    (kind === "rate_limit" ? "provider_overloaded" : undefined) ??
    classifyWords(said).code
  return failure(code, said, {
    status: number(data.status) ?? quotedStatus(said),
    resetsAt: code === "usage_limit" ? resetIn(data) : null
  })
}

/** Words that name no cause of their own. */
const isVague = (said: string): boolean => classifyWords(said).code === "provider_error"
