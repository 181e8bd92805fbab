/**
 * What wakes a reader of the feed before its next poll: a commit of this process, or a sign in the folder that some
 * process wrote. Only hints: whoever is woken looks into the table, and who is not woken looks there in a moment anyway.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Database } from "../connection/Database.js"

export interface Wake {
  /**
   * Whether the system tells of whatever is written, and has not for so many ms. A commit can be seen only some time after
   * its hint, when its log is on the disk: for that long it has to be looked for.
   */
  readonly quiet: (ms: number) => boolean
  /** Ends when something may have been committed, at once if that was since the last call ended. */
  readonly next: Effect.Effect<void>
}

/**
 * Listens for the life of the scope. A folder that cannot be watched (no more watches, an odd file system) is polled only.
 */
export const make = (database: Database): Effect.Effect<Wake, never, Scope.Scope> =>
  Effect.gen(function* () {
    let pending = false
    let waiting: (() => void) | null = null
    let hintedAt = performance.now()
    const signal = () => {
      pending = true
      hintedAt = performance.now()
      waiting?.()
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => database.onCommit(signal)),
      (stop) => Effect.sync(stop)
    )
    const log = `${Path.basename(database.home.database)}-wal`
    const watcher = yield* Effect.acquireRelease(
      Effect.sync(() => watch(database.home.folder, (name) => (name === null || name === log ? signal() : undefined))),
      (watcher) => Effect.sync(() => watcher?.close())
    )
    return {
      quiet: (ms) => tellsAll && watcher !== null && performance.now() - hintedAt > ms,
      next: Effect.async<void>((resume) => {
        const wake = () => {
          pending = false
          waiting = null
          resume(Effect.void)
        }
        if (pending) {
          wake()
          return
        }
        waiting = wake
        return Effect.sync(() => {
          waiting = null
        })
      })
    }
  })

/** Linux tells of every write of every process of the machine, whatever the file system. */
const tellsAll = process.platform === "linux"

const watch = (folder: string, listener: (name: string | null) => void): Fs.FSWatcher | null => {
  try {
    const watcher = Fs.watch(folder, { persistent: false }, (_, name) => listener(name))
    watcher.on("error", () => watcher.close())
    return watcher
  } catch {
    return null
  }
}
