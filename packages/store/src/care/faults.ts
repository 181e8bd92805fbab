/** Whether the database holds together: pages, indexes, that of the search among them, and the counts that triggers keep. */
import type { CheckpointStore } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { makeAnew } from "../checkpoints/searchIndex.js"
import { type Database, synced } from "../connection/Database.js"
import { isBusy } from "../connection/failures.js"
import { attempt } from "../connection/transaction.js"
import { isAboutSearch, searchCounts, searchFaultsOf, unreadable } from "./searchIndex.js"

export interface Faults {
  /** SQLite's own words about pages and rows; nothing of ours puts these right. */
  readonly broken: ReadonlyArray<string>
  /** What does not fit the rows and can be made anew from them: indexes, counts. */
  readonly repairable: ReadonlyArray<string>
}

/** How many sentences are asked for. */
const limit = 20

/** Sentences of `integrity_check` about an index whose table is whole. */
const aboutIndex = /missing from index|wrong # of entries in index|non-unique entry in index|rowid not at end-of-record/

const counted = `SELECT agent, state, count(*) AS count FROM checkpoint WHERE listed = 1 GROUP BY agent, state`

/** Agents and states whose kept count is not the number of rows. */
const miscounted = `SELECT agent, state FROM (
    SELECT agent, state, count FROM state_count WHERE count <> 0 EXCEPT SELECT agent, state, count FROM (${counted}))
  UNION
  SELECT agent, state FROM (
    SELECT agent, state, count FROM (${counted}) EXCEPT SELECT agent, state, count FROM state_count)`

/** Reads every page: seconds for a store of a gigabyte. */
export const faults = (database: Database): Effect.Effect<Faults, CheckpointStore.StoreFailure> =>
  database.read("StoreCare.faults", (sql) =>
    Effect.gen(function* () {
      const checked = (yield* sql.unprepared(`PRAGMA integrity_check(${limit})`))
        .map((row) => String(row.integrity_check))
        .filter((said) => said !== "ok")
      const counts = yield* sql.unprepared(miscounted)
      const search = yield* Effect.catchIf(
        Effect.map(sql.unprepared(searchCounts), searchFaultsOf),
        (error) => !isBusy(error),
        () => Effect.succeed(unreadable)
      )
      const repairable = (said: string): boolean => aboutIndex.test(said) || isAboutSearch(said)
      return {
        broken: checked.filter((said) => !repairable(said)),
        repairable: [
          ...checked.filter(repairable),
          ...search,
          ...counts.map(({ agent, state }) => `the count of ${state} runs of agent ${agent} is wrong`)
        ]
      }
    })
  )

export const repair = (database: Database): Effect.Effect<void, CheckpointStore.StoreFailure> =>
  database.write(synced("StoreCare.repair"), (sql) => {
    sql.unprepared("REINDEX")
    sql.unprepared("DELETE FROM state_count")
    sql.unprepared(`INSERT INTO state_count (agent, state, count) ${counted}`)
    const search = Either.orElse(
      attempt(() => searchFaultsOf(sql.unprepared(searchCounts))),
      (error) => (isBusy(error) ? Either.left(error) : Either.right(unreadable))
    )
    if (Either.isLeft(search)) return search
    const inside = search.right.length > 0 ? [] : sql.unprepared("PRAGMA integrity_check(run_text)")
    // Filled again by the searches that come: a store of a million runs has better to do while it is locked.
    if (search.right.length > 0 || inside.some((row) => row.integrity_check !== "ok")) makeAnew(sql)
    return Either.void
  })
