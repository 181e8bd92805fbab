/**
 * From a data folder to its database. The ordinary way is short: look at the header, open the connection that reads, ask
 * for the schema's number. Everything else (a new store, an old schema, a damaged file) is rare and is done under a lock.
 */
import * as Fs from "node:fs"
import { CheckpointStore } from "@alluka/core"
import type { SqlError } from "@effect/sql/SqlError"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { createPrivateFile } from "../files/privateFile.js"
import { backUp } from "../migrations/backup.js"
import { latestVersion, type Migration } from "../migrations/Migration.js"
import { identityOf, identityStatement, migrate, notOurs } from "../migrations/migrate.js"
import { hasOrphanedLog, maintenance, moveAside } from "./aside.js"
import { defaultWaitMs, whileBusy } from "./busy.js"
import * as Copied from "./copied.js"
import type { Database, MovedAside } from "./Database.js"
import { codeOf, isDamage, refused, unavailable } from "./failures.js"
import { readHeader } from "./header.js"
import type { Home } from "./home.js"
import * as Live from "./live.js"
import type { Sql } from "./Sql.js"
import { isSqlError, type Writer } from "./transaction.js"

const operation = "Database.open"

/** The file is no readable database. Never leaves this module. */
class Damaged extends Data.TaggedError("Damaged")<{ readonly cause: unknown }> {}

const attempt = <A>(home: Home, run: () => A): Effect.Effect<A, CheckpointStore.StoreUnavailable> =>
  Effect.try({ try: run, catch: (cause) => unavailable(operation, home.database, cause) })

/** Creates the file of a new store, empty; one that is there must be a plain file. */
const ensureFile = (home: Home): Effect.Effect<void, CheckpointStore.StoreUnavailable> =>
  Effect.gen(function* () {
    const stat = yield* attempt(home, () => {
      const found = Fs.lstatSync(home.database, { throwIfNoEntry: false })
      if (found !== undefined) return found
      try {
        createPrivateFile(home.database)
      } catch (error) {
        if (codeOf(error) !== "EEXIST") throw error
      }
      return Fs.lstatSync(home.database)
    })
    if (stat.isFile()) return
    return yield* refused(
      operation,
      home.database,
      "unsafe_folder",
      `${home.database} is ${stat.isSymbolicLink() ? "a symbolic link" : "no plain file"}. Move it away, or link the whole folder instead`
    )
  })

/** Reads a page of each of the tables that everything needs: damage there shows at once, not in the middle of a run. */
const readATable = (sql: Sql): Effect.Effect<void, SqlError> =>
  Effect.zipRight(
    sql.unprepared("SELECT seq FROM checkpoint ORDER BY seq DESC LIMIT 1"),
    Effect.asVoid(sql.unprepared("SELECT seq FROM event ORDER BY seq DESC LIMIT 1"))
  )

interface Opened {
  readonly reader: Sql
  readonly writer: Writer | null
}

type OpenError = SqlError | CheckpointStore.StoreUnavailable | CheckpointStore.StoreNewer | Damaged

