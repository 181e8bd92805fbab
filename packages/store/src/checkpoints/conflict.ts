/** Which rule a write broke, and which checkpoint holds what was asked for. */
import { CheckpointStore } from "@alluka/core"
import type { SqlError } from "@effect/sql/SqlError"
import * as Either from "effect/Either"
import { codeOf } from "../connection/failures.js"
import type { SqlValue } from "../connection/Sql.js"
import type { Statements } from "../connection/Statements.js"
import { attempt } from "../connection/transaction.js"
import { idsOf } from "./row.js"

type On = CheckpointStore.Conflict["on"]

/** SQLite names the columns of the index that refused the row. */
const byColumns: ReadonlyArray<readonly [string, On]> = [
  ["checkpoint.provider, checkpoint.provider_session_id", "provider_session"],
  ["checkpoint.root_id", "lineage"],
  ["checkpoint.session_id", "session"],
  ["checkpoint.key", "key"],
  ["checkpoint.task_id", "task"],
  ["checkpoint.id", "id"]
]

/** The rule that a failed statement broke; `null` if it failed for another reason. Pure. */
export const conflictOn = (error: SqlError): On | null => {
  if (codeOf(error) !== "SQLITE_CONSTRAINT_UNIQUE") return null
  const message = error.cause instanceof Error ? error.cause.message : ""
  return byColumns.find(([columns]) => message.endsWith(`: ${columns}`))?.[1] ?? null
}

/** What the row had asked for; `null` for what the statement did not set. */
export interface Wanted {
  readonly id: string
  readonly rootId: string | null
  readonly sessionId: string | null
  readonly key: string | null
  readonly taskId: string | null
  readonly provider: string
  readonly providerSessionId: string | null
}

const holderQuery = (on: On, wanted: Wanted): readonly [string, ...ReadonlyArray<SqlValue>] => {
  switch (on) {
    case "id":
      return ["SELECT id FROM checkpoint WHERE id = ?", wanted.id]
    case "lineage":
      return ["SELECT id FROM checkpoint WHERE root_id = ? AND state = 'running'", wanted.rootId]
    case "session":
      return ["SELECT id FROM checkpoint WHERE session_id = ? AND state = 'running'", wanted.sessionId]
    case "key":
      return ["SELECT id FROM checkpoint WHERE key = ? AND state IN ('running', 'completed')", wanted.key]
    case "task":
      return ["SELECT id FROM checkpoint WHERE task_id = ? AND state = 'running'", wanted.taskId]
    case "provider_session":
      return [
        "SELECT id FROM checkpoint WHERE provider = ? AND provider_session_id = ? AND state = 'running'",
        wanted.provider,
        wanted.providerSessionId
      ]
  }
}

/**
 * Runs a statement, of which the failure is a `Conflict` that names the holder if it broke one of the rules; a failed
 * statement leaves its transaction open, so the holder is the one that was in the way.
 */
export const orConflict = <A>(
  sql: Statements,
  operation: string,
  wanted: Wanted,
  run: () => A
): Either.Either<A, CheckpointStore.Conflict> =>
  Either.mapLeft(attempt(run), (error) => {
    const on = conflictOn(error)
    if (on === null) throw error
    return new CheckpointStore.Conflict({
      operation,
      on,
      holder: idsOf(sql.run(...holderQuery(on, wanted)))[0] ?? null
    })
  })
