/**
 * The protocol's client over an agent's stdin and stdout: the SDK matches answers with requests and answers what it is
 * asked; what it gets was read and checked before (`turn.ts`), since it writes to our stderr what it does not understand.
 */
import type { AnyMessage, ClientConnection } from "@agentclientprotocol/sdk"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import { type JsonObject, number, object } from "../json.js"
import type { Incoming, RpcError } from "./message.js"
import type { Outcome } from "./permissions.js"

/** The agent answered a request with an error. */
export class AgentRefused extends Data.TaggedError("AgentRefused")<{
  readonly operation: string
  readonly error: RpcError
}> {
  override get message(): string {
    return `${this.operation}: ${this.error.message}`
  }
}

/** The agent's process has ended, or no longer listens. */
export class ConnectionLost extends Data.TaggedError("ConnectionLost")<{
  readonly operation: string
  readonly cause: unknown
}> {
  override get message(): string {
    return `${this.operation}: the connection to the agent is gone`
  }
}

export interface Connection {
  /** Asks the agent, and waits for its answer without limit. An answer that is no object counts as an empty one. */
  readonly request: (method: string, params: JsonObject) => Effect.Effect<JsonObject, AgentRefused | ConnectionLost>
  readonly notify: (method: string, params: JsonObject) => Effect.Effect<void>
  /** Hands over what the agent sent; false for an answer that nobody waits for. */
  readonly receive: (message: Extract<Incoming, { readonly _tag: "Asked" | "Answered" | "Refused" }>) => boolean
  /** Fails every request that still waits, and those to come. */
  readonly close: Effect.Effect<void>
}

export interface Options {
  /** Writes to the agent's stdin; false where it no longer listens. */
  readonly write: (text: string) => Effect.Effect<boolean>
  readonly onPermission: (params: JsonObject) => Effect.Effect<Outcome>
}

/** Connects; the scope's end closes. The SDK is loaded here, so that nobody pays for it who runs no such agent. */
export const connect = (options: Options): Effect.Effect<Connection, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { client } = yield* Effect.promise(() => import("@agentclientprotocol/sdk"))
    const runtime = yield* Effect.runtime()
    const run = Runtime.runPromise(runtime)
    const waiting = new Set<string | number>()
    const inbox: { controller: ReadableStreamDefaultController<AnyMessage> | null } = { controller: null }

    const readable = new ReadableStream<AnyMessage>({
      start: (controller) => {
        inbox.controller = controller
      }
    })
    const writable = new WritableStream<AnyMessage>({
      write: async (message) => {
        if ("method" in message && "id" in message && message.id !== null) waiting.add(message.id)
        if (!(await run(options.write(`${JSON.stringify(message)}\n`)))) throw new Error("the agent no longer listens")
      }
    })
    const connection = yield* Effect.acquireRelease(
      Effect.sync(
        (): ClientConnection =>
          client({ name: "alluka" })
            .onRequest("session/request_permission", object, async ({ params }) => ({
              outcome: await run(options.onPermission(params))
            }))
            .connect({ readable, writable })
      ),
      (open) => Effect.sync(() => open.close())
    )

    const refusalOr = (operation: string) => (cause: unknown) => {
      const error = object(cause)
      const code = number(error.code)
      return code === null || connection.signal.aborted
        ? new ConnectionLost({ operation, cause })
        : new AgentRefused({
            operation,
            error: { code, message: cause instanceof Error ? cause.message : "", data: error.data }
          })
    }

    return {
      request: (method, params) =>
        Effect.tryPromise({
          try: () => connection.agent.request(method, params),
          catch: refusalOr(method)
        }).pipe(Effect.map(object)),
      notify: (method, params) => Effect.ignore(Effect.tryPromise(() => connection.agent.notify(method, params))),
      receive: (message) => {
        if (message._tag !== "Asked" && !waiting.delete(message.id)) return false
        if (connection.signal.aborted) return true
        inbox.controller?.enqueue(rendered(message))
        return true
      },
      close: Effect.sync(() => connection.close())
    }
  })

/** The message in the form that the SDK takes, without whatever else the agent put into it. */
const rendered = (message: Extract<Incoming, { readonly _tag: "Asked" | "Answered" | "Refused" }>): AnyMessage => {
  switch (message._tag) {
    case "Asked":
      return { jsonrpc: "2.0", id: message.id, method: message.method, params: message.params }
    case "Answered":
      return { jsonrpc: "2.0", id: message.id, result: message.result }
    case "Refused":
      return { jsonrpc: "2.0", id: message.id, error: message.error }
  }
}
