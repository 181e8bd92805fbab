/**
 * Waiting for a locked database. SQLite's own wait blocks the whole event loop, so it is kept short (`busyTimeoutMs`) and
 * the rest of the waiting is done here, with jitter so that many processes do not ask in step. The pauses stay short for as
 * long as it takes: SQLite hands its lock to nobody, whoever asks first after it is free gets it.
 */
import { CheckpointStore } from "@alluka/core"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Random from "effect/Random"
import { isBusy, unavailable } from "./failures.js"

/** How long SQLite itself may wait, and so the event loop may stand still, ms. */
export const busyTimeoutMs = 25

/** How long reads, creations, claims and progress wait before they answer `StoreLocked`, ms. */
export const defaultWaitMs = 10_000

export interface Wait {
  readonly operation: string
  readonly path: string
  /** `Infinity`: as long as the process lives. */
  readonly waitMs: number
}

/** Shortest and longest pause between two attempts, ms. */
export const pauseMs = [5, 25] as const

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
      const waited = Effect.map(
        Clock.currentTimeNanos,
        // The first attempt has waited already, inside SQLite.
        (now) => busyTimeoutMs + Number(now - startedAt) / 1e6
      )
      const { operation, path, waitMs } = wait
      return Effect.gen(function* () {
        for (let cause = first; ; ) {
          const waitedMs = Math.round(yield* waited)
          if (waitedMs >= waitMs) return yield* new CheckpointStore.StoreLocked({ operation, path, waitedMs, cause })
          yield* restore(Effect.sleep(Duration.millis(yield* Random.nextIntBetween(pauseMs[0], pauseMs[1] + 1))))
          const result = yield* Effect.either(attempt)
          if (Either.isRight(result)) return result.right
          if (!isBusy(result.left)) return yield* Effect.fail(result.left)
          cause = result.left
        }
      })
    })
  )

/** Turns what is left after waiting into the store's failure. */
export const orUnavailable =
  (wait: Pick<Wait, "operation" | "path">) =>
  (error: unknown): CheckpointStore.StoreLocked | CheckpointStore.StoreUnavailable =>
    error instanceof CheckpointStore.StoreLocked ? error : unavailable(wait.operation, wait.path, error)
