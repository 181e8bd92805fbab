/**
 * The write permit: of all fibers of a process, one at a time waits for SQLite's write lock or holds it. A fiber that is
 * woken tries again instead of being handed the permit, so an interruption at the wrong moment cannot lose it.
 */
import * as Effect from "effect/Effect"

export interface Permit {
  taken: boolean
  readonly waiters: Set<() => void>
}

export const make = (): Permit => ({ taken: false, waiters: new Set() })

const tryTake = (permit: Permit): boolean => {
  if (permit.taken) return false
  permit.taken = true
  return true
}

const wakeNext = (permit: Permit): void => {
  const [next] = permit.waiters
  if (next === undefined) return
  permit.waiters.delete(next)
  next()
}

const awaitTurn = (permit: Permit): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    const wake = () => resume(Effect.void)
    permit.waiters.add(wake)
    return Effect.sync(() => {
      // Woken and interrupted at once: the turn goes to the next in line.
      if (!permit.waiters.delete(wake) && !permit.taken) wakeNext(permit)
    })
  })

/** Takes the permit. To be run in an uninterruptible region; `wait` makes the waiting interruptible, or bounds it. */
export const take = <E, R>(
  permit: Permit,
  wait: (turn: Effect.Effect<void>) => Effect.Effect<void, E, R>
): Effect.Effect<void, E, R> =>
  Effect.suspend(() =>
    tryTake(permit) ? Effect.void : Effect.flatMap(wait(awaitTurn(permit)), () => take(permit, wait))
  )

export const release = (permit: Permit): Effect.Effect<void> =>
  Effect.sync(() => {
    permit.taken = false
    wakeNext(permit)
  })

/** Runs an effect while no other holder of the permit runs. */
export const withPermit =
  (permit: Permit) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.zipRight(take(permit, restore), Effect.ensuring(restore(effect), release(permit)))
    )
