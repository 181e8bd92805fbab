/** Durations as people write them on a command line or in a configuration: `30s`, `5m`, `1h30m`, `7d`, `500ms`, `0`. */

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000
}

const part = /(\d+(?:\.\d+)?)(ms|[smhdw])/y

/** The same as a pattern of a JSON Schema, for what is above 0 or for all; a number that is too great passes it. */
export const durationPattern = (positive: boolean): string => {
  const parts = "(?:\\d+(?:\\.\\d+)?(?:[mM][sS]|[sSmMhHdDwW]))+"
  return positive ? `^\\s*(?=\\S*[1-9])${parts}\\s*$` : `^\\s*(?:0|${parts})\\s*$`
}

/** The duration in ms, or `null` if the text is none. A number without a unit is none, except 0: nobody guesses the unit. */
export const parseDuration = (text: string): number | null => {
  const written = text.trim().toLowerCase()
  if (written === "0") return 0
  let ms = 0
  let at = 0
  while (at < written.length) {
    part.lastIndex = at
    const found = part.exec(written)
    if (found === null) return null
    ms += Number(found[1]) * (unitMs[found[2] ?? ""] ?? 0)
    at = part.lastIndex
  }
  return at === 0 || !Number.isSafeInteger(Math.round(ms)) ? null : Math.round(ms)
}

/** The shortest way to write a duration (ms) that `parseDuration` reads back. */
export const writeDuration = (ms: number): string => {
  if (ms === 0) return "0"
  const units = Object.entries(unitMs).reverse()
  const parts: Array<string> = []
  let left = ms
  for (const [unit, size] of units) {
    const count = Math.floor(left / size)
    if (count > 0) parts.push(`${count}${unit}`)
    left -= count * size
  }
  return parts.join("")
}

/** A moment given as a date (`2026-11-30`, ISO 8601) or as a duration before `now`; `null` if it is neither. */
export const parseMoment = (text: string, now: number): number | null => {
  const ago = parseDuration(text)
  if (ago !== null) return now - ago
  const time = /^\d{4}-\d{2}-\d{2}/.test(text.trim()) ? Date.parse(text.trim()) : Number.NaN
  return Number.isNaN(time) ? null : time
}
