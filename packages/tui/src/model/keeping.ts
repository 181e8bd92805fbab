/**
 * Keeps the last result of a pure computation, for as long as nothing that it was made from has changed: a screen is drawn
 * anew each second, and most of it is what it was.
 */
import { changesAt, lasting } from "../list/index.js"

const same = (before: ReadonlyArray<unknown>, after: ReadonlyArray<unknown>): boolean =>
  before.length === after.length && before.every((each, index) => each === after[index])

/** `from`: all that the result is made from. */
export const keeping = <Value>(): ((from: ReadonlyArray<unknown>, make: () => Value) => Value) => {
  let last: { readonly from: ReadonlyArray<unknown>; readonly value: Value } | null = null
  return (from, make) => {
    if (last === null || !same(last.from, from)) last = { from, value: make() }
    return last.value
  }
}

/** The same where the result tells of times: `from` is all but `now`, and the texts in it say how long they last. */
export const keepingWhile = <Value>(): ((from: ReadonlyArray<unknown>, now: number, make: () => Value) => Value) => {
  let last: {
    readonly from: ReadonlyArray<unknown>
    readonly value: Value
    readonly since: number
    readonly until: number
  } | null = null
  return (from, now, make) => {
    if (last === null || now < last.since || now >= last.until || !same(last.from, from))
      last = { from, since: now, ...lasting(make) }
    changesAt(last.until)
    return last.value
  }
}
