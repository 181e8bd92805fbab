/**
 * What nothing refers to any more: owners of deleted runs with their lock files, loops that ended and of which no run
 * tells, output of runs that are not there, old traces of bugs. None of it harms; all of it would grow for ever.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { type CheckpointStore, Ids } from "@alluka/core"
import * as Schema from "@alluka/core/Schema"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { type Database, synced } from "../connection/Database.js"
import type { Home } from "../connection/home.js"
import { expiredCrashLogs, removeFiles } from "../files/crashLogs.js"
import { ownIds } from "../owners/OwnerIdentity.js"
import { removeLocks, staleLocks } from "../owners/sweep.js"

export interface Leftovers {
  /** Lock files of dead owners that hold nothing. */
  readonly locks: number
  /** Rows of owners without a run or a loop. */
  readonly owners: number
  readonly loops: number
  /** Ids whose output is there and whose run is not. */
  readonly outputs: ReadonlyArray<string>
  /** Output that is left alone, since it may belong to a damaged store that was moved aside. */
  readonly keptOutputs: number
  /** Traces of bugs that are old, or more than tell anything. */
  readonly crashLogs: number
}

/** A loop that ended this recently may be looked at, or gone on with, ms. */
const loopRestMs = 24 * 60 * 60 * 1000

const strayOwners = `FROM owner WHERE id NOT IN (SELECT owner_id FROM checkpoint UNION SELECT owner_id FROM task_loop)`

const strayLoops = `FROM task_loop WHERE ended_at IS NOT NULL AND ended_at < ? AND id NOT IN (
    SELECT spec ->> '$.loop.id' FROM checkpoint
    WHERE task_id IS NOT NULL AND json_valid(spec) AND spec ->> '$.loop.id' IS NOT NULL)`

const isCheckpointId = Schema.is(Ids.CheckpointId)

/** The ids of the runs whose output is there. */
const outputsIn = (folder: string): ReadonlyArray<string> => {
  try {
    const ids = Fs.readdirSync(folder).map((name) => name.replace(/\.(?:ndjson|more)$/, ""))
    return [...new Set(ids)].filter((id) => isCheckpointId(id))
  } catch {
    return []
  }
}

const wasMovedAside = (home: Home): boolean => {
  try {
    return Fs.readdirSync(home.folder).some((name) => /^alluka-(?:damaged|orphaned)-.*\.db/.test(name))
  } catch {
    return true
  }
}

const strayOutputs = (database: Database): Effect.Effect<ReadonlyArray<string>, CheckpointStore.StoreFailure> =>
  Effect.gen(function* () {
    // Looked for before the rows: a run's row is there before its first output.
    const there = outputsIn(database.home.output)
    if (there.length === 0) return []
    const rows = yield* database.read("StoreCare.leftovers", (sql) =>
      sql.run(
        "SELECT value AS id FROM json_each(?) WHERE value NOT IN (SELECT id FROM checkpoint)",
        JSON.stringify(there)
      )
    )
    return rows.map(({ id }) => String(id))
  })

const outputsOf = (database: Database) =>
  Effect.map(strayOutputs(database), (stray) =>
    wasMovedAside(database.home) ? { outputs: [], keptOutputs: stray.length } : { outputs: stray, keptOutputs: 0 }
  )

export const leftovers = (database: Database): Effect.Effect<Leftovers, CheckpointStore.StoreFailure> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const locks = yield* staleLocks(database, ownIds(database), now, Number.POSITIVE_INFINITY)
    const [rows] = yield* database.read("StoreCare.leftovers", (sql) =>
      sql.run(
        `SELECT (SELECT count(*) ${strayOwners}) AS owners, (SELECT count(*) ${strayLoops}) AS loops`,
        now - loopRestMs
      )
    )
    return {
      locks: locks.length,
      owners: Number(rows?.owners),
      loops: Number(rows?.loops),
      ...(yield* outputsOf(database)),
      crashLogs: (yield* Effect.sync(() => expiredCrashLogs(database.home.folder, now))).length
    }
  })

export const tidy = (database: Database): Effect.Effect<Leftovers, CheckpointStore.StoreFailure> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const locks = yield* staleLocks(database, ownIds(database), now, Number.POSITIVE_INFINITY)
    const gone = yield* removeLocks(database, locks)
    const found = yield* leftovers(database)
    const rows =
      found.owners + found.loops === 0
        ? { loops: 0, owners: 0 }
        : yield* database.write({ ...synced("StoreCare.tidy"), references: "kept" }, (sql) => {
            const loops = sql.change(`DELETE ${strayLoops}`, now - loopRestMs)
            const owners = sql.change(`DELETE ${strayOwners}`)
            return Either.right({ loops: loops.rows, owners: owners.rows })
          })
    yield* Effect.sync(() => {
      for (const id of found.outputs) {
        for (const suffix of [".ndjson", ".more"]) {
          Fs.rmSync(Path.join(database.home.output, `${id}${suffix}`), { recursive: true, force: true })
        }
      }
      removeFiles(expiredCrashLogs(database.home.folder, now))
    })
    return { ...found, ...rows, locks: gone.length }
  })
