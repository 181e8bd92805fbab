/** Events as lines of a stream. */
import type { Time } from "../checkpoint/Checkpoint.js"
import type { Payload, StoredEvent } from "../checkpoint/Event.js"
import type { Decision } from "../resume/Decision.js"
import { decisionPayload } from "./decisionDocument.js"
import { iso } from "./json.js"
import type { EventLine, HeartbeatLine, TimelineDocument } from "./schema/events.js"

export const eventLine = (event: StoredEvent): EventLine => ({
  kind: event.kind,
  version: 1,
  seq: event.seq,
  timestamp: iso(event.timestamp),
  checkpoint_id: event.checkpointId,
  task_id: event.taskId,
  phase: event.phase,
  message: event.message,
  payload: event.payload
})

/** A decision that nothing was stored for, because nothing started. */
export const decisionLine = (decision: Decision): EventLine => ({
  kind: "resume_decision",
  version: 1,
  seq: null,
  timestamp: iso(decision.evaluatedAt),
  checkpoint_id: decision.checkpointId,
  task_id: decision.taskId,
  phase: decision.facts.phase,
  message: decision.message,
  payload: decisionPayload(decision)
})

/** A sign of life of a run that says nothing else; never stored. */
export const heartbeatLine = (beat: {
  /** `null`: of no single run. */
  readonly checkpointId: string | null
  readonly taskId: string | null
  readonly phase: number | null
  readonly at: Time
  readonly message: string
  readonly payload: Payload
}): HeartbeatLine => ({
  kind: "heartbeat",
  version: 1,
  seq: null,
  timestamp: iso(beat.at),
  checkpoint_id: beat.checkpointId,
  task_id: beat.taskId,
  phase: beat.phase,
  message: beat.message,
  payload: beat.payload
})

/** The events of one checkpoint, oldest first. */
export const timelineDocument = (checkpointId: string, events: ReadonlyArray<StoredEvent>): TimelineDocument => ({
  kind: "timeline",
  version: 1,
  checkpoint_id: checkpointId,
  items: events.map(eventLine)
})
