/**
 * Courtesy between processes that write. SQLite gives its lock to whoever asks first, and a process that writes without a
 * pause is always first: on a machine with few cores it is even put to sleep while it holds the lock, and all others ask in
 * vain (tried: eight such writers on two busy cores, one of them turned away for ten seconds).
 *
 * So whoever is turned away leaves a mark, the time of a small file; and whoever has just written, and sees a fresh mark of
 * somebody else, waits for a moment before it asks again. The mark is a hint: nothing depends on it but fairness.
 */
import * as Fs from "node:fs"
import { createPrivateFile } from "../files/privateFile.js"

/** A mark older than this is of somebody who has had their turn, or has given up, ms. */
export const markAgeMs = 60
/** Only who wrote this recently may be keeping others from it, ms. */
export const recentMs = 30
/** How long others are let go first, ms: a little more than their longest pause between two attempts. */
export const letGoMs = 10

export interface Courtesy {
  /** Leaves the mark: this process was turned away. */
  readonly turnedAway: () => void
  /** This process has written. */
  readonly wrote: () => void
  /** Whether another process should be let go first. */
  readonly othersWait: () => boolean
}

/** Courtesy by the file at `path`, which is made when it is first needed. */
export const make = (path: string, now: () => number = Date.now): Courtesy => {
  let ownMark = 0
  let wroteAt = Number.NEGATIVE_INFINITY
  const timeOfMark = (): number => Math.round(Fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  return {
    turnedAway: () => {
      const at = Math.round(now())
      // Once in a while is enough.
      if (at - ownMark < markAgeMs / 4 && at >= ownMark) return
      try {
        if (!Fs.existsSync(path)) createPrivateFile(path)
        Fs.utimesSync(path, at / 1000, at / 1000)
        ownMark = at
      } catch {
        // A folder that takes no mark makes nobody fail: waiting is only less fair.
      }
    },
    wrote: () => {
      wroteAt = now()
    },
    othersWait: () => {
      const at = now()
      if (at - wroteAt > recentMs || at < wroteAt) return false
      const mark = timeOfMark()
      return mark !== ownMark && Math.abs(at - mark) <= markAgeMs
    }
  }
}