/** Opens the connections in the scope, creating or migrating what needs it. */
const openConnections = (
  home: Home,
  migrations: ReadonlyArray<Migration>
): Effect.Effect<Opened, OpenError | CheckpointStore.StoreLocked, Scope.Scope> =>
  Effect.gen(function* () {
    const supported = latestVersion(migrations)
    const path = home.database
    const patiently = <A, E>(effect: Effect.Effect<A, E>) =>
      whileBusy({ operation, path, waitMs: defaultWaitMs }, effect)
    const scope = yield* Effect.scope
    const scoped = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Scope.extend(effect, scope)

    yield* ensureFile(home)
    const header = yield* attempt(home, () => readHeader(path))
    if (header.kind === "not_a_database") {
      return yield* new Damaged({ cause: new Error("the file is not a database: its first bytes are not SQLite's") })
    }
    if (header.kind === "database" && header.userVersion > supported) {
      return yield* new CheckpointStore.StoreNewer({ path, found: header.userVersion, supported })
    }
    // Reading only, and before anything else: where the log holds a newer schema than the header, a connection that can
    // write would put it into the file when it is closed.
    const early = header.kind === "fresh" ? null : yield* patiently(scoped(Live.openReader(path)))
    if (early !== null) {
      const { ours, version: found } = identityOf(yield* patiently(early.unprepared(identityStatement)))
      if (found > supported) return yield* new CheckpointStore.StoreNewer({ path, found, supported })
      if (!ours) return yield* notOurs(path)
      if (found === supported) {
        yield* patiently(readATable(early))
        return { reader: early, writer: null }
      }
    }
    const writer = yield* patiently(scoped(Live.openWriter(path)))
    const at = yield* Clock.currentTimeMillis
    yield* patiently(migrate({ writer, path, migrations, backUp: (from) => backUp(home, from, at) }))
    const reader = early ?? (yield* patiently(scoped(Live.openReader(path))))
    yield* patiently(readATable(reader))
    return { reader, writer }
  })

/** One try, in a scope that outlives it only if it succeeds; damage as a failure of its own. */
const tryOpen = (
  home: Home,
  migrations: ReadonlyArray<Migration>
): Effect.Effect<Opened, Damaged | CheckpointStore.StoreFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const own = yield* Scope.fork(scope, scope.strategy)
    return yield* Scope.extend(openConnections(home, migrations), own).pipe(
      Effect.onError((cause) => Scope.close(own, Exit.failCause(cause))),
      Effect.mapError((error) =>
        isSqlError(error)
          ? isDamage(error)
            ? new Damaged({ cause: error })
            : unavailable(operation, home.database, error)
          : error
      )
    )
  })

const describe = (damaged: Damaged): string => {
  const failure = unavailable(operation, "", damaged.cause)
  return failure.cause instanceof Error ? failure.cause.message : String(failure.cause)
}

/** Under the lock: looks again, since another process may have dealt with it, and moves aside what is still damaged. */
const replaceDamaged = (
  home: Home,
  migrations: ReadonlyArray<Migration>
): Effect.Effect<
  { readonly opened: Opened; readonly movedAside: MovedAside | null },
  CheckpointStore.StoreFailure,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const openOnce = Scope.extend(tryOpen(home, migrations), scope)
    return yield* Effect.scoped(
      Effect.gen(function* () {
        yield* maintenance(home)
        const orphan = hasOrphanedLog(home)
          ? yield* moveAside(home, "orphaned", "the database file is gone, its write-ahead log is not")
          : null
        const setAside = (damaged: Damaged) =>
          Effect.gen(function* () {
            const movedAside = yield* moveAside(home, "damaged", describe(damaged))
            const opened = yield* Effect.catchTag(openOnce, "Damaged", (again) =>
              Effect.fail(refused(operation, home.database, "damaged", describe(again)))
            )
            return { opened, movedAside }
          })
        return yield* openOnce.pipe(
          Effect.map((opened) => ({ opened, movedAside: orphan })),
          Effect.catchTag("Damaged", setAside)
        )
      })
    )
  })

/** Opens the database of a data folder for the life of the scope. */
export const open = (
  home: Home,
  migrations: ReadonlyArray<Migration>
): Effect.Effect<Database, CheckpointStore.StoreFailure, Scope.Scope> => {
  if (home.readOnly) return Copied.open(home, migrations)
  const ordinary = Effect.map(tryOpen(home, migrations), (opened) => ({ opened, movedAside: null }))
  const found = Effect.suspend(() =>
    hasOrphanedLog(home)
      ? replaceDamaged(home, migrations)
      : Effect.catchTag(ordinary, "Damaged", () => replaceDamaged(home, migrations))
  )
  return Effect.flatMap(found, ({ opened, movedAside }) => Live.make({ home, movedAside, ...opened }))
}
