/** Reads the JSON lines of a session file: streaming, one line in memory at a time, whatever the file holds. */
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { type JsonObject, parseObject } from "../json.js"
import { type LineItem, makeLineReader } from "./lines.js"

/** Rows of a conversation hold whole files and pictures, so the limit is far above that of a stream's line. */
const rowBytes = 64 * 1024 * 1024

export interface Row {
  /** Counted from 1. */
  readonly line: number
  /** `null`: the line is no JSON object. */
  readonly value: JsonObject | null
  /** The last line of the file. */
  readonly last: boolean
}

export class SessionFileUnreadable extends Data.TaggedError("SessionFileUnreadable")<{
  readonly operation: string
  readonly path: string
  readonly cause: unknown
}> {
  override get message(): string {
    return `${this.path} could not be read: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}

/**
 * Folds the rows of a file, blank lines left out. A line over the limit is passed over: its content is not judged.
 * A file that grows meanwhile is read to the length it had.
 */
export const foldRows = <S>(
  path: string,
  initial: S,
  step: (state: S, row: Row) => S
): Effect.Effect<S, SessionFileUnreadable> =>
  Effect.tryPromise({
    try: async (signal) => {
      const { size } = await stat(path)
      if (size === 0) return initial
      const reader = makeLineReader(rowBytes)
      let state = initial
      let line = 0
      let waiting: Row | null = null
      const take = (item: LineItem): void => {
        line++
        if (item._tag === "Oversize" || item.text.trim() === "") return
        if (waiting !== null) state = step(state, waiting)
        waiting = { line, value: parseObject(item.text), last: false }
      }
      for await (const chunk of createReadStream(path, { end: size - 1, signal }))
        reader.push(chunk as Buffer).forEach(take)
      reader.end().forEach(take)
      const last = waiting as Row | null
      return last === null ? state : step(state, { ...last, last: true })
    },
    catch: (cause) => new SessionFileUnreadable({ operation: "foldRows", path, cause })
  })
