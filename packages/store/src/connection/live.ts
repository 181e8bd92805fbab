/**
 * The database as it is on the disk: one connection that reads, and one that writes, opened when the first write comes.
 * All writes of the process go through one permit, so that two of them never wait for each other inside SQLite, which
 * would stand the event loop still.
 */
import { CheckpointStore } from "@alluka/core"
import { SqlError } from "@effect/sql/SqlError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { busyTimeoutMs, defaultWaitMs, whileBusy } from "./busy.js"
import type { Database, MovedAside, WriteOptions } from "./Database.js"
import { unavailable } from "./failures.js"
import type { Home } from "./home.js"
import * as Permit from "./permit.js"
import * as Sql from "./Sql.js"
import * as Statements from "./Statements.js"
import { attempt, type Body, immediately, isSqlError, type Writer, withoutReferences } from "./transaction.js"

/** Opens the connection that reads. */
export const openReader = (filename: string): Effect.Effect<Sql.Sql, SqlError, Scope.Scope> =>
  Effect.gen(function* () {
    const sql = yield* Sql.open({ filename, readonly: true })
    yield* sql.unprepared(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
    return sql
  })

/**
 * Opens a connection that writes. The busy timeout comes first, since the switch to the write-ahead log needs the file
 * for itself and meets every other process that starts at the same moment.
 */
export const openWriter = (filename: string): Effect.Effect<Writer, SqlError, Scope.Scope> =>
  Effect.gen(function* () {
    const sql = yield* Statements.open({ filename, readonly: false })
    yield* attempt(() => prepareToWrite(sql))
    return { sql, durability: null }
  })

const prepareToWrite = (sql: Statements.Statements): void => {
  sql.unprepared(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
  const [mode] = sql.unprepared("PRAGMA journal_mode = WAL")
  if (mode?.journal_mode !== "wal") {
    const cause = new Error("the file system of this folder cannot hold SQLite's write-ahead log")
    throw new SqlError({ cause, message: "Failed to switch to the write-ahead log" })
  }
  sql.unprepared("PRAGMA foreign_keys = ON")
  // A run's commits touch many pages a little; copying them into the database each 4 MB (the default) takes longer than
  // the commits themselves.
  sql.unprepared("PRAGMA wal_autocheckpoint = 4000")
  // After a burst the log shrinks to this at the next checkpoint, instead of keeping its size for ever.
  sql.unprepared("PRAGMA journal_size_limit = 67108864")
  // macOS's fsync leaves the data in the drive's cache.
  if (process.platform === "darwin") sql.unprepared("PRAGMA fullfsync = ON")
}

/** Turns the driver's failures into the store's, and leaves all others as they are. */
export const typed =
  (operation: string, path: string) =>
  <A, E, R>(
    effect: Effect.Effect<A, E, R>
  ): Effect.Effect<A, Exclude<E, SqlError> | CheckpointStore.StoreUnavailable, R> =>
    Effect.mapError(effect, (error) =>
      isSqlError(error) ? unavailable(operation, path, error) : (error as Exclude<E, SqlError>)
    )

const lockedByOurselves = (operation: string, path: string, waitMs: number): CheckpointStore.StoreLocked =>
  new CheckpointStore.StoreLocked({
    operation,
    path,
    waitedMs: Math.round(waitMs),
    cause: new Error("another write of this process is waiting for the lock too")
  })

export interface LiveOptions {
  readonly home: Home
  readonly movedAside: MovedAside | null
  readonly reader: Sql.Sql
  /** The writer that opening needed already, to create or migrate the database; its life is the caller's scope. */
  readonly writer: Writer | null
}

/** The live database on connections that were opened in the scope. */
export const make = (options: LiveOptions): Effect.Effect<Database, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { home, reader } = options
    const path = home.database
    const scope = yield* Effect.scope
    const permit = Permit.make()
    const listeners = new Set<() => void>()
    let kept = options.writer

    /** Only called by the holder of the permit. */
    const writer: Effect.Effect<Writer, SqlError> = Effect.suspend(() => {
      if (kept !== null) return Effect.succeed(kept)
      return Effect.gen(function* () {
        const own = yield* Scope.fork(scope, scope.strategy)
        const opened = yield* Effect.onError(Scope.extend(openWriter(path), own), (cause) =>
          Scope.close(own, Exit.failCause(cause))
        )
        kept = opened
        return opened
      })
    })

    const notify = Effect.sync(() => {
      for (const listener of listeners) listener()
    })

    const read: Database["read"] = (operation, query) =>
      typed(operation, path)(whileBusy({ operation, path, waitMs: defaultWaitMs }, query(reader)))

    /** Takes the permit; what is left of the time to wait, ms. A free one is taken without looking at the clock. */
    const permitted = (
      { operation, waitMs }: WriteOptions,
      restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    ): Effect.Effect<number, CheckpointStore.StoreLocked> => {
      let begun: bigint | null = null
      return Effect.flatMap(
        Permit.take(permit, (turn) =>
          Effect.flatMap(Clock.currentTimeNanos, (now) => {
            begun = now
            if (!Number.isFinite(waitMs)) return restore(turn)
            // Interruptible from within: in an uninterruptible caller the time limit would never fire.
            return restore(
              Effect.timeoutFail(Effect.interruptible(turn), {
                duration: Duration.millis(waitMs),
                onTimeout: () => lockedByOurselves(operation, path, waitMs)
              })
            )
          })
        ),
        () => {
          if (begun === null) return Effect.succeed(waitMs)
          const since = begun
          return Effect.map(Clock.currentTimeNanos, (now) => waitMs - Number(now - since) / 1e6)
        }
      )
    }

    const write = <A, E>(
      options: WriteOptions,
      body: Body<A, E>
    ): Effect.Effect<A, Exclude<E, SqlError> | CheckpointStore.StoreFailure> => {
      const { durability, operation, references } = options
      const transact = references === "kept" ? withoutReferences : immediately
      const transaction = Effect.flatMap(writer, (opened) => transact(opened, durability, body))
      return Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(permitted(options, restore), (waitMs) =>
          Effect.zipLeft(
            Effect.ensuring(
              typed(operation, path)(whileBusy({ operation, path, waitMs }, transaction, restore)),
              Permit.release(permit)
            ),
            notify
          )
        )
      )
    }

    return {
      home,
      movedAside: options.movedAside,
      read,
      write,
      version: read("Database.version", (sql) =>
        Effect.map(sql.run("PRAGMA data_version"), (rows) => Number(rows[0]?.data_version))
      ),
      onCommit: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      }
    }
  })
