/** Whether the index of the search knows the rows that there are. */
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { isBusy } from "../connection/failures.js"
import type { Sql } from "../connection/Sql.js"

/** Every row that the index knows is in `run_text_docsize`; those that are noted as pending need not be there. */
const unknown = `SELECT count(*) AS count FROM checkpoint
  WHERE seq NOT IN (SELECT id FROM run_text_docsize) AND seq NOT IN (SELECT seq FROM run_text_pending)`
const surplus = `SELECT count(*) AS count FROM run_text_docsize
  WHERE id NOT IN (SELECT seq FROM checkpoint) AND id NOT IN (SELECT seq FROM run_text_pending)`

/** A sentence of `integrity_check` about the index. It holds nothing of its own, so it can always be made anew. */
export const isAboutSearch = (said: string): boolean => /\bfts5\b.*\brun_text\b/i.test(said)

/** What is wrong with the index, compared with the rows, one sentence each. */
export const searchFaults = (sql: Sql): Effect.Effect<ReadonlyArray<string>, SqlError> =>
  Effect.gen(function* () {
    const [missing] = yield* sql.unprepared(unknown)
    const [left] = yield* sql.unprepared(surplus)
    return [
      ...(missing?.count === 0 ? [] : [`${missing?.count} runs are missing from the index of the search`]),
      ...(left?.count === 0 ? [] : [`${left?.count} entries of the index of the search belong to no run`])
    ]
  }).pipe(
    Effect.catchIf(
      (error) => !isBusy(error),
      () => Effect.succeed(["the index of the search cannot be read"])
    )
  )
