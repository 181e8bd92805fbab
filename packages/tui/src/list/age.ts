/** How long ago something was, in at most four signs. */
import { changesAt } from "./until.js"

const units: ReadonlyArray<readonly [ms: number, unit: string, upTo: number]> = [
  [1000, "s", 60_000],
  [60_000, "m", 3_600_000],
  [3_600_000, "h", 48 * 3_600_000],
  [86_400_000, "d", 100 * 86_400_000],
  [7 * 86_400_000, "w", 100 * 7 * 86_400_000],
  [365 * 86_400_000, "y", Number.POSITIVE_INFINITY]
]

/** `9s`, `4m`, `3h`, `12d`, `20w`, `2y` since a time (both in ms); a time that has not come yet is `0s`. */
export const age = (then: number, now: number): string => {
  const ms = Math.max(0, now - then)
  const [size, unit] = units.find(([, , upTo]) => ms < upTo) ?? [1000, "s"]
  const count = Math.floor(ms / size)
  changesAt(then + (count + 1) * size)
  return `${count}${unit}`
}
