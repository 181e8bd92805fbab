/**
 * The model in motion: messages come in, commands go out, listeners hear of it at most 30 times a second, and of the first
 * change at once.
 */
import type { Command } from "../model/Command.js"
import type { Message } from "../model/Message.js"
import type { Model } from "../model/Model.js"
import { update } from "../update/update.js"

export interface MonitorStore {
  /** What is shown: stays the same object between two frames. */
  readonly get: () => Model
  /** What is known, shown or not yet. */
  readonly current: () => Model
  readonly dispatch: (message: Message) => void
  readonly subscribe: (listener: () => void) => () => void
  /** Stops telling anybody. */
  readonly close: () => void
}

/** Between two frames at least, ms. */
const frameMs = 33

/**
 * Whether two models look the same. That the store answered again is news only to the seconds in the header, which the next
 * tick brings up to date anyway.
 */
const sameSight = (before: Model, after: Model): boolean =>
  before === after ||
  (Object.keys(after) as ReadonlyArray<keyof Model>).every(
    (name) =>
      before[name] === after[name] ||
      (name === "connection" && before.connection._tag === "Live" && after.connection._tag === "Live")
  )

export const makeStore = (initial: Model, perform: (command: Command, store: MonitorStore) => void): MonitorStore => {
  let model = initial
  let shown = initial
  let lastAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | null = null
  let closed = false
  const listeners = new Set<() => void>()
  const tell = (): void => {
    timer = null
    if (closed || shown === model) return
    lastAt = performance.now()
    shown = model
    for (const listener of listeners) listener()
  }
  const store: MonitorStore = {
    get: () => shown,
    current: () => model,
    dispatch: (message) => {
      if (closed) return
      const [next, commands] = update(model, message)
      model = next
      if (!sameSight(shown, model)) {
        const wait = lastAt + frameMs - performance.now()
        if (wait <= 0) tell()
        else timer ??= setTimeout(tell, wait)
      }
      for (const command of commands) perform(command, store)
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    close: () => {
      closed = true
      if (timer !== null) clearTimeout(timer)
      listeners.clear()
    }
  }
  return store
}
