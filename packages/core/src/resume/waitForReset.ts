/**
 * Waiting for a usage limit to reset, for who asked for it (`--continue-at-reset`). The wait is told in the checkpoint's
 * timeline, so it can be seen, and cancelled, from elsewhere; a waiting process that was restarted simply waits on, since
 * the time of the reset stands in the record.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type Checkpoint, phaseNumber, type Time } from "../checkpoint/Checkpoint.js"
import { CheckpointStore, type StoreFailure } from "../checkpoint/CheckpointStore.js"
import { Checkpoints } from "../checkpoint/Checkpoints.js"
import type { StoredEvent } from "../checkpoint/Event.js"
import type * as Scope from "../session/Scope.js"
import { duration } from "../text/duration.js"

/** How a wait ended. */
export type Waited =
  /** The limit has reset: resume now, once. */
  | "reset"
  /** Somebody asked for a cancel of the waiting checkpoint. */
  | "cancelled"
  /** Another attempt was made, or the checkpoint was removed. */
  | "superseded"
  /** There is nothing to wait for: no usage limit, no known time, or one beyond the bound. */
  | "no_wait"

/** A weekly limit is the longest that is known, and a day for good measure. */
export const maxWaitMs = 8 * 24 * 60 * 60 * 1000

/** Clocks differ, and limits are lifted a moment late: the resume follows the reset by this, ms. */
export const marginMs = 15_000

/** How often the waiting process looks whether it is still wanted, ms. */
const lookMs = 1000

/** Until when to wait for a checkpoint; `null`: there is nothing to wait for. */
export const waitUntil = (checkpoint: Pick<Checkpoint, "reason">, now: Time): Time | null => {
  const { reason } = checkpoint
  if (reason?.code !== "usage_limit" || reason.resetsAt === null) return null
  const until = reason.resetsAt + marginMs
  return until - now > maxWaitMs ? null : Math.max(until, now)
}

/**
 * Waits until a checkpoint's usage limit has reset. `tell` gets the event of the wait's beginning as it was stored, and
 * `left` the time that is left, about once a second. Starts nothing.
 */
export const waitForReset = (
  scope: Scope.Scope,
  checkpoint: Checkpoint,
  on: {
    readonly tell: (event: StoredEvent) => Effect.Effect<void>
    readonly left: (ms: number) => Effect.Effect<void>
  }
): Effect.Effect<Waited, StoreFailure, Checkpoints | CheckpointStore> =>
  Effect.gen(function* () {
    const store = yield* CheckpointStore
    const checkpoints = yield* Checkpoints
    const began = yield* Clock.currentTimeMillis
    const until = waitUntil(checkpoint, began)
    if (until === null) return "no_wait"
    const [waiting] = yield* store.note(checkpoint.id, [
      {
        kind: "waiting_for_reset",
        timestamp: began,
        phase: phaseNumber(checkpoint.progress),
        message: `waiting ${duration(until - began)} for the usage limit to reset`,
        payload: { until: new Date(until).toISOString() }
      }
    ])
    if (waiting === undefined) return "superseded"
    yield* on.tell(waiting)

    const look: Effect.Effect<Waited, StoreFailure> = Effect.gen(function* () {
      const events = yield* store.events(checkpoint.id, waiting.seq, 100)
      if (events.some(({ kind }) => kind === "cancel_requested")) return "cancelled"
      const lineage = yield* checkpoints.lineage(scope, checkpoint.id).pipe(
        Effect.catchTags({
          CheckpointNotFound: () => Effect.succeed([]),
          RecordCorrupt: () => Effect.succeed([])
        })
      )
      if (lineage.length === 0 || lineage.some(({ seq, state }) => seq > waiting.seq || state === "running")) {
        return "superseded"
      }
      const now = yield* Clock.currentTimeMillis
      if (now >= until) return "reset"
      yield* on.left(until - now)
      yield* Effect.sleep(Math.min(lookMs, until - now))
      return yield* look
    })
    return yield* look
  })
