/**
 * The connection that writes, as transactions use it: a statement runs at once and its rows are there. Everybody who
 * writes waits for a transaction, so nothing can be awaited in one: its body is a function, not an effect. The client of
 * @effect/sql-sqlite-node, which reads go through, keeps its handle to itself and makes each statement a chain of steps of
 * a fiber, which took longer than the statements; hence a handle of our own here.
 */
import { SqlError } from "@effect/sql/SqlError"
import Sqlite from "better-sqlite3"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { OpenOptions, Row, SqlValue } from "./Sql.js"

/** What a statement did that returns no rows. */
export interface Change {
  /** How many rows it inserted, updated or deleted; what triggers did is not counted. */
  readonly rows: number
  /** The rowid of the row that was inserted last. */
  readonly lastRowid: number
}

export interface Statements {
  /** Runs a statement, prepared once and kept. Throws `SqlError`. */
  readonly run: (statement: string, ...params: ReadonlyArray<SqlValue>) => ReadonlyArray<Row>
  /** Runs a statement that returns no rows, prepared once and kept; quicker than `RETURNING`. Throws `SqlError`. */
  readonly change: (statement: string, ...params: ReadonlyArray<SqlValue>) => Change
  /** Runs a statement without keeping it, as pragmas need it (`Sql.unprepared` says why). Throws `SqlError`. */
  readonly unprepared: (statement: string, ...params: ReadonlyArray<SqlValue>) => ReadonlyArray<Row>
}

const nothing: ReadonlyArray<Row> = []

const execute = (statement: Sqlite.Statement, params: ReadonlyArray<SqlValue>): ReadonlyArray<Row> => {
  if (statement.reader) return statement.all(...params) as ReadonlyArray<Row>
  statement.run(...params)
  return nothing
}

/** The driver's failures, as the rest of the store knows them. */
const typed = <A>(message: string, run: () => A): A => {
  try {
    return run()
  } catch (cause) {
    throw new SqlError({ cause, message })
  }
}

const statementsOf = (database: Sqlite.Database): Statements => {
  const prepared = new Map<string, Sqlite.Statement>()
  const prepare = (statement: string): Sqlite.Statement => {
    const kept = prepared.get(statement)
    if (kept !== undefined) return kept
    const made = database.prepare(statement)
    prepared.set(statement, made)
    return made
  }
  return {
    run: (statement, ...params) => typed("Failed to run a statement", () => execute(prepare(statement), params)),
    change: (statement, ...params) =>
      typed("Failed to run a statement", () => {
        const { changes, lastInsertRowid } = prepare(statement).run(...params)
        return { rows: changes, lastRowid: Number(lastInsertRowid) }
      }),
    unprepared: (statement, ...params) =>
      typed("Failed to run a statement", () => execute(database.prepare(statement), params))
  }
}

const connect = ({ filename, readonly }: OpenOptions): Sqlite.Database =>
  typed("Failed to open the database", () => new Sqlite(filename, { readonly }))

/** Opens a connection for the life of the scope. */
export const open = (options: OpenOptions): Effect.Effect<Statements, SqlError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.try({ try: () => connect(options), catch: (error) => error as SqlError }),
      (database) => Effect.sync(() => database.close())
    ),
    statementsOf
  )

/** Runs statements on a connection that is closed again. Throws `SqlError`. */
export const onceOn = <A>(options: OpenOptions, run: (sql: Statements) => A): A => {
  const database = connect(options)
  try {
    return run(statementsOf(database))
  } finally {
    database.close()
  }
}
