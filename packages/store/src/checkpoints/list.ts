/** One page of a list. */
import { CheckpointStore, Scope } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Database } from "../connection/Database.js"
import { isBusy } from "../connection/failures.js"
import { decode, encode } from "./cursor.js"
import { counts } from "./find.js"
import { isCounted, isMatched, listStatement } from "./listQuery.js"
import { checkpointRow, decodeAll, decodeCheckpoint } from "./row.js"
import { indexPending } from "./searchIndex.js"

const nothing: CheckpointStore.CheckpointPage = { items: [], skipped: 0, nextCursor: null, total: 0 }

/**
 * Shows tips and running attempts that are not dismissed, unless the query says otherwise. A row that cannot be read is
 * counted and passed over, so a page may have fewer items than its limit although there is a next one.
 */
export const list =
  (database: Database): CheckpointStore.CheckpointStore["Type"]["list"] =>
  (scope, query) =>
    Effect.gen(function* () {
      const operation = "CheckpointStore.list"
      const place = query.cursor === null ? null : Option.getOrUndefined(decode(query.sort, query.cursor))
      if (place === undefined) return yield* new CheckpointStore.InvalidCursor({ cursor: query.cursor ?? "" })
      const statement = listStatement(scope, query, place)
      if (statement === null) return nothing
      if (isMatched(query)) yield* indexPending(database)
      const found = yield* database.read(operation, (sql) =>
        Effect.catchIf(
          sql.values(statement.sql, ...statement.params),
          (error) => isMatched(query) && !isBusy(error),
          () => {
            // Something is wrong with the index of texts; the rows themselves are asked.
            const plain = listStatement(scope, query, place, false)
            return plain === null ? Effect.succeed([]) : sql.values(plain.sql, ...plain.params)
          }
        )
      )
      const limit = Math.max(1, query.limit)
      const rows = found.slice(0, limit).map(checkpointRow)
      const last = rows.at(-1)
      const page = decodeAll(rows, decodeCheckpoint)
      return {
        ...page,
        nextCursor:
          found.length > limit && last !== undefined
            ? encode(query.sort, { seq: Number(last.seq), updatedAt: Number(last.updated_at) })
            : null,
        total: isCounted(scope, query) ? yield* total(database, scope, query) : null
      }
    })

const total = (database: Database, scope: Scope.Scope, query: CheckpointStore.ListQuery) =>
  Effect.map(
    counts(database)(scope._tag === "Operator" && query.agent !== null ? Scope.agent(query.agent) : scope),
    (byState) =>
      Object.entries(byState).reduce(
        (sum, [state, count]) =>
          query.states.length === 0 || query.states.some((asked) => asked === state) ? sum + count : sum,
        0
      )
  )
