/**
 * Brings a database to the newest schema, in one transaction that begins by taking the write lock: of any number of
 * processes that start together one does the work and the others find it done. The schema's number is `user_version`, which
 * is part of the transaction. (The migrator of @effect/sql is not used: its transaction is deferred, and it takes any
 * failure of its bookkeeping for "somebody else is migrating" and goes on with a database that is not there yet.)
 *
 * A step only adds: a process of the version before may still be running, and must be able to store the end of its run.
 */
import { CheckpointStore } from "@alluka/core"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { refused } from "../connection/failures.js"
import type { Sql } from "../connection/Sql.js"
import { immediately, type Writer } from "../connection/transaction.js"
import { latestVersion, type Migration } from "./Migration.js"

/** Written into the file's header (`PRAGMA application_id`), so that another program's database is not taken for ours. */
export const applicationId = 0x616c6c6b // "allk"

/** The first column of the first row as a number. */
const pragma = (sql: Sql, name: "user_version" | "application_id"): Effect.Effect<number, SqlError> =>
  Effect.map(sql.unprepared(`PRAGMA ${name}`), (rows) => Number(rows[0]?.[name] ?? 0))

/** The schema of a database; 0 for an empty file. */
export const userVersion = (sql: Sql): Effect.Effect<number, SqlError> => pragma(sql, "user_version")

/** Fails if the file is a database of another program. To be asked where the schema's number says it could be ours. */
export const checkOurs = (
  sql: Sql,
  path: string,
  version: number
): Effect.Effect<void, SqlError | CheckpointStore.StoreUnavailable> =>
  Effect.gen(function* () {
    const id = yield* pragma(sql, "application_id")
    if (id === applicationId) return
    const tables = version === 0 ? yield* sql.unprepared("SELECT 1 FROM sqlite_schema LIMIT 1") : []
    if (version === 0 && tables.length === 0) return
    return yield* refused(
      "Database.open",
      path,
      "not_accessible",
      `${path} is a database of another program. Move it away, or use another folder: set ALLUKA_HOME or --home`
    )
  })

export interface MigrateOptions {
  readonly writer: Writer
  readonly path: string
  readonly migrations: ReadonlyArray<Migration>
  /** Called with the schema found, while nobody can write, before anything is changed; not for a new database. */
  readonly backUp: (from: number) => Effect.Effect<void, SqlError | CheckpointStore.StoreUnavailable>
}

/** Applies what is missing. Says from which schema it began; equal to the newest if there was nothing to do. */
export const migrate = (
  options: MigrateOptions
): Effect.Effect<number, SqlError | CheckpointStore.StoreNewer | CheckpointStore.StoreUnavailable> => {
  const { writer, path, migrations } = options
  const supported = latestVersion(migrations)
  return immediately(writer, "full", (sql) =>
    Effect.gen(function* () {
      const found = yield* userVersion(sql)
      if (found > supported) return yield* new CheckpointStore.StoreNewer({ path, found, supported })
      if (found === supported) return found
      yield* checkOurs(sql, path, found)
      if (found > 0) yield* options.backUp(found)
      for (const migration of migrations) {
        if (migration.version <= found) continue
        for (const statement of migration.statements) yield* sql.unprepared(statement)
      }
      yield* sql.unprepared(`PRAGMA application_id = ${applicationId}`)
      yield* sql.unprepared(`PRAGMA user_version = ${supported}`)
      return found
    })
  )
}
