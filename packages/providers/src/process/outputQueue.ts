/**
 * Between a child's pipes, which push, and a stream, which pulls. It holds what was pushed until it is taken; above the
 * high-water mark it asks the source to pause, so memory stays bounded however slow the reader is.
 */
import * as Effect from "effect/Effect"

export interface OutputQueue<A> {
  /** Adds an item that takes `bytes` of memory. */
  readonly offer: (item: A, bytes: number) => void
  /** Everything that waits now; lets the source go on. */
  readonly takeAll: () => ReadonlyArray<A>
  /** Whether the source was asked to pause. */
  readonly isFull: () => boolean
  /** Wakes whoever waits, without an item: something else has changed. */
  readonly wake: () => void
  /** Waits for the next item or `wake`, at most `ms` (`null`: without a limit). Returns at once if an item waits. */
  readonly awaitChange: (ms: number | null) => Effect.Effect<void>
}

export const makeOutputQueue = <A>(options: {
  readonly highWater: number
  readonly pause: () => void
  readonly resume: () => void
}): OutputQueue<A> => {
  let items: Array<A> = []
  let held = 0
  let full = false
  let waiting: (() => void) | null = null

  const wake = (): void => {
    const waiter = waiting
    waiting = null
    waiter?.()
  }

  return {
    offer: (item, bytes) => {
      items.push(item)
      held += bytes
      if (!full && held > options.highWater) {
        full = true
        options.pause()
      }
      wake()
    },
    takeAll: () => {
      const taken = items
      items = []
      held = 0
      if (full) {
        full = false
        options.resume()
      }
      return taken
    },
    isFull: () => full,
    wake,
    awaitChange: (ms) =>
      Effect.async<void>((done) => {
        if (items.length > 0) return done(Effect.void)
        const timer = ms === null ? null : setTimeout(wake, ms)
        const waiter = (): void => {
          if (timer !== null) clearTimeout(timer)
          done(Effect.void)
        }
        waiting = waiter
        return Effect.sync(() => {
          if (timer !== null) clearTimeout(timer)
          if (waiting === waiter) waiting = null
        })
      })
  }
}
