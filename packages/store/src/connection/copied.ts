/**
 * A store that can only be read: SQLite cannot read a write-ahead log without writing beside it, so database and log are
 * copied into a private temporary folder, and the copy is read. It is made again whenever the original moved on.
 */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { CheckpointStore } from "@alluka/core"
import type { SqlError } from "@effect/sql/SqlError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { latestVersion, type Migration } from "../migrations/Migration.js"
import { identityOf, identityStatement, migrate } from "../migrations/migrate.js"
import type { Database, WriteOptions } from "./Database.js"
import { refused, unavailable } from "./failures.js"
import type { Home } from "./home.js"
import { openReader, openWriter, typed } from "./live.js"
import * as Permit from "./permit.js"
import type { Sql } from "./Sql.js"
import { attempt as attemptSql, type Body, immediately, type Writer } from "./transaction.js"

const operation = "Database.copy"

/** What tells whether a file changed: its place on the disk, its size and its times, in nanoseconds. */
const stampOf = (path: string): string => {
  const stat = Fs.statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? "absent" : [stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(":")
}

const stamp = (home: Home): string => `${stampOf(home.database)} ${stampOf(`${home.database}-wal`)}`

/**
 * Files are stamped with the kernel's tick: a change within the same tick as the one before does not show. So only a file
 * whose last change is some ticks away can be copied with certainty.
 */
const tickMs = 20

const quietSince = (home: Home, now: number): boolean =>
  [home.database, `${home.database}-wal`].every(
    (path) => Math.abs(now - (Fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)) > tickMs
  )

const attempt = <A>(home: Home, run: () => A): Effect.Effect<A, CheckpointStore.StoreUnavailable> =>
  Effect.try({ try: run, catch: (cause) => unavailable(operation, home.database, cause) })

const copies = 50

/**
 * Copies database and log to `target` at one moment: their stamps are the same before and after, and old enough to show a
 * change. Returns the stamp copied.
 */
const copyStill = (home: Home, target: string): Effect.Effect<string, CheckpointStore.StoreUnavailable> => {
  const once = attempt(home, () => {
    const before = stamp(home)
    const quiet = quietSince(home, Date.now())
    for (const suffix of ["", "-wal"]) {
      Fs.rmSync(`${target}${suffix}`, { force: true })
      if (!Fs.existsSync(`${home.database}${suffix}`)) continue
      Fs.copyFileSync(`${home.database}${suffix}`, `${target}${suffix}`, Fs.constants.COPYFILE_FICLONE)
      Fs.chmodSync(`${target}${suffix}`, 0o600)
    }
    return quiet && stamp(home) === before ? before : null
  })
  const again = (left: number): Effect.Effect<string, CheckpointStore.StoreUnavailable> =>
    Effect.flatMap(once, (copied) => {
      if (copied !== null) return Effect.succeed(copied)
      if (left === 0) {
        return refused(
          operation,
          home.database,
          "io",
          "the store can only be read, and it kept changing while it was copied. Try again in a moment"
        )
      }
      return Effect.zipRight(Effect.sleep(Duration.millis(tickMs)), again(left - 1))
    })
  return again(copies)
}

interface Copy {
  readonly reader: Sql
  readonly writer: Writer
  readonly stamp: string
  readonly scope: Scope.CloseableScope
}

/** Copies, and opens the copy. Its schema is brought up to date like any other's; the original stays as it is. */
const openCopy = (
  home: Home,
  migrations: ReadonlyArray<Migration>,
  folder: string,
  number: number
): Effect.Effect<Copy, CheckpointStore.StoreFailure> =>
  Effect.gen(function* () {
    const target = Path.join(folder, `alluka-${number}.db`)
    const copied = yield* copyStill(home, target)
    const scope = yield* Scope.make()
    const supported = latestVersion(migrations)
    return yield* Effect.gen(function* () {
      const writer = yield* openWriter(target)
      const { version: found } = identityOf(yield* attemptSql(() => writer.sql.unprepared(identityStatement)))
      if (found > supported) return yield* new CheckpointStore.StoreNewer({ path: home.database, found, supported })
      if (found < supported) {
        yield* migrate({ writer, path: home.database, migrations, backUp: () => Either.void })
      }
      return { reader: yield* openReader(target), writer, stamp: copied, scope }
    }).pipe(
      Scope.extend(scope),
      typed(operation, home.database),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
    )
  })

/** How often the original is looked at, ms. */
const lookEveryMs = 100

/** Opens a store that can only be read, for the life of the scope. */
export const open = (
  home: Home,
  migrations: ReadonlyArray<Migration>
): Effect.Effect<Database, CheckpointStore.StoreFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const path = home.database
    if (!Fs.existsSync(path)) {
      return yield* refused(operation, path, "read_only", `there is no store, and ${home.folder} cannot be written`)
    }
    const folder = yield* Effect.acquireRelease(
      attempt(home, () => Fs.mkdtempSync(Path.join(Os.tmpdir(), "alluka-read-"))),
      (made) => Effect.sync(() => Fs.rmSync(made, { recursive: true, force: true }))
    )
    const permit = Permit.make()
    const applied: Array<Body<unknown, unknown>> = []
    const listeners = new Set<() => void>()
    let number = 1
    let copy = yield* openCopy(home, migrations, folder, number)
    let lookedAt = yield* Clock.currentTimeMillis
    yield* Effect.addFinalizer(() => Scope.close(copy.scope, Exit.void))

    /** Follows the original, and repeats on the new copy what was applied to the one before. */
    const refresh = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (Math.abs(now - lookedAt) < lookEveryMs) return
      lookedAt = now
      if ((yield* attempt(home, () => stamp(home))) === copy.stamp) return
      const next = yield* openCopy(home, migrations, folder, number + 1)
      const previous = copy
      copy = next
      number += 1
      yield* Scope.close(previous.scope, Exit.void)
      yield* attempt(home, () => {
        for (const suffix of ["", "-wal", "-shm"]) {
          Fs.rmSync(Path.join(folder, `alluka-${number - 1}.db${suffix}`), { force: true })
        }
      })
      yield* Effect.forEach(applied, (body) => Effect.ignore(immediately(next.writer, "normal", body)))
    })

    const onCopy = <A, E>(
      name: string,
      run: (current: Copy) => Effect.Effect<A, E>
    ): Effect.Effect<A, Exclude<E, SqlError> | CheckpointStore.StoreFailure> =>
      Permit.withPermit(permit)(
        Effect.zipRight(
          refresh,
          Effect.suspend(() => typed(name, path)(run(copy)))
        )
      )

    const write = <A, E>(
      options: WriteOptions,
      body: Body<A, E>
    ): Effect.Effect<A, Exclude<E, SqlError> | CheckpointStore.StoreFailure> =>
      options.whenReadOnly === "refuse"
        ? Effect.fail(
            refused(
              options.operation,
              path,
              "read_only",
              `neither the folder ${home.folder} nor its database may be written by this user`
            )
          )
        : Effect.tap(
            onCopy(options.operation, ({ writer }) => immediately(writer, "normal", body)),
            () =>
              Effect.sync(() => {
                applied.push(body)
                for (const listener of listeners) listener()
              })
          )

    return {
      home,
      movedAside: null,
      read: (name, query) => onCopy(name, ({ reader }) => query(reader)),
      write,
      version: onCopy("Database.version", () => Effect.sync(() => number)),
      onCommit: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      }
    }
  })
