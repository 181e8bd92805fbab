/** Writing events: always inside the transaction of the change they tell. */
import type { Event, Ids } from "@alluka/core"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import type { Sql, SqlValue } from "../connection/Sql.js"

/**
 * The number that the next event will get, as SQL: inside a write transaction nobody else can take it. A checkpoint uses
 * it as its own `seq` before its `created` event is written.
 */
export const nextSeq = "(SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'event')"

const insert = `INSERT INTO event (seq, checkpoint_id, task_id, kind, at, phase, message, payload)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq`

const values = (
  seq: number | null,
  id: Ids.CheckpointId,
  taskId: string | null,
  event: Event.NewEvent
): ReadonlyArray<SqlValue> => [
  seq,
  id,
  taskId,
  event.kind,
  event.timestamp,
  event.phase,
  event.message,
  JSON.stringify(event.payload)
]

/** Writes one event; with `seq` where it must have a certain number. */
export const insertEvent = (
  sql: Sql,
  id: Ids.CheckpointId,
  taskId: string | null,
  event: Event.NewEvent,
  seq: number | null = null
): Effect.Effect<Event.StoredEvent, SqlError> =>
  Effect.map(sql.run(insert, ...values(seq, id, taskId, event)), (rows) => ({
    kind: event.kind,
    timestamp: event.timestamp,
    phase: event.phase,
    message: event.message,
    payload: event.payload,
    seq: Number(rows[0]?.seq),
    checkpointId: id,
    taskId
  }))

/** Writes events in their order. */
export const insertEvents = (
  sql: Sql,
  id: Ids.CheckpointId,
  taskId: string | null,
  events: ReadonlyArray<Event.NewEvent>
): Effect.Effect<ReadonlyArray<Event.StoredEvent>, SqlError> =>
  Effect.forEach(events, (event) => insertEvent(sql, id, taskId, event))
