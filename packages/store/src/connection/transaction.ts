/**
 * One write transaction on one connection, in one step: no other fiber has a turn in it, and nothing interrupts it. The
 * client's own `withTransaction` begins with a plain `BEGIN`, which fails at once when another process wrote in between,
 * and turns a failed COMMIT into a defect that leaves the transaction open.
 */
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Statements } from "./Statements.js"

export type Durability = "full" | "normal"

/**
 * The statements of a transaction. What it returns as a failure rolls back, as does a statement that fails, which is
 * thrown and need not be looked at. It may run again when the lock is lost, so it does nothing but statements.
 */
export type Body<A, E> = (sql: Statements) => Either.Either<A, E>

/** A connection that writes, with what it is set to. */
export interface Writer {
  readonly sql: Statements
  /** What `PRAGMA synchronous` was last set to; `null` when that is not certain. */
  durability: Durability | null
}

export const isSqlError = (error: unknown): error is SqlError =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "SqlError"

const rethrown = (error: unknown): never => {
  throw error
}

/** Runs statements; what failed of them as a value, what is a bug thrown on. */
export const attempt = <A>(run: () => A): Either.Either<A, SqlError> =>
  Either.try({ try: run, catch: (error) => (isSqlError(error) ? error : rethrown(error)) })

/** Outside of a transaction, and never through the statement cache: see `Sql.unprepared`. */
const setDurability = (writer: Writer, durability: Durability): void => {
  if (writer.durability === durability) return
  writer.durability = null
  writer.sql.unprepared(durability === "full" ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
  writer.durability = durability
}

const messageOf = (error: SqlError): string => (error.cause instanceof Error ? error.cause.message : error.message)

/** SQLite may have rolled back by itself (disk full, I/O error): then there is nothing left to do. */
const rollback = ({ sql }: Writer): void => void attempt(() => sql.run("ROLLBACK"))

const begin = (writer: Writer, durability: Durability): Either.Either<void, SqlError> => {
  const once = () =>
    attempt(() => {
      setDurability(writer, durability)
      writer.sql.run("BEGIN IMMEDIATE")
    })
  return Either.orElse(once(), (error) => {
    if (!/(inside|within) a transaction/.test(messageOf(error))) return Either.left(error)
    // A commit and its rollback may both have failed earlier (I/O error): then that transaction is ended first.
    rollback(writer)
    return once()
  })
}

/** The body and the commit of a transaction that was begun; rolled back unless all of it succeeded. */
const finish = <A, E>(writer: Writer, body: Body<A, E>): Either.Either<A, E | SqlError> => {
  let committed = false
  try {
    const done = Either.flatMap(
      attempt(() => body(writer.sql)),
      (answer) => answer
    )
    if (Either.isLeft(done)) return done
    const stored = attempt(() => writer.sql.run("COMMIT"))
    if (Either.isLeft(stored)) return Either.left(stored.left)
    committed = true
    return done
  } finally {
    if (!committed) rollback(writer)
  }
}

/** Takes the write lock, runs the statements of `body` and commits; rolls back if anything fails. */
export const immediately = <A, E>(
  writer: Writer,
  durability: Durability,
  body: Body<A, E>
): Effect.Effect<A, E | SqlError> =>
  Effect.suspend(() => {
    const begun = begin(writer, durability)
    return Either.isLeft(begun) ? Either.left(begun.left) : finish(writer, body)
  })

/** The same without SQLite's own look at references: a pragma that counts only outside of a transaction. */
export const withoutReferences = <A, E>(
  writer: Writer,
  durability: Durability,
  body: Body<A, E>
): Effect.Effect<A, E | SqlError> => {
  const look = (whether: "ON" | "OFF") => attempt(() => writer.sql.unprepared(`PRAGMA foreign_keys = ${whether}`))
  return Effect.acquireUseRelease(
    Effect.suspend(() => look("OFF")),
    () => immediately(writer, durability, body),
    () => Effect.sync(() => look("ON"))
  )
}
