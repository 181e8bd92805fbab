/**
 * A running checkpoint that this process owns: the only hand that moves its progress and writes its end. Made by
 * `Checkpoints.start`.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import { endPhase } from "../run/progress.js"
import { type Checkpoint, type Progress, phaseNumber, type Reason, type Time } from "./Checkpoint.js"
import type { CheckpointStore, Conflict, Fenced, StoreFailure } from "./CheckpointStore.js"
import type { NewEvent, StoredEvent } from "./Event.js"
import type { CheckpointId } from "./ids.js"
import type { EndState } from "./state.js"

export interface Advance {
  readonly progress: Progress
  readonly events: ReadonlyArray<NewEvent>
  /** `full`: on the disk before it returns; `normal`: safe from the death of the process, not of the machine. */
  readonly durability: "full" | "normal"
  /** The conversation was seen to be open: the checkpoint that this one resumes is superseded from now on. */
  readonly confirmed: boolean
}

export interface End {
  readonly state: EndState
  readonly reason: Reason | null
  readonly progress: Progress
  readonly events: ReadonlyArray<NewEvent>
  /** When the work ended, where that was before the end could be written; `null` or left out: now. */
  readonly endedAt?: Time | null
}

export interface OwnedRun {
  /** As it was created. */
  readonly checkpoint: Checkpoint
  /** The progress last committed. */
  readonly progress: Effect.Effect<Progress>
  /**
   * Commits progress and its events, and answers with the events as stored. `Fenced`: the run is no longer ours; end the
   * provider and write nothing more. `Conflict`: another running checkpoint holds this provider session.
   */
  readonly advance: (change: Advance) => Effect.Effect<ReadonlyArray<StoredEvent>, StoreFailure | Fenced | Conflict>
  /** Commits the end, once. Waits for a locked store as long as the process lives. */
  readonly end: (
    end: End
  ) => Effect.Effect<
    { readonly checkpoint: Checkpoint; readonly events: ReadonlyArray<StoredEvent> },
    StoreFailure | Fenced
  >
}

/** Wraps a checkpoint that was just created by this process. */
export const own = (store: CheckpointStore["Type"], checkpoint: Checkpoint): Effect.Effect<OwnedRun> =>
  Effect.gen(function* () {
    const startedNanos = yield* Clock.currentTimeNanos
    const committed = yield* Ref.make(checkpoint.progress)
    // Measured with the monotonic clock: a wall clock that jumps must not make a run shorter than nothing.
    const elapsed = Effect.map(Clock.currentTimeNanos, (now) => Math.max(0, Number((now - startedNanos) / 1_000_000n)))
    const confirmsResumeOf = (confirmed: boolean): CheckpointId | null => (confirmed ? checkpoint.resumedFrom : null)

    const advance: OwnedRun["advance"] = (change) =>
      Effect.gen(function* () {
        const at = yield* Clock.currentTimeMillis
        const progress = { ...change.progress, elapsedMs: yield* elapsed }
        const events = yield* store.progress({
          id: checkpoint.id,
          owner: checkpoint.owner.id,
          taskId: checkpoint.taskId,
          progress,
          at,
          events: change.events,
          durability: change.durability,
          confirmsResumeOf: confirmsResumeOf(change.confirmed)
        })
        yield* Ref.set(committed, progress)
        return events
      })

    const end: OwnedRun["end"] = (change) =>
      Effect.gen(function* () {
        const at = yield* Clock.currentTimeMillis
        const endedAt = Math.max(change.endedAt ?? at, checkpoint.startedAt)
        const progress = { ...endPhase(change.progress, change.state, endedAt), elapsedMs: yield* elapsed }
        const events = yield* store.end({
          id: checkpoint.id,
          owner: checkpoint.owner.id,
          taskId: checkpoint.taskId,
          progress,
          at,
          endedAt,
          state: change.state,
          reason: change.reason,
          confirmsResumeOf: null,
          events: [...change.events, stateChanged(change, at, phaseNumber(progress))]
        })
        yield* Ref.set(committed, progress)
        const ended = { ...checkpoint, progress, state: change.state, reason: change.reason, updatedAt: at, endedAt }
        return { checkpoint: ended, events }
      })

    return { checkpoint, progress: Ref.get(committed), advance, end }
  })

const stateChanged = (end: End, at: number, phase: number): NewEvent => ({
  kind: "state_changed",
  timestamp: at,
  phase,
  message: end.reason === null ? end.state : `${end.state}: ${end.reason.message}`,
  payload: { from: "running", to: end.state, reason: end.reason?.code ?? null }
})
