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
import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { refused } from "../connection/failures.js"
import type { Row } from "../connection/Sql.js"
import { immediately, type Writer } from "../connection/transaction.js"
import { latestVersion, type Migration } from "./Migration.js"

/** Written into the file's header (`PRAGMA application_id`), so that another program's database is not taken for ours. */
export const applicationId = 0x616c6c6b // "allk"

/** What a database says it is. */
export interface Identity {
  /** The schema; 0 for an empty file. */
  readonly version: number
  /** Ours, or nobody's yet. */
  readonly ours: boolean
}

/** Asks for it. To be run without keeping the statement, since the answer may be another one the next time. */
export const identityStatement = `SELECT v.user_version AS version, a.application_id AS application,
  EXISTS (SELECT 1 FROM sqlite_schema) AS used FROM pragma_user_version v, pragma_application_id a`

/** The answer to it. Pure. */
export const identityOf = ([row]: ReadonlyArray<Row>): Identity => {
  const version = Number(row?.version)
  return { version, ours: row?.application === applicationId || (version === 0 && row?.used === 0) }
}

export const notOurs = (path: string): CheckpointStore.StoreUnavailable =>
  refused(
    "Database.open",
    path,
    "not_accessible",
    `${path} is a database of another program. Move it away, or use another folder: set ALLUKA_HOME or --home`
  )

export interface MigrateOptions {
  readonly writer: Writer
  readonly path: string
  readonly migrations: ReadonlyArray<Migration>
  /** Called with the schema found, while nobody can write, before anything is changed; not for a new database. */
  readonly backUp: (from: number) => Either.Either<unknown, CheckpointStore.StoreUnavailable>
}

/** Applies what is missing. Says from which schema it began; equal to the newest if there was nothing to do. */
export const migrate = ({
  backUp,
  migrations,
  path,
  writer
}: MigrateOptions): Effect.Effect<number, SqlError | CheckpointStore.StoreNewer | CheckpointStore.StoreUnavailable> => {
  const supported = latestVersion(migrations)
  return immediately(writer, "full", (sql) =>
    Either.gen(function* () {
      const { ours, version: found } = identityOf(sql.unprepared(identityStatement))
      if (found > supported) return yield* Either.left(new CheckpointStore.StoreNewer({ path, found, supported }))
      if (found === supported) return found
      if (!ours) return yield* Either.left(notOurs(path))
      if (found > 0) yield* backUp(found)
      for (const migration of migrations) {
        if (migration.version <= found) continue
        for (const statement of migration.statements) sql.unprepared(statement)
      }
      sql.unprepared(`PRAGMA application_id = ${applicationId}`)
      sql.unprepared(`PRAGMA user_version = ${supported}`)
      return found
    })
  )
}
