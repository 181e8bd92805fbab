/**
 * Everything that is committed, by any process, in order. The table is the truth: a reader asks for what comes after the
 * last `seq` it has seen, and SQLite commits one writer after the other, so there is neither a gap nor a repeat. Watching
 * and polling only decide when it asks.
 */
import type { CheckpointStore, Event } from "@alluka/core"
import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { decodeAll, decodeEvent, eventColumns } from "../checkpoints/row.js"
import type { Database } from "../connection/Database.js"
import type { Row } from "../connection/Sql.js"
import * as Wake from "./wake.js"

const after = `SELECT ${eventColumns} FROM event WHERE seq > ? ORDER BY seq LIMIT ?`

const rowsAfter = (
  database: Database,
  seq: number,
  limit: number
): Effect.Effect<ReadonlyArray<Row>, CheckpointStore.StoreFailure> =>
  database.read("CheckpointStore.eventsAfter", (sql) => sql.run(after, seq, limit))

export const eventsAfter =
  (database: Database): CheckpointStore.CheckpointStore["Type"]["eventsAfter"] =>
  (seq, limit) =>
    Effect.map(rowsAfter(database, seq, limit), (rows) => decodeAll(rows, decodeEvent).items)

export const latestSeq = (database: Database): CheckpointStore.CheckpointStore["Type"]["latestSeq"] =>
  Effect.map(
    database.read("CheckpointStore.latestSeq", (sql) =>
      sql.run("SELECT coalesce(max(seq), 0) AS seq FROM sqlite_sequence WHERE name = 'event'")
    ),
    ([row]) => Number(row?.seq ?? 0)
  )

/** How many events are read at once. */
const page = 500

/**
 * A hint comes a moment before the commit can be seen, a longer one on a busy machine: it is worth to look again soon, these
 * times, ms.
 */
const shortlyMs: ReadonlyArray<number> = [5, 10, 20, 40]

/** How often the feed asks whether another process has committed, ms: while there are no hints it need not hurry. */
const usualPollMs = { busy: 100, quiet: 1000 }

/** Long enough after a hint for the slowest disk to have taken in what was written, ms. */
const settledAfterMs = 3000

interface Reader {
  /** The last event read, damaged or not. */
  readonly seq: number
  /** `Database.version` just before that; a commit in between is read twice over, and found to be nothing new. */
  readonly version: number | null
}

/**
 * Ends with `false` when there may be something new: polls from plain timers, since a feed polls for hours, and a fiber that
 * sleeps and wakes costs many times what is asked of the database.
 */
const untilPolled = (database: Database, pollMs: () => number) => (version: number | null) =>
  Effect.async<false>((resume) => {
    let timer: NodeJS.Timeout
    const arm = () => {
      timer = setTimeout(poll, pollMs())
    }
    const poll = () => {
      const found = Effect.runSyncExit(database.version)
      // What went wrong, a lock for instance, is for the next look to meet, which waits and tells.
      if (Exit.isSuccess(found) && found.value === version) arm()
      else resume(Effect.succeed(false))
    }
    arm()
    return Effect.sync(() => clearTimeout(timer))
  })

/**
 * The events after `seq`, then those to come, for as long as the stream is read. `pollMs`: how often another process's
 * commits are asked for; `null`: as often as it takes where the system tells of writes, and where it does not.
 */
export const changes =
  (database: Database, pollMs: number | null) =>
  (seq: number): Stream.Stream<Event.StoredEvent, CheckpointStore.StoreFailure> =>
    Stream.unwrapScoped(
      // Listening begins before the first look: what is committed in between wakes the reader.
      Effect.map(Wake.make(database), (wake) => {
        const polled = untilPolled(
          database,
          () => pollMs ?? (wake.quiet(settledAfterMs) ? usualPollMs.quiet : usualPollMs.busy)
        )
        const wait = (version: number | null) => Effect.raceFirst(Effect.as(wake.next, true), polled(version))
        const look = (reader: Reader) =>
          Effect.gen(function* () {
            const version = yield* database.version
            if (version === reader.version) return { rows: [], version }
            return { rows: yield* rowsAfter(database, reader.seq, page), version }
          })
        const step = (
          reader: Reader,
          again: ReadonlyArray<number>
        ): Effect.Effect<readonly [ReadonlyArray<Row>, Reader], CheckpointStore.StoreFailure> =>
          Effect.flatMap(look(reader), ({ rows, version }) => {
            const last = rows.at(-1)
            if (last === undefined) {
              const settled = { seq: reader.seq, version }
              const [soon, ...later] = again
              return soon === undefined
                ? Effect.flatMap(wait(version), (woken) => step(settled, woken ? shortlyMs : []))
                : Effect.zipRight(Effect.sleep(Duration.millis(soon)), step(settled, later))
            }
            // A full page may not be the last: the version is not settled until a look finds less.
            const settled = rows.length < page ? version : null
            return Effect.succeed([rows, { seq: Number(last.seq), version: settled }] as const)
          })
        const start: Reader = { seq, version: null }
        return Stream.unfoldChunkEffect(start, (reader) =>
          Effect.map(step(reader, []), ([rows, next]) =>
            Option.some([
              Chunk.fromIterable(rows.flatMap((row) => Option.toArray(Either.getRight(decodeEvent(row))))),
              next
            ] as const)
          )
        )
      })
    )
