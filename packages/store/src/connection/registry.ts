/**
 * The databases that this process has open, by real path: one for all parts of the process, even when the command line
 * and the monitor are two bundles with a copy of this module each. That is why it lives on `globalThis`. Two writer
 * connections of one process would freeze its event loop waiting for each other, and closing one of two would drop the
 * other's locks where SQLite itself is there twice.
 */
import type { CheckpointStore } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { Migration } from "../migrations/Migration.js"
import type { Database } from "./Database.js"
import type { Home } from "./home.js"
import { open } from "./open.js"
import * as Permit from "./permit.js"

interface Entry {
  users: number
  readonly database: Database
  readonly scope: Scope.CloseableScope
}

interface Registry {
  /** Held while a database is opened or closed. */
  readonly permit: Permit.Permit
  readonly entries: Map<string, Entry>
}

/** The number is that of this module's contract with its copies: raise it when the shape of an entry changes. */
const key = Symbol.for("@alluka/store/databases/1")

const registry = (): Registry => {
  const holder = globalThis as typeof globalThis & { [key]?: Registry }
  holder[key] ??= { permit: Permit.make(), entries: new Map() }
  return holder[key]
}

/** How many databases are open in this process. */
export const openCount = (): number => registry().entries.size

/** The process's one database of a data folder: opened by its first user, closed by its last. */
export const share = (
  home: Home,
  migrations: ReadonlyArray<Migration>
): Effect.Effect<Database, CheckpointStore.StoreFailure, Scope.Scope> => {
  const { permit, entries } = registry()
  const acquire = Effect.gen(function* () {
    const found = entries.get(home.database)
    if (found !== undefined) {
      found.users += 1
      return found
    }
    const scope = yield* Scope.make()
    const database = yield* Scope.extend(open(home, migrations), scope).pipe(
      // Opening may wait for a lock; everything around it must not be cut in half.
      Effect.interruptible,
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
    )
    const entry: Entry = { users: 1, database, scope }
    entries.set(home.database, entry)
    return entry
  })
  const release = (entry: Entry) =>
    Effect.suspend(() => {
      entry.users -= 1
      if (entry.users > 0) return Effect.void
      entries.delete(home.database)
      return Scope.close(entry.scope, Exit.void)
    })
  return Effect.map(
    Effect.acquireRelease(Permit.withPermit(permit)(acquire), (entry) => Permit.withPermit(permit)(release(entry))),
    (entry) => entry.database
  )
}
