/**
 * What is done with a database that cannot be read: it is renamed, with everything that belongs to it, and a new one
 * takes its place. Nothing of it is changed or deleted, and the caller is told where it is.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import type { CheckpointStore } from "@alluka/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { free, hold } from "../files/exclusiveFile.js"
import { createPrivateFile } from "../files/privateFile.js"
import { fileStamp } from "../migrations/backup.js"
import { defaultWaitMs, orUnavailable, whileBusy } from "./busy.js"
import type { MovedAside } from "./Database.js"
import { codeOf, unavailable } from "./failures.js"
import type { Home } from "./home.js"

const operation = "Database.moveAside"

/** The database, and the files that SQLite keeps beside it. */
const suffixes = ["", "-wal", "-shm", "-journal"] as const

/**
 * Keeps other processes of ours from moving or replacing the database until the scope closes. Only the rare ways to open
 * a store need it; the ordinary one does not.
 */
export const maintenance = (
  home: Home
): Effect.Effect<void, CheckpointStore.StoreLocked | CheckpointStore.StoreUnavailable, Scope.Scope> => {
  const path = Path.join(home.folder, "maintenance.lock")
  const wait = { operation: "Database.maintenance", path: home.database, waitMs: defaultWaitMs }
  const taken = Effect.try({
    try: () => {
      if (!Fs.existsSync(path)) createIfMissing(path)
      return hold(path)
    },
    catch: (cause) => cause
  })
  return Effect.asVoid(
    Effect.acquireRelease(Effect.mapError(whileBusy(wait, taken), orUnavailable(wait)), (handle) =>
      Effect.sync(() => free(handle))
    )
  )
}

const createIfMissing = (path: string): void => {
  try {
    createPrivateFile(path)
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error
  }
}

/** A stem that no file of ours has yet: `alluka-damaged-20261130T224803Z`, then with `-2`, `-3` ... */
const freeStem = (home: Home, label: string, at: number): string => {
  const stem = Path.join(home.folder, `alluka-${label}-${fileStamp(at)}`)
  for (let n = 1; ; n++) {
    const candidate = n === 1 ? stem : `${stem}-${n}`
    if (suffixes.every((suffix) => !Fs.existsSync(`${candidate}.db${suffix}`))) return candidate
  }
}

/**
 * Renames the database's files; to be called by the holder of `maintenance`, once it is certain that they are damaged.
 * The new names belong together as a database's files do, so SQLite's own tools can be tried on them.
 */
export const moveAside = (
  home: Home,
  label: "damaged" | "orphaned",
  cause: string
): Effect.Effect<MovedAside, CheckpointStore.StoreUnavailable> =>
  Effect.flatMap(Clock.currentTimeMillis, (at) =>
    Effect.try({
      try: () => {
        const target = `${freeStem(home, label, at)}.db`
        const files = suffixes.flatMap((suffix) => {
          const from = `${home.database}${suffix}`
          if (!Fs.existsSync(from)) return []
          Fs.renameSync(from, `${target}${suffix}`)
          return [`${target}${suffix}`]
        })
        return { path: target, files, cause }
      },
      catch: (error) => unavailable(operation, home.database, error)
    })
  )

const sizeOf = (path: string): number => Fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0

/**
 * Whether a write-ahead log is there without its database, which SQLite would silently delete. Its database was removed by
 * hand, or is just being moved aside. The log is looked at first: a new database has content before its log has any.
 */
export const hasOrphanedLog = (home: Home): boolean => sizeOf(`${home.database}-wal`) > 0 && sizeOf(home.database) === 0
