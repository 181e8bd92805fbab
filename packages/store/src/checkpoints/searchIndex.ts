/**
 * Takes into the index what was touched since the last search. It is a convenience: where the store cannot be written, or
 * is locked, or time is up, the search looks at the rest itself.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Database, WriteOptions } from "../connection/Database.js"
import { isBusy } from "../connection/failures.js"
import type { Statements } from "../connection/Statements.js"
import { attempt } from "../connection/transaction.js"
import { runText } from "../migrations/search.js"
import { indexedText } from "./searchText.js"

/** Fewer than this are looked at sooner than they are taken in. */
const worthwhile = 200
/** Rows of one transaction: everybody who writes waits for it. */
const batch = 500
/** How long a search may take rows in before it answers, ms. */
const budgetMs = 250

const options: WriteOptions = {
  operation: "CheckpointStore.index",
  durability: "normal",
  // A turn of the event loop, not somebody else's work.
  waitMs: 25,
  whenReadOnly: "refuse"
}

const some = `(SELECT seq FROM run_text_pending ORDER BY seq DESC LIMIT ${batch})`

const takeIn = (sql: Statements): void => {
  sql.run(`DELETE FROM run_text WHERE rowid IN ${some}`)
  sql.run(`INSERT INTO run_text (rowid, text) SELECT c.seq, ${indexedText} FROM checkpoint c WHERE c.seq IN ${some}`)
  sql.run(`DELETE FROM run_text_pending WHERE seq IN ${some}`)
}

/** What cannot be written to is made anew, and filled again from the rows. */
export const makeAnew = (sql: Statements): void => {
  sql.run("DROP TABLE IF EXISTS run_text")
  sql.run(runText)
  sql.run("INSERT INTO run_text_pending (seq) SELECT seq FROM checkpoint WHERE true ON CONFLICT DO NOTHING")
}

const pending = (database: Database) =>
  Effect.map(
    database.read("CheckpointStore.index", (sql) =>
      sql.run(`SELECT count(*) AS count FROM (SELECT 1 FROM run_text_pending LIMIT ${worthwhile})`)
    ),
    (rows) => Number(rows[0]?.count)
  )

/** Brings the index up to date as far as that goes quickly. Never fails. `budget`: how long it may take, ms. */
export const indexPending = (database: Database, budget = budgetMs): Effect.Effect<void> =>
  Effect.gen(function* () {
    const until = (yield* Clock.currentTimeMillis) + budget
    while ((yield* pending(database)) >= worthwhile && (yield* Clock.currentTimeMillis) < until) {
      yield* database.write(options, (sql) =>
        Either.orElse(
          attempt(() => takeIn(sql)),
          (error) => (isBusy(error) ? Either.left(error) : attempt(() => makeAnew(sql)))
        )
      )
    }
  }).pipe(Effect.ignore)
