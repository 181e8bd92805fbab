/** Writing events: always inside the transaction of the change they tell. */
import type { Event, Ids } from "@alluka/core"
import type { SqlValue } from "../connection/Sql.js"
import type { Statements } from "../connection/Statements.js"

/**
 * The number that the next event will get, as SQL: inside a write transaction nobody else can take it. A checkpoint uses
 * it as its own `seq` before its `created` event is written.
 */
export const nextSeq = "(SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'event')"

const insert = `INSERT INTO event (seq, checkpoint_id, task_id, kind, at, phase, message, payload)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

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
  sql: Statements,
  id: Ids.CheckpointId,
  taskId: string | null,
  event: Event.NewEvent,
  seq: number | null = null
): Event.StoredEvent => {
  const { lastRowid } = sql.change(insert, ...values(seq, id, taskId, event))
  return {
    kind: event.kind,
    timestamp: event.timestamp,
    phase: event.phase,
    message: event.message,
    payload: event.payload,
    seq: lastRowid,
    checkpointId: id,
    taskId
  }
}

/** Writes events in their order. */
export const insertEvents = (
  sql: Statements,
  id: Ids.CheckpointId,
  taskId: string | null,
  events: ReadonlyArray<Event.NewEvent>
): ReadonlyArray<Event.StoredEvent> => events.map((event) => insertEvent(sql, id, taskId, event))
