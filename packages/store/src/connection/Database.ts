/** The database of a data folder, as everything else in this package uses it. One for each process and real path. */
import type { CheckpointStore } from "@alluka/core"
import type { SqlError } from "@effect/sql/SqlError"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import { defaultWaitMs } from "./busy.js"
import type { Home } from "./home.js"
import type { Sql } from "./Sql.js"
import type { Body } from "./transaction.js"

/** A damaged database that was renamed so that a new one could be made. Nothing of it was changed or deleted. */
export interface MovedAside {
  /** Where the database file is now; its `-wal` and `-shm` are beside it under the same name. */
  readonly path: string
  /** Every file that was renamed, by its new path. */
  readonly files: ReadonlyArray<string>
  /** What was wrong with it. */
  readonly cause: string
}

export interface WriteOptions {
  readonly operation: string
  /** `full`: synced to the disk before it returns; `normal`: survives the death of the process, not a loss of power. */
  readonly durability: "full" | "normal"
  /** How long to wait for a locked database, ms; `Infinity`: as long as the process lives. */
  readonly waitMs: number
  /**
   * What to do where the store can only be read: `refuse` (with `read_only`), or `apply` to the private copy that is read,
   * so that what is told is right although it cannot be stored.
   */
  readonly whenReadOnly: "refuse" | "apply"
  /**
   * `kept`: the statements themselves delete nothing that is referred to, so SQLite need not look. It would read the whole
   * table of runs for each owner that is deleted.
   */
  readonly references?: "checked" | "kept"
}

/** A write that is on the disk before it returns, for which a locked database is waited for. */
export const synced = (operation: string): WriteOptions => ({
  operation,
  durability: "full",
  waitMs: defaultWaitMs,
  whenReadOnly: "refuse"
})

export interface Database {
  readonly home: Home
  readonly movedAside: MovedAside | null
  /** Runs queries on the read connection. */
  readonly read: <A>(
    operation: string,
    query: (sql: Sql) => Effect.Effect<A, SqlError>
  ) => Effect.Effect<A, CheckpointStore.StoreFailure>
  /** Runs one transaction that begins by taking the write lock. It commits if `body` succeeds and rolls back if it fails. */
  readonly write: <A, E = never>(
    options: WriteOptions,
    body: Body<A, E>
  ) => Effect.Effect<A, Exclude<E, SqlError> | CheckpointStore.StoreFailure>
  /** A number that changes whenever something was committed, by whatever process. */
  readonly version: Effect.Effect<number, CheckpointStore.StoreFailure>
  /** Calls back after each commit of this process, until the returned function is called. */
  readonly onCommit: (listener: () => void) => () => void
}

export const Database = Context.GenericTag<Database>("@alluka/store/Database")
