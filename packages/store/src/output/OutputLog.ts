/** The output files of runs: what a provider wrote, redacted, 8 MiB a run at most. */
import * as Fs from "node:fs"
import { type Ids, OutputLog } from "@alluka/core"
import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { encodeLine } from "./line.js"
import { type Piece, type Position, readLast, readOn } from "./reader.js"
import { moreFolder, segmentPath } from "./segments.js"
import { open, type Writer } from "./writer.js"

/** How many files are kept open for appending; the one unused for longest is closed. */
const openLimit = 32
/** How often a followed file is looked at, ms. */
const lookEveryMs = 100

const nothing = (position: Position): Piece => ({ lines: [], position })

/** Reading what cannot be read gives nothing: the output is a convenience, the record is the store. */
const carefully = (position: Position, run: () => Piece): Effect.Effect<Piece> =>
  Effect.orElseSucceed(Effect.try(run), () => nothing(position))

const start: Position = { segment: 0, offset: 0 }

/** The output files in a folder, which need not exist yet. */
export const make = (folder: string): Effect.Effect<OutputLog.OutputLog["Type"], never, Scope.Scope> =>
  Effect.gen(function* () {
    /** In the order of their last use. */
    const writers = new Map<Ids.CheckpointId, Writer>()
    const lost = new Map<Ids.CheckpointId, number>()

    const close = (id: Ids.CheckpointId): void => {
      const writer = writers.get(id)
      writers.delete(id)
      writer?.close()
    }

    const writerOf = (id: Ids.CheckpointId): Writer => {
      const writer = writers.get(id) ?? open(folder, id)
      writers.delete(id)
      writers.set(id, writer)
      const [oldest] = writers.keys()
      if (writers.size > openLimit && oldest !== undefined) close(oldest)
      return writer
    }

    /** Says once for each run that its output is not complete. */
    const lose = (id: Ids.CheckpointId, count: number, cause: unknown): Effect.Effect<void> =>
      Effect.suspend(() => {
        const before = lost.get(id)
        lost.set(id, (before ?? 0) + count)
        if (before !== undefined) return Effect.void
        const why = cause instanceof Error ? cause.message : String(cause)
        return Effect.logWarning(`the output of ${id} is not kept completely: ${why}. The run goes on`)
      })

    yield* Effect.addFinalizer(() => Effect.sync(() => [...writers.keys()].forEach(close)))

    return OutputLog.OutputLog.of({
      append: (id, lines) =>
        lines.length === 0
          ? Effect.void
          : Effect.catchAll(
              Effect.try({ try: () => writerOf(id).append(lines.map(encodeLine)), catch: (cause) => cause }),
              (cause) => lose(id, lines.length, cause)
            ),
      read: (id, tail) =>
        Stream.unwrap(
          Effect.map(
            carefully(start, () => readLast(folder, id, tail)),
            ({ lines }) => Stream.fromIterable(lines)
          )
        ),
      follow: (id, tail = 0) => {
        const pieces = (position: Position): Effect.Effect<Piece> =>
          Effect.flatMap(
            carefully(position, () => readOn(folder, id, position)),
            (piece) =>
              piece.lines.length > 0
                ? Effect.succeed(piece)
                : Effect.zipRight(Effect.sleep(Duration.millis(lookEveryMs)), pieces(piece.position))
          )
        return Stream.unwrap(
          Effect.map(
            carefully(start, () => readLast(folder, id, tail)),
            (first) =>
              Stream.concat(
                Stream.fromIterable(first.lines),
                Stream.unfoldChunkEffect(first.position, (position) =>
                  Effect.map(pieces(position), (piece) =>
                    Option.some([Chunk.fromIterable(piece.lines), piece.position] as const)
                  )
                )
              )
          )
        )
      },
      remove: (id) =>
        Effect.ignore(
          Effect.try(() => {
            close(id)
            lost.delete(id)
            Fs.rmSync(segmentPath(folder, id, 0), { force: true })
            Fs.rmSync(moreFolder(folder, id), { recursive: true, force: true })
          })
        )
    })
  })
