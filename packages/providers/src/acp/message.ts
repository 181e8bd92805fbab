/** One line of an agent's output as a message of the protocol. Pure; whatever the line holds, nothing throws. */
import * as Data from "effect/Data"
import { type JsonObject, object, parseObject, text } from "../json.js"

export type RequestId = string | number | null

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data: unknown
}

export type Incoming = Data.TaggedEnum<{
  /** `session/update`. */
  Update: { readonly session: string; readonly update: JsonObject }
  /** Another notification: agents have their own. */
  Notification: { readonly method: string }
  /** The agent asks us. */
  Asked: { readonly id: RequestId; readonly method: string; readonly params: JsonObject }
  Answered: { readonly id: string | number; readonly result: unknown }
  Refused: { readonly id: string | number; readonly error: RpcError }
}>
export const Incoming = Data.taggedEnum<Incoming>()

const isId = (value: unknown): value is string | number =>
  typeof value === "string" || (typeof value === "number" && Number.isFinite(value))

/** The message of a line; `null`: the line is none. */
export const incoming = (line: string): Incoming | null => {
  const json = parseObject(line)
  if (json === null) return null
  const method = text(json.method)
  if (method !== null) {
    if (json.id !== undefined) {
      return isId(json.id) || json.id === null
        ? Incoming.Asked({ id: json.id, method, params: object(json.params) })
        : null
    }
    if (method !== "session/update") return Incoming.Notification({ method })
    const params = object(json.params)
    return Incoming.Update({ session: text(params.sessionId) ?? "", update: object(params.update) })
  }
  if (!isId(json.id)) return null
  // `"error": null` beside a result is no error.
  if (json.error !== undefined && json.error !== null) {
    const error = object(json.error)
    return Incoming.Refused({
      id: json.id,
      error: {
        code: typeof error.code === "number" && Number.isInteger(error.code) ? error.code : -32603,
        message: text(error.message) ?? text(json.error) ?? "",
        data: error.data
      }
    })
  }
  return Object.hasOwn(json, "result") ? Incoming.Answered({ id: json.id, result: json.result }) : null
}
