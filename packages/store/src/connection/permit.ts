/**
 * The write permit: of all fibers of a process, one at a time waits for SQLite's write lock or holds it, first come, first
 * served. Every write blocks the event loop while the disk is synced, so between two holders the loop gets a turn.
 */
import * as Effect from "effect/Effect"

interface Waiter {
  readonly wake: () => void
}

export interface Permit {
  taken: boolean
  readonly waiters: Set<Waiter>
}

export const make = (): Permit => ({ taken: false, waiters: new Set() })

/**
 * Passes the permit on, or frees it, one turn of the event loop later: also where nobody waits yet, since fibers that run
 * one after another within one turn would otherwise shut everything else out.
 */
const pass = (permit: Permit): void => {
  setImmediate(() => {
    const [next] = permit.waiters
    if (next === undefined) {
      permit.taken = false
      return
    }
    permit.waiters.delete(next)
    next.wake()
  })
}

/** Ends as the holder of the permit. */
const awaitTurn = (permit: Permit): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    const waiter = { wake: () => resume(Effect.void) }
    permit.waiters.add(waiter)
    return Effect.sync(() => {
      // Interrupted after the permit was passed to it: on to the next.
      if (!permit.waiters.delete(waiter)) pass(permit)
    })
  })

/** Takes the permit. To be run in an uninterruptible region; `wait` makes the waiting interruptible, or bounds it. */
export const take = <E, R>(
  permit: Permit,
  wait: (turn: Effect.Effect<void>) => Effect.Effect<void, E, R>
): Effect.Effect<void, E, R> =>
  Effect.suspend(() => {
    if (permit.taken) return wait(awaitTurn(permit))
    permit.taken = true
    return Effect.void
  })

export const release = (permit: Permit): Effect.Effect<void> => Effect.sync(() => pass(permit))

/** Runs an effect while no other holder of the permit runs. */
export const withPermit =
  (permit: Permit) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.zipRight(take(permit, restore), Effect.ensuring(restore(effect), release(permit)))
    )
