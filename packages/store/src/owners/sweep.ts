/**
 * Lock files that nobody needs any more: their owner is dead, and no running checkpoint or task loop is left that it would
 * have to be proven for. Done by each process that becomes an owner, a few dozen files at a time, so they cannot pile up.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { Ids } from "@alluka/core"
import * as Schema from "@alluka/core/Schema"
import * as Effect from "effect/Effect"
import type { Database } from "../connection/Database.js"
import { probe } from "../files/exclusiveFile.js"

/** How many files a new owner looks at. */
export const sweepLimit = 64

/** A file this young may be one whose owner is just about to lock it, ms. */
export const youngMs = 60_000

const lockPath = (database: Database, id: string): string => Path.join(database.home.owners, `${id}.lock`)

const isOwnerId = Schema.is(Ids.OwnerId)

/**
 * Those that can go. `own`: the owners that this process is, whose files it must not open; `limit`: how many files are
 * looked at. What cannot be told counts as needed.
 */
export const staleLocks = (
  database: Database,
  own: ReadonlySet<string>,
  now: number,
  limit: number
): Effect.Effect<ReadonlyArray<Ids.OwnerId>> => {
  const folder = database.home.owners
  return Effect.gen(function* () {
    const candidates = yield* Effect.try(() =>
      Fs.readdirSync(folder)
        .flatMap((name) => {
          const id = Path.basename(name, ".lock")
          return name.endsWith(".lock") && isOwnerId(id) && !own.has(id) ? [id] : []
        })
        .slice(0, limit)
    )
    const running = yield* database.read("OwnerIdentity.sweep", (sql) =>
      sql.run(
        `SELECT owner_id AS id FROM checkpoint WHERE state = 'running'
         UNION SELECT owner_id FROM task_loop WHERE ended_at IS NULL`
      )
    )
    const needed = new Set(running.map((row) => row.id))
    return yield* Effect.filter(candidates, (id) =>
      Effect.orElseSucceed(
        Effect.try(() => {
          const path = lockPath(database, id)
          return !needed.has(id) && now - Fs.statSync(path).mtimeMs >= youngMs && probe(path).kind === "free"
        }),
        () => false
      )
    )
  }).pipe(Effect.orElseSucceed(() => []))
}

/** Removes them; returns those that went. What cannot be removed stays for another time. */
export const removeLocks = (
  database: Database,
  ids: ReadonlyArray<Ids.OwnerId>
): Effect.Effect<ReadonlyArray<Ids.OwnerId>> =>
  Effect.filter(ids, (id) =>
    Effect.orElseSucceed(
      Effect.try(() => {
        Fs.rmSync(lockPath(database, id))
        return true
      }),
      () => false
    )
  )

/** Removes what is stale of a few dozen files; returns the owners whose files went. */
export const sweep = (
  database: Database,
  own: ReadonlySet<string>,
  now: number
): Effect.Effect<ReadonlyArray<Ids.OwnerId>> =>
  Effect.flatMap(staleLocks(database, own, now, sweepLimit), (ids) => removeLocks(database, ids))
