/**
 * What all JSON documents share: times as ISO 8601 in UTC with milliseconds, unknown as `null`, text that every strict
 * parser takes. Encoders are plain functions written by hand, and load no schema, since lists are printed often and the
 * program is started often; tests hold them to the schemas.
 */

/** The farthest times that a date can hold, in ms. */
const farthest = 8.64e15

/** A time (ms since 1970) as ISO 8601; what no calendar holds is shown as the last time that it does. */
export const iso = (time: number): string => new Date(Math.min(farthest, Math.max(-farthest, time))).toISOString()

export const isoOrNull = (time: number | null): string | null => (time === null ? null : iso(time))

/** Half a surrogate pair as JSON writes it; a backslash before it would make it plain text. */
const loneSurrogate = /\\ud[89a-f]/

/**
 * A document as one line of JSON, without a line end. Text that is not well-formed (half an emoji) becomes U+FFFD, also in
 * names: a strict parser takes every line.
 */
export const jsonText = (document: object): string => {
  const json = JSON.stringify(document)
  return loneSurrogate.test(json) ? JSON.stringify(wellFormed(document)) : json
}

const wellFormed = (value: unknown): unknown => {
  if (typeof value === "string") return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name.toWellFormed(), wellFormed(each)]))
}
