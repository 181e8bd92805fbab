/**
 * One request to a server with OpenAI's chat completions, and its answer as it streams in. Node's own `fetch`; a general
 * client would take keys and headers from variables of the environment that were meant for another server.
 */

import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { createParser } from "eventsource-parser"
import { type JsonObject, object, parseObject, text } from "../json.js"
import { wordsOfCause } from "./failures.js"

/** The server, or the way to it, failed. */
export class ServerFault extends Data.TaggedError("ServerFault")<{
  readonly operation: string
  /** The connection was not made, or was lost; otherwise the server said so. */
  readonly connection: boolean
  /** `null`: no answer, or an error inside of the stream. */
  readonly status: number | null
  /** The error object of the answer. */
  readonly body: unknown
  readonly message: string
  readonly retryAfter: string | null
  readonly cause: unknown
}> {}

export interface Question {
  readonly baseUrl: string
  readonly key: string | null
  readonly body: JsonObject
  /** A piece of the answer. */
  readonly onPiece: (piece: JsonObject) => void
  /** The server said that it is still there. */
  readonly onSign: () => void
}

/** Longest event of a stream, in characters. */
const mostChars = 1024 * 1024
/** How much is read of an error, and of an answer that does not come as a stream, bytes. */
const mostErrorBytes = 64 * 1024
const mostAnswerBytes = 16 * 1024 * 1024

/** Asks, and hands over the pieces as they come. Interruption ends the request. */
export const ask = (question: Question): Effect.Effect<void, ServerFault> =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(`${question.baseUrl.replace(/\/+$/, "")}/chat/completions`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "text/event-stream, application/json",
          ...(question.key === null ? {} : { authorization: `Bearer ${question.key}` })
        },
        body: JSON.stringify(question.body),
        // A redirected request would carry the conversation somewhere else.
        redirect: "manual",
        signal
      })
      if (!response.ok || response.body === null) throw await refusal(response)
      if (response.headers.get("content-type")?.includes("application/json") === true) {
        question.onPiece(checked(whole(await beginningOf(response, mostAnswerBytes))))
      } else await pieces(response.body, question)
    },
    catch: (cause) =>
      cause instanceof ServerFault
        ? cause
        : new ServerFault({
            operation: "ask",
            connection: true,
            status: null,
            body: null,
            message: wordsOfCause(cause),
            retryAfter: null,
            cause
          })
  })

const pieces = async (body: ReadableStream<Uint8Array>, question: Question): Promise<void> => {
  const parser = pieceParser(question)
  for await (const chunk of body) parser.feed(chunk)
}

/** Takes the bytes of a stream, however they are cut, and hands over the pieces in it. */
export interface PieceParser {
  /** Throws a `ServerFault` where the server tells an error, and where the stream cannot be read any further. */
  readonly feed: (chunk: Uint8Array) => void
}

export const pieceParser = ({ onPiece, onSign }: Pick<Question, "onPiece" | "onSign">): PieceParser => {
  let fault: unknown = null
  const parser = createParser({
    maxBufferSize: mostChars,
    onEvent: ({ data }) => {
      if (fault !== null || data.startsWith("[DONE]")) return
      const piece = parseObject(data)
      if (piece === null) return
      try {
        onPiece(checked(piece))
      } catch (cause) {
        fault = cause
      }
    },
    onComment: onSign,
    onError: ({ message, type }) => {
      if (type === "max-buffer-size-exceeded") fault = inStream(`the stream cannot be read: ${message}`)
    }
  })
  const decoder = new TextDecoder()
  return {
    feed: (chunk) => {
      parser.feed(decoder.decode(chunk, { stream: true }))
      if (fault !== null) throw fault
    }
  }
}

/** Servers tell an error within the stream as an object `error`, or a text. */
const checked = (piece: JsonObject): JsonObject => {
  const { error } = piece
  if (error === undefined || error === null) return piece
  throw inStream(error)
}

/** The answer of a server that does not stream. */
const whole = ({ all, said }: Beginning): JsonObject => {
  if (!all) throw inStream(`the answer is longer than ${mostAnswerBytes / 1024 / 1024} MiB`)
  const json = parseObject(said)
  if (json === null) throw inStream("the server's answer is no JSON object")
  return json
}

/** An error that is no failure of the connection. */
export const inStream = (body: unknown): ServerFault =>
  new ServerFault({
    operation: "read the stream",
    connection: false,
    status: null,
    body,
    message: text(object(body).message) ?? text(body) ?? "the server reported an error inside of the stream",
    retryAfter: null,
    cause: null
  })

const refusal = async (response: Response): Promise<ServerFault> => {
  const { said } = await beginningOf(response, mostErrorBytes)
  const json = parseObject(said)
  // OpenAI and most others: {"error": {...}}; Ollama's own: {"error": "..."}; vLLM of old and FastAPI: the object itself.
  const body = json?.error ?? json
  const location = response.headers.get("location")
  const plain = said.trim() === "" || /^\s*</.test(said) ? response.statusText : said.trim().slice(0, 500)
  return new ServerFault({
    operation: "ask",
    connection: false,
    status: response.status,
    body,
    message:
      text(object(body).message) ??
      text(body) ??
      text(json?.detail) ??
      `HTTP ${response.status} ${location === null ? plain : `redirects to ${location}`}`.trim(),
    retryAfter: response.headers.get("retry-after"),
    cause: null
  })
}

interface Beginning {
  readonly said: string
  /** Nothing came after it. */
  readonly all: boolean
}

/** An answer's text up to so many bytes: a server that sends without end must not fill our memory. */
const beginningOf = async ({ body }: Response, most: number): Promise<Beginning> => {
  if (body === null) return { said: "", all: true }
  const parts: Array<Uint8Array> = []
  let size = 0
  for await (const part of body) {
    parts.push(part)
    size += part.length
    if (size > most) break
  }
  return { said: Buffer.concat(parts).subarray(0, most).toString("utf8"), all: size <= most }
}
