/**
 * One write transaction on one connection. The client's own `withTransaction` begins with a plain `BEGIN`, which fails at
 * once when another process wrote in between, and turns a failed COMMIT into a defect that leaves the transaction open.
 */
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Sql } from "./Sql.js"

export type Durability = "full" | "normal"

/** A connection that writes, with what it is set to. */
export interface Writer {
  readonly sql: Sql
  /** What `PRAGMA synchronous` was last set to; `null` when that is not certain. */
  durability: Durability | null
}

export const isSqlError = (error: unknown): error is SqlError =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "SqlError"

/** Outside of a transaction, and never through the statement cache: see `Sql.unprepared`. */
const setDurability = (writer: Writer, durability: Durability): Effect.Effect<void, SqlError> =>
  Effect.suspend(() => {
    if (writer.durability === durability) return Effect.void
    writer.durability = null
    return Effect.map(
      writer.sql.unprepared(durability === "full" ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL"),
      () => {
        writer.durability = durability
      }
    )
  })

const messageOf = (error: SqlError): string => (error.cause instanceof Error ? error.cause.message : error.message)

/** SQLite may have rolled back by itself (disk full, I/O error): then there is nothing left to do. */
const rollback = ({ sql }: Writer): Effect.Effect<void> => Effect.ignore(sql.run("ROLLBACK"))

const begin = (writer: Writer, durability: Durability): Effect.Effect<void, SqlError> => {
  const once = Effect.zipRight(setDurability(writer, durability), Effect.asVoid(writer.sql.run("BEGIN IMMEDIATE")))
  // A commit and its rollback may both have failed earlier (I/O error): then that transaction is ended first.
  return Effect.catchIf(
    once,
    (error) => /(inside|within) a transaction/.test(messageOf(error)),
    () => Effect.zipRight(rollback(writer), once)
  )
}

/**
 * Takes the write lock, runs the statements of `body` and commits; rolls back if anything fails. The whole of it runs
 * without giving way to another fiber, since every writer of every process waits meanwhile.
 */
export const immediately = <A, E>(
  writer: Writer,
  durability: Durability,
  body: (sql: Sql) => Effect.Effect<A, E>
): Effect.Effect<A, E | SqlError> =>
  Effect.gen(function* () {
    yield* begin(writer, durability)
    const exit = yield* Effect.exit(body(writer.sql))
    if (Exit.isFailure(exit)) {
      yield* rollback(writer)
      return yield* exit
    }
    yield* Effect.tapError(writer.sql.run("COMMIT"), () => rollback(writer))
    return exit.value
  }).pipe(Effect.uninterruptible, Effect.withMaxOpsBeforeYield(Number.MAX_SAFE_INTEGER))

/** The same without SQLite's own look at references: a pragma that counts only outside of a transaction. */
export const withoutReferences = <A, E>(
  writer: Writer,
  durability: Durability,
  body: (sql: Sql) => Effect.Effect<A, E>
): Effect.Effect<A, E | SqlError> =>
  Effect.acquireUseRelease(
    writer.sql.unprepared("PRAGMA foreign_keys = OFF"),
    () => immediately(writer, durability, body),
    () => Effect.ignore(writer.sql.unprepared("PRAGMA foreign_keys = ON"))
  )
