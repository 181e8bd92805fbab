/**
 * Careful reading of JSON that somebody else wrote: every accessor answers `null` (or something empty) for a value of
 * another type, so a decoder never throws on a shape that it did not expect.
 */
export type JsonObject = Readonly<Record<string, unknown>>

const nothing: JsonObject = {}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The object that a line holds; `null` if it is no JSON, or JSON of another type. A byte order mark is tolerated. */
export const parseObject = (line: string): JsonObject | null => {
  try {
    const value: unknown = JSON.parse(line.trim())
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

export const text = (value: unknown): string | null => (typeof value === "string" ? value : null)

export const number = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null

/** A count: a whole number that is not negative; 0 for everything else. */
export const count = (value: unknown): number =>
  Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.round(number(value) ?? 0)))

/** The object, or an empty one. */
export const object = (value: unknown): JsonObject => (isObject(value) ? value : nothing)

/** The array, or an empty one. */
export const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** The texts of an array, whatever else is in it left out. */
export const texts = (value: unknown): ReadonlyArray<string> => list(value).filter((item) => typeof item === "string")

/**
 * A moment as milliseconds since 1970: from an ISO 8601 text, or a number of seconds or milliseconds (told apart by
 * size: seconds stay below 10^11 until the year 5138).
 */
export const moment = (value: unknown): number | null => {
  const parsed = typeof value === "string" ? Date.parse(value) : number(value)
  if (parsed === null || Number.isNaN(parsed) || parsed <= 0) return null
  const ms = typeof value === "number" && parsed < 1e11 ? parsed * 1000 : parsed
  return ms > 8.64e15 ? null : Math.round(ms)
}
