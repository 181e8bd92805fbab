/**
 * What went wrong, from opencode's own answer: an `error` event with a name and, for a refusal of the model's server, its
 * status; refusals to open a session stand on stderr alone. Words of 1.18.33.
 */
import type { Failure } from "@alluka/core"
import { codeFrom, type FailureCode, failure, type Matcher, matching, networkWords } from "../failures.js"
import { type JsonObject, number, object, text } from "../json.js"

/** opencode's own refusals, on stderr. */
const refusals: ReadonlyArray<Matcher> = [
  { words: /\bSession not found\b/, code: "provider_session_missing", lostSession: "no_such_session" },
  { words: /\bfile is not a database\b|\bdatabase disk image is malformed\b/, code: "provider_error" },
  { words: /\bProviderModelNotFoundError\b|\bModel not found: /, code: "model_unavailable" },
  { words: /\bProviderInitError\b/, code: "auth_required" },
  { words: /\bConfigInvalidError\b|\bConfigJsonError\b|\bConfiguration is invalid\b/, code: "invalid_request" },
  {
    words: /\bUnknown arguments?: |\bInvalid values:|\bYou must provide a message or a command\b/,
    code: "invalid_request"
  }
]

/** Words that say more than the status beside them. */
const surer: ReadonlyArray<Matcher> = [
  { words: /\busage limit\b/i, code: "usage_limit" },
  {
    words: /\binsufficient_quota\b|\bexceeded your current quota\b|\bcredit balance\b|\bbilling\b/i,
    code: "budget_exceeded"
  },
  {
    words: /\bcontext(?:_| )length\b|\bcontext window\b|\bprompt is too long\b|\btoo many tokens\b/i,
    code: "context_exhausted"
  },
  { words: /\bmodel\b.*\b(?:not found|does not exist|not available)\b|\bmodel_not_found\b/i, code: "model_unavailable" }
]

const words: ReadonlyArray<Matcher> = [{ words: /\bCannot connect to API\b/i, code: "network_lost" }, networkWords]

const byName: Readonly<Record<string, FailureCode>> = {
  ProviderAuthError: "auth_required",
  ContextOverflowError: "context_exhausted",
  ProviderModelNotFoundError: "model_unavailable"
}

/** The class of an `error` event. `stderr`: what opencode logged; it tells what an `UnknownError` was. */
export const classify = (error: JsonObject, stderr: string): Failure.ProviderFailure => {
  const name = text(error.name) ?? ""
  const data = object(error.data)
  const said = text(data.message) ?? text(error.message) ?? name
  const logged = name === "UnknownError" ? loggedCause(stderr, text(data.ref)) : null
  if (logged !== null) {
    return failure(matching([...refusals, ...surer, ...words], logged)?.code ?? "provider_error", logged)
  }
  const status = number(data.statusCode)
  const about = `${said}\n${text(data.responseBody) ?? ""}`
  const code =
    (Object.hasOwn(byName, name) ? byName[name] : undefined) ??
    codeFrom(about, status, { surer, words: [...refusals, ...words] })
  return failure(code, said, { status })
}

/** The `error` of the logged line with this reference, as in `... ref=err_1 error="ModelError: ..." cause="..."`. */
const loggedCause = (stderr: string, ref: string | null): string | null => {
  const line = ref === null ? undefined : stderr.split("\n").find((each) => each.includes(`ref=${ref}`))
  return /\berror="((?:[^"\\]|\\.)*)"/.exec(line ?? "")?.[1] ?? null
}

/** What stderr says where opencode said nothing else; `null`: nothing that is known. The exit code tells nothing. */
export const classifyStderr = (stderr: string): Failure.ProviderFailure | null => {
  const lines = stderr.split("\n").map(plain)
  const found = matching([...refusals, ...words], lines.join("\n"))
  if (found === null) return null
  const said = lines.find((line) => found.words.test(line)) ?? lines.join("\n")
  return failure(found.code, said, { lostSession: found.lostSession ?? null })
}

/** A line without the colours that opencode gives its errors even where nobody sees them. */
const plain = (line: string): string => line.replace(/\u001b\[[0-9;]*m/g, "").trim()

/** Whether the error of a tool use says that it was refused by permission. */
export const isRefusal = (error: string): boolean =>
  /\brejected permission to use this specific tool call\b|\bspecified a rule which prevents you from using\b/.test(
    error
  )
