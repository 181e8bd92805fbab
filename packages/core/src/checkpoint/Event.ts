/**
 * The events of a checkpoint's timeline: what `runs watch` streams and the monitor shows. Each stored event has a
 * store-wide `seq`, so a reader that goes on from the last one it saw has neither a gap nor a repeat.
 */
import * as Schema from "../Schema.js"
import { Time } from "./Checkpoint.js"
import { CheckpointId } from "./ids.js"

export const EventKind = Schema.Literal(
  "created",
  "resume_decision",
  "phase_entered",
  "provider_session",
  "model_reported",
  "message",
  "tool_started",
  "tool_finished",
  "denied",
  "usage",
  "retrying",
  "notice",
  "waiting_for_reset",
  "gate_started",
  "gate_finished",
  "state_changed",
  "task_selected",
  "blocked",
  "renamed",
  "dismissed",
  "removed",
  "cancel_requested"
)
export type EventKind = typeof EventKind.Type

export const Payload = Schema.Record({ key: Schema.String, value: Schema.Unknown })
export type Payload = typeof Payload.Type

/** An event that has not been committed. `message` is one redacted line for people; `payload` (snake_case) is for programs. */
export const NewEvent = Schema.Struct({
  kind: EventKind,
  timestamp: Time,
  phase: Schema.Number,
  message: Schema.String,
  payload: Payload
})
export type NewEvent = typeof NewEvent.Type

export const StoredEvent = Schema.Struct({
  seq: Schema.Number,
  checkpointId: CheckpointId,
  taskId: Schema.NullOr(Schema.String),
  ...NewEvent.fields
})
export type StoredEvent = typeof StoredEvent.Type
