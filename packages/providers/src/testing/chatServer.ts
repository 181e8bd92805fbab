/** For tests only: a server with chat completions on 127.0.0.1 that plays one reply after the other. */
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type JsonObject, object, parseObject } from "../json.js"

/** What is sent, in this order. */
export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as they are. */
  readonly parts: ReadonlyArray<string>
  /** Between the parts, ms. */
  readonly pause?: number
  /** The connection is destroyed after the parts, or kept open without an end. */
  readonly after?: "destroy" | "hang"
}

export interface Asked {
  readonly headers: IncomingHttpHeaders
  readonly path: string
  readonly body: JsonObject
}

export interface ChatServer {
  readonly baseUrl: string
  readonly asked: Array<Asked>
}

/** One event of a stream. */
export const sse = (data: object | string): string =>
  `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`

/** A piece of an answer. */
export const delta = (content: string, more: object = {}): string =>
  sse({ model: "m-actual", choices: [{ index: 0, delta: { content }, finish_reason: null }], ...more })

/** The end of an answer. */
export const finish = (reason: string): string =>
  sse({ choices: [{ index: 0, delta: {}, finish_reason: reason }] }) +
  sse({ choices: [], usage: { prompt_tokens: 11, completion_tokens: 7 } }) +
  sse("[DONE]")

/** An answer that streams in and ends well. */
export const answering = (...words: ReadonlyArray<string>): Reply => ({
  parts: [...words.map((word) => delta(word)), finish("stop")]
})

/** A refusal with an error in OpenAI's form. */
export const refusing = (status: number, error: unknown, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  parts: [JSON.stringify({ error })]
})

/** Serves until the scope closes; the last reply is given again and again. */
export const chatServer = (...replies: ReadonlyArray<Reply>): Effect.Effect<ChatServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const asked: Array<Asked> = []
    const server = createServer(async (incoming, outgoing) => {
      const chunks: Array<Buffer> = []
      for await (const chunk of incoming) chunks.push(chunk as Buffer)
      const body = object(parseObject(Buffer.concat(chunks).toString("utf8")))
      asked.push({ headers: incoming.headers, path: incoming.url ?? "", body })
      const reply = replies[Math.min(asked.length, replies.length) - 1]
      if (reply === undefined) {
        outgoing.destroy()
        return
      }
      outgoing.writeHead(reply.status ?? 200, { "content-type": "text/event-stream", ...reply.headers })
      for (const part of reply.parts) {
        outgoing.write(part)
        if (reply.pause !== undefined) await new Promise((resolve) => setTimeout(resolve, reply.pause))
      }
      if (reply.after === "destroy") outgoing.destroy()
      else if (reply.after !== "hang") outgoing.end()
    })
    yield* Effect.acquireRelease(
      Effect.async<void>((done) => {
        server.listen(0, "127.0.0.1", () => done(Effect.void))
      }),
      () =>
        Effect.async<void>((done) => {
          server.closeAllConnections()
          server.close(() => done(Effect.void))
        })
    )
    const { port } = server.address() as AddressInfo
    return { baseUrl: `http://127.0.0.1:${port}/v1`, asked }
  })
