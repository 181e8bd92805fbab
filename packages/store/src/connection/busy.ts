/**
 * Waiting for a locked database. SQLite's own wait blocks the whole event loop, so it is kept short (`busyTimeoutMs`) and
 * the rest of the waiting is done here, with jitter so that many processes do not ask in step.
 */
import { CheckpointStore } from "@alluka/core"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { isBusy, unavailable } from "./failures.js"

/** How long SQLite itself may wait, and so the event loop may stand still, ms. */
export const busyTimeoutMs = 100

/** How long reads, creations, claims and progress wait before they answer `StoreLocked`, ms. */
export const defaultWaitMs = 10_000

export interface Wait {
  readonly operation: string
  readonly path: string
  /** `Infinity`: as long as the process lives. */
  readonly waitMs: number
}

/** Pause before the n-th repetition (from 0), ms, before jitter. */
export const pauseMs = (repetition: number): number => Math.min(200, 20 * 2 ** Math.min(repetition, 4))

/**
 * Runs an attempt until it is not turned away by a lock, at most `waitMs`. `restore` makes the pauses interruptible when
 * this runs in an uninterruptible region.
 */
export const whileBusy = <A, E, R>(
  wait: Wait,
  attempt: Effect.Effect<A, E, R>,
  restore: <B, F, S>(effect: Effect.Effect<B, F, S>) => Effect.Effect<B, F, S> = (effect) => effect
): Effect.Effect<A, E | CheckpointStore.StoreLocked, R> =>
  Effect.catchIf(attempt, isBusy, (first) =>
    Effect.flatMap(Clock.currentTimeNanos, (startedAt) => {
      const again = (repetition: number, cause: E): Effect.Effect<A, E | CheckpointStore.StoreLocked, R> =>
        Effect.gen(function* () {
          // The first attempt has waited already, inside SQLite.
          const waitedMs = busyTimeoutMs + Number((yield* Clock.currentTimeNanos) - startedAt) / 1e6
          const left = wait.waitMs - waitedMs
          if (left <= 0) {
            return yield* new CheckpointStore.StoreLocked({
              operation: wait.operation,
              path: wait.path,
              waitedMs: Math.round(waitedMs),
              cause
            })
          }
          const jitter = yield* Random.nextRange(0.5, 1.5)
          yield* restore(Effect.sleep(Duration.millis(Math.ceil(Math.min(left, pauseMs(repetition) * jitter)))))
          return yield* Effect.catchIf(attempt, isBusy, (next) => again(repetition + 1, next))
        })
      return again(0, first)
    })
  )

/** Turns what is left after waiting into the store's failure. */
export const orUnavailable =
  (wait: Pick<Wait, "operation" | "path">) =>
  (error: unknown): CheckpointStore.StoreLocked | CheckpointStore.StoreUnavailable =>
    error instanceof CheckpointStore.StoreLocked ? error : unavailable(wait.operation, wait.path, error)
