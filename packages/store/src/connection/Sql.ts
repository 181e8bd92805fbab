/**
 * The connection that reads, as the rest of the store uses it: statements in, rows out, every failure typed. It is the
 * reserved connection of an @effect/sql-sqlite-node client; going through it directly spares a span and a compilation
 * for each statement.
 */
import * as Reactivity from "@effect/experimental/Reactivity"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export type SqlValue = string | number | null
export type Row = Readonly<Record<string, unknown>>

export interface Sql {
  /** Runs a statement, prepared once and kept. */
  readonly run: (statement: string, ...params: ReadonlyArray<SqlValue>) => Effect.Effect<ReadonlyArray<Row>, SqlError>
  /** The same with the values of each row alone, in the order of its columns. */
  readonly values: (
    statement: string,
    ...params: ReadonlyArray<SqlValue>
  ) => Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError>
  /**
   * Runs a statement without keeping it. Pragmas need this: `PRAGMA synchronous` acts when it is prepared, so a kept
   * statement silently stops switching.
   */
  readonly unprepared: (
    statement: string,
    ...params: ReadonlyArray<SqlValue>
  ) => Effect.Effect<ReadonlyArray<Row>, SqlError>
}

export interface OpenOptions {
  readonly filename: string
  readonly readonly: boolean
}

const preparing = "Failed to prepare statement"

const sqlOf = (connection: Connection): Sql => {
  const unprepared: Sql["unprepared"] = (statement, ...params) =>
    // Preparing throws where the client expects it not to.
    Effect.flatten(
      Effect.try({
        try: () => connection.executeUnprepared(statement, params, undefined),
        catch: (cause) => new SqlError({ cause, message: preparing })
      })
    )
  // The client keeps a failed preparation as if it were a result, for ever; the statement itself may be fine by now.
  const orUnprepared =
    (statement: string, params: ReadonlyArray<SqlValue>) =>
    (error: SqlError): Effect.Effect<ReadonlyArray<Row>, SqlError> =>
      error.message.startsWith(preparing) ? unprepared(statement, ...params) : Effect.fail(error)
  return {
    unprepared,
    run: (statement, ...params) =>
      Effect.catchAll(connection.execute(statement, params, undefined), orUnprepared(statement, params)),
    values: (statement, ...params) =>
      Effect.catchAll(connection.executeValues(statement, params), (error) =>
        Effect.map(orUnprepared(statement, params)(error), (rows) => rows.map((row) => Object.values(row)))
      )
  }
}

/**
 * Opens a connection for the life of the scope. The client's own switch to the write-ahead log is off: it would happen
 * before a busy timeout can be set, and its failure would be a defect that took five seconds to come.
 */
export const open = (options: OpenOptions): Effect.Effect<Sql, SqlError, Scope.Scope> =>
  SqliteClient.make({
    filename: options.filename,
    readonly: options.readonly,
    disableWAL: true,
    prepareCacheTTL: Duration.infinity
  }).pipe(
    Effect.provide(Reactivity.layer),
    Effect.flatMap((client) => client.reserve),
    Effect.catchAllDefect((cause) => Effect.fail(new SqlError({ cause, message: "Failed to open the database" }))),
    Effect.map(sqlOf)
  )
