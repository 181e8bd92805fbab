/** Durations and ages for people: `45s`, `12m`, `2h 5m`, `3d 4h`; and the other way round for what people type. */
import * as Data from "effect/Data"
import * as Either from "effect/Either"

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const week = 7 * day

/** A duration in ms in at most two units; below a second `0s`. */
export const duration = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / second))
  const parts: ReadonlyArray<readonly [number, string]> = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"]
  ]
  const first = parts.findIndex(([value]) => value > 0)
  if (first === -1) return "0s"
  return parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value}${unit}`)
    .join(" ")
}

/** Clocks of two processes, or a time rounded up, may differ by this much (ms) without anything being wrong. */
const tolerance = 5 * second

/**
 * How long ago a time is, in its largest unit: `now` below a second, `4m`, `2d`, `3w`. Both in ms since 1970. A time that is
 * ahead of the clock says so (`4m ahead`): then the clock, or the record, is wrong.
 */
export const age = (at: number, now: number): string => {
  const ms = now - at
  if (ms < -tolerance) return `${largest(-ms)} ahead`
  return ms < second ? "now" : largest(ms)
}

const largest = (ms: number): string => {
  if (ms < minute) return `${Math.floor(ms / second)}s`
  if (ms < hour) return `${Math.floor(ms / minute)}m`
  if (ms < day) return `${Math.floor(ms / hour)}h`
  if (ms < 4 * week) return `${Math.floor(ms / day)}d`
  if (ms < 365 * day) return `${Math.floor(ms / week)}w`
  return `${Math.floor(ms / (365 * day))}y`
}

/** A text that is no duration. */
export class InvalidDuration extends Data.TaggedError("InvalidDuration")<{ readonly input: string }> {
  override get message(): string {
    return `"${this.input}" is no duration. Write a number with a unit (ms, s, m, h, d, w), or several, largest first: 90s, 15m, 2h, 1d12h; 0 is none.`
  }
}

const units: ReadonlyArray<readonly [unit: string, ms: number]> = [
  ["w", week],
  ["d", day],
  ["h", hour],
  ["m", minute],
  ["s", second],
  ["ms", 1]
]

/** No duration that people mean is longer; a longer one is a slip. */
const longest = 10 * 365 * day

/** What a person typed as a duration (`90s`, `15m`, `1.5h`, `1d12h`, `0`), in whole ms. A number without a unit is refused, except 0. */
export const parseDuration = (input: string): Either.Either<number, InvalidDuration> => {
  const text = input.trim().toLowerCase()
  if (text === "0") return Either.right(0)
  let total = 0
  let rest = text
  let smaller = 0
  while (rest !== "") {
    const [whole, digits = "", name = ""] = /^(\d{1,15}(?:\.\d{1,6})?)\s?(ms|[wdhms])\s?/.exec(rest) ?? []
    const index = units.findIndex(([unit]) => unit === name)
    const unit = units[index]
    if (whole === undefined || unit === undefined || index < smaller) return Either.left(new InvalidDuration({ input }))
    total += Number(digits) * unit[1]
    smaller = index + 1
    rest = rest.slice(whole.length)
  }
  return text === "" || total > longest ? Either.left(new InvalidDuration({ input })) : Either.right(Math.round(total))
}
