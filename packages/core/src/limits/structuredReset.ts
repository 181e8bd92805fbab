/** When a limit resets, from a field of the provider's data. */

const second = 1000
const day = 86_400 * second
/** Limits of a year and a month at most; a time that has just passed is a fact too. */
const farthestAhead = 400 * day
const farthestBack = day

/** No time of this century in ms is smaller; no time in seconds is as large. */
const smallestMs = 100_000_000_000

const isoTime = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d{2}:?\d{2})$/

/**
 * The time (ms since 1970) that a field `resets_at` or the like means: seconds or milliseconds since 1970, as number or
 * text, or ISO 8601 with its offset. `null` for anything else, and for a time more than a day back or 400 days ahead of
 * `now` (ms): that is no reset time, whatever it is.
 */
export const structuredReset = (value: unknown, now: number): number | null => {
  const at = timeOf(value)
  return at !== null && at > now - farthestBack && at < now + farthestAhead ? at : null
}

const timeOf = (value: unknown): number | null => {
  if (typeof value === "number") return fromEpoch(value)
  if (typeof value !== "string") return null
  const text = value.trim()
  if (/^\d{9,14}(?:\.\d{1,9})?$/.test(text)) return fromEpoch(Number(text))
  if (!isoTime.test(text)) return null
  const at = Date.parse(
    text
      .replace(" ", "T")
      .replace(/([+-]\d{2})(\d{2})$/, "$1:$2")
      .toUpperCase()
  )
  return Number.isNaN(at) ? null : at
}

/** Seconds or milliseconds since 1970, told apart by size, in whole ms. */
export const fromEpoch = (value: number): number | null =>
  Number.isFinite(value) && value > 0 ? Math.round(value < smallestMs ? value * second : value) : null
