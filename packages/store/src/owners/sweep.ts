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

/** How many files one process looks at. */
export const sweepLimit = 64

/** A file this young may be one whose owner is just about to lock it, ms. */
export const youngMs = 60_000

const isOwnerId = Schema.is(Ids.OwnerId)

/** Removes what is stale; returns the owners whose files went. What cannot be removed stays for another time. */
export const sweep = (database: Database, own: Ids.OwnerId, now: number): Effect.Effect<ReadonlyArray<Ids.OwnerId>> => {
  const folder = database.home.owners
  return Effect.gen(function* () {
    const candidates = yield* Effect.try(() =>
      Fs.readdirSync(folder)
        .flatMap((name) => {
          const id = Path.basename(name, ".lock")
          return name.endsWith(".lock") && isOwnerId(id) && id !== own ? [id] : []
        })
        .slice(0, sweepLimit)
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
          const path = Path.join(folder, `${id}.lock`)
          if (needed.has(id) || now - Fs.statSync(path).mtimeMs < youngMs) return false
          if (probe(path).kind !== "free") return false
          Fs.rmSync(path)
          return true
        }),
        () => false
      )
    )
  }).pipe(Effect.orElseSucceed(() => []))
}
