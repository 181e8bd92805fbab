/**
 * The write permit: of all fibers of a process, one at a time waits for SQLite's write lock or holds it, first come, first
 * served. Every write blocks the event loop, for long where the disk is synced, so when holders have had the loop for
 * `loopMs` it gets a turn before the next.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** One who waits for the permit. */
class Waiter {
  #woken = false
  #resume: (() => void) | null = null

  /** The permit is this waiter's now. */
  wake(): void {
    this.#woken = true
    this.#resume?.()
  }

  readonly turn: Effect.Effect<void> = Effect.async<void>((resume) => {
    if (this.#woken) resume(Effect.void)
    else this.#resume = () => resume(Effect.void)
  })
}

export interface Permit {
  taken: boolean
  /** When the first holder since the event loop's last turn began, in monotonic ms; `null`: none has. */
  since: number | null
  readonly waiters: Set<Waiter>
}

export const make = (): Permit => ({ taken: false, since: null, waiters: new Set() })

/** How long holders may follow one another without a turn of the event loop, ms: a few commits that are not synced. */
export const loopMs = 1

const moment = (): number => {
  const [seconds, nanos] = process.hrtime()
  return seconds * 1e3 + nanos / 1e6
}

/** Begins to hold the permit. */
const hold = (permit: Permit): void => {
  permit.taken = true
  if (permit.since !== null) return
  permit.since = moment()
  setImmediate(() => {
    permit.since = null
  })
}

/** Gives the permit to the next who waits, or frees it. */
const next = (permit: Permit): void => {
  permit.taken = false
  const [first] = permit.waiters
  if (first === undefined) return
  permit.waiters.delete(first)
  hold(permit)
  first.wake()
}

/** Passes the permit on: at once, or after a turn of the event loop, which others of the process have waited for. */
const pass = (permit: Permit): void => {
  if (permit.since === null || moment() - permit.since < loopMs) next(permit)
  else setImmediate(() => next(permit))
}

/**
 * Takes the permit. To be run in an uninterruptible region; `wait` makes the waiting interruptible, or bounds it. Whoever
 * gave up may have been given the permit in the same moment, and then passes it on.
 */
export const take = <E, R>(
  permit: Permit,
  wait: (turn: Effect.Effect<void>) => Effect.Effect<void, E, R>
): Effect.Effect<void, E, R> =>
  Effect.suspend(() => {
    if (!permit.taken) {
      hold(permit)
      return Effect.void
    }
    const waiter = new Waiter()
    permit.waiters.add(waiter)
    return Effect.onExit(wait(waiter.turn), (exit) =>
      Effect.sync(() => {
        if (Exit.isFailure(exit) && !permit.waiters.delete(waiter)) pass(permit)
      })
    )
  })

export const release = (permit: Permit): Effect.Effect<void> => Effect.sync(() => pass(permit))

/** Runs an effect while no other holder of the permit runs. */
export const withPermit =
  (permit: Permit) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.zipRight(take(permit, restore), Effect.ensuring(restore(effect), release(permit)))
    )
