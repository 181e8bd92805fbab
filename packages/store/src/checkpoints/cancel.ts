/** The wish to cancel: stored by anybody, read by the owner. */
import type { Checkpoint, CheckpointStore, Ids } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { type Database, synced } from "../connection/Database.js"
import { insertEvent } from "./events.js"
import { checkpointColumns, checkpointSource, decodeCancel, decodeCheckpoint, told } from "./row.js"

/** The first wish stands: a second one changes nothing. */
const store = `UPDATE checkpoint SET cancel_requested = ?
  WHERE id = ? AND state = 'running' AND cancel_requested IS NULL RETURNING ${told}`

const select = `SELECT ${checkpointColumns} FROM ${checkpointSource} WHERE c.id = ?`

export const requestCancel =
  (database: Database): CheckpointStore.CheckpointStore["Type"]["requestCancel"] =>
  (id, request) =>
    database.write(synced("CheckpointStore.requestCancel"), (sql) => {
      const [stored] = sql.run(store, JSON.stringify(request), id)
      if (stored !== undefined) {
        insertEvent(sql, id, typeof stored.task_id === "string" ? stored.task_id : null, {
          kind: "cancel_requested",
          timestamp: request.at,
          phase: Number(stored.phase ?? 0),
          message: `cancel requested by ${request.by}`,
          payload: { by: request.by, code: request.code }
        })
      }
      const [row] = sql.run(select, id)
      return Either.right(
        row === undefined ? Option.none<Checkpoint.Checkpoint>() : Either.getRight(decodeCheckpoint(row))
      )
    })

export const cancelRequest =
  (database: Database): CheckpointStore.CheckpointStore["Type"]["cancelRequest"] =>
  (id: Ids.CheckpointId) =>
    Effect.map(
      database.read("CheckpointStore.cancelRequest", (sql) =>
        sql.run("SELECT cancel_requested FROM checkpoint WHERE id = ? AND cancel_requested IS NOT NULL", id)
      ),
      ([row]) =>
        row === undefined
          ? Option.none<Checkpoint.CancelRequest>()
          : Either.getRight(decodeCancel(row.cancel_requested))
    )
