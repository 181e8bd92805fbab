/** A decision as an event of the timeline. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { NewEvent } from "../checkpoint/Event.js"
import { decisionPayload } from "../contract/decisionDocument.js"
import type { Decision } from "./Decision.js"

/** Told now. `phase`: as events count it (`phaseNumber`). */
export const decisionEvent = (decision: Decision, phase: number): Effect.Effect<NewEvent> =>
  Effect.map(Clock.currentTimeMillis, (timestamp) => ({
    kind: "resume_decision",
    timestamp,
    phase,
    message: decision.message,
    payload: decisionPayload(decision)
  }))
