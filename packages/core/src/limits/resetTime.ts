/**
 * When a usage limit resets, read from a provider's words. Pure, and slow to load (luxon): import it where a limit was
 * hit, not at start-up.
 *
 * The words looked at are the ones after "resets", "try again", "until" and the like. Among the forms the most telling
 * is tried first, and a form that is there but makes no sense ends the reading there: a broken date is never read as a
 * clock time. Of several times the latest counts, since before it the limit still holds.
 */
import { DateTime, FixedOffsetZone, IANAZone, type Zone } from "luxon"
import { fromEpoch } from "./structuredReset.js"

/** A time read from words; `at` in ms since 1970. */
export interface ResetTime {
  readonly at: number
  readonly source: "text"
}

/** Longer texts are looked at only at their beginning and end. */
const longest = 4096
const farthestAhead = 400 * 86_400_000

/**
 * The time at which a limit resets, from the provider's text, as seen at `now` (ms since 1970) on a machine in
 * `localZone` (IANA name), which counts where the text names no zone. `null` where the text names no time, an
 * impossible one, an unknown zone, or one that is past or more than 400 days ahead. The forms are those of claude 2.1.332, codex
 * 0.171 and of public reports about them and others.
 */
export const resetTime = (text: string, now: number, localZone: string): ResetTime | null => {
  const looked = text.length > longest ? `${text.slice(0, longest / 2)}\n${text.slice(-longest / 2)}` : text
  const clean = looked.replace(/[\u00a0\u2007\u2009\u202f]/g, " ")
  const local = zoneOf(localZone)
  let latest: number | null = null
  for (const hit of clean.matchAll(announcement)) {
    const at = read(clean, hit.index + hit[0].length, { now, local })
    if (at !== null && at > now && at < now + farthestAhead && (latest === null || at > latest)) latest = at
  }
  return latest === null ? null : { at: latest, source: "text" }
}

/** What comes before a time. */
const announcement =
  /\b(?:resets?[_ -]?(?:at|in|on|after|time|date)|reset(?:s|ting)?|renews?|refresh(?:es)?|try again|retry(?:[_ -](?:after|in|at))?|retryDelay|come back|available|back|until|wait|again|continue|limit reached)(?![a-z])/gi

/** Words and signs between the announcement and the time. */
const filler =
  /(?:[\s:=|~"'·•*,(]|(?:at|on|by|is|it|will|be|your|the|limit|usage|time|date|again|after|approximately|approx|about|around|for|up|to|next|until|full|please|access|quota|in(?=\s+(?:about|around|approximately|~)))(?![a-z]))*/iy

interface Place {
  readonly now: number
  readonly local: Zone | null
}

/** The time that stands at a place of the text; `null` if there is none, or none that makes sense. */
const read = (text: string, from: number, place: Place): number | null => {
  filler.lastIndex = from
  filler.exec(text)
  const start = Math.max(from, filler.lastIndex)
  for (const form of forms) {
    form.pattern.lastIndex = start
    const match = form.pattern.exec(text)
    if (match !== null) return form.read(match, text, place)
  }
  return null
}

interface Form {
  /** Sticky: stands exactly here. */
  readonly pattern: RegExp
  readonly read: (match: RegExpExecArray, text: string, place: Place) => number | null
}

const months =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
const weekdays =
  "mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs?(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?"
const amount = "\\d{1,9}(?:\\.\\d{1,9})?"
const unit = "weeks?|w|days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s|milliseconds?|ms"
const span = `(?:${amount}\\s?|\\b(?:an?|one)\\s+)(?:${unit})(?![a-z])`
/** A clock time, or what has its place and is none. */
const clock =
  "(?:(?<hour>\\d{1,2})(?:[:.h](?<minute>\\d{2})(?::(?<second>\\d{2}))?)?\\s?(?<half>[ap]\\.?m\\b\\.?)?|(?<named>noon|midnight))"

const forms: ReadonlyArray<Form> = [
  // 2026-07-10T19:00:00Z, 2026-07-10 19:00 (Europe/Berlin)
  {
    pattern:
      /(\d{4}-\d{2}-\d{2})(?:(?:[T ]|,? at )(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s?(Z\b|[+-]\d{2}:?\d{2})?)?/iy,
    read: (match, text, place) => {
      const [whole, date = "", time, offset] = match
      if (time === undefined)
        return ahead(
          inZone(text, match.index + whole.length, place, (zone) => DateTime.fromISO(date, { zone })),
          place
        )
      if (offset !== undefined)
        return millis(
          DateTime.fromISO(`${date}T${time}${offset.replace(/^([+-]\d{2})(\d{2})$/, "$1:$2").toUpperCase()}`)
        )
      return inZone(text, match.index + whole.length, place, (zone) => DateTime.fromISO(`${date}T${time}`, { zone }))
    }
  },
  // 1783710000, 1783710000000
  { pattern: /(\d{13}|\d{10})(?:\.\d{1,9})?(?!\d)/y, read: ([, digits = ""]) => fromEpoch(Number(digits)) },
  // 2 hours, 3 days 2 hours 5 minutes, 5h3m, 1.898s, an hour
  {
    pattern: new RegExp(`(?:in\\s+)?(${span}(?:(?:\\s|,|and\\b)*${span})*)`, "iy"),
    read: ([, spans = ""], _, { now }) => {
      const ms = lengthOf(spans)
      return ms === null ? null : Math.round(now + ms)
    }
  },
  // Retry-After: 120
  {
    pattern: /(?:in\s+)?(\d{1,7})(?=\s*(?:$|["'},;\n]|\.(?!\d)))/y,
    read: ([, seconds = ""], text, place) => retryAfter(text, Number(seconds), place)
  },
  // Sep 20th, 2026 3:00 PM; Oct 5, 2pm (Europe/Berlin); Oct 5
  {
    pattern: new RegExp(
      `(?:(?:${weekdays})\\b,?\\s+)?(?<month>${months})\\.?\\s+(?<day>\\d{1,2})(?:st|nd|rd|th)?\\b(?:,?\\s+(?<year>\\d{4})\\b(?!:))?(?:(?:,|\\s+at\\b|\\s+by\\b|\\s)\\s*(?:at\\s+)?${clock})?`,
      "iy"
    ),
    read: (match, text, place) => onDate(match, text, place)
  },
  // 20 September 2026, 15:00
  {
    pattern: new RegExp(
      `(?:(?:${weekdays})\\b,?\\s+)?(?<day>\\d{1,2})(?:st|nd|rd|th)?\\s+(?:of\\s+)?(?<month>${months})\\b\\.?(?:,?\\s+(?<year>\\d{4})\\b(?!:))?(?:(?:,|\\s+at\\b|\\s+by\\b|\\s)\\s*(?:at\\s+)?${clock})?`,
      "iy"
    ),
    read: (match, text, place) => onDate(match, text, place)
  },
  // Monday at 3pm, tomorrow 15:00
  {
    pattern: new RegExp(
      `(?<weekday>${weekdays}|today|tonight|tomorrow)\\b(?:(?:,|\\s+at\\b|\\s)\\s*(?:at\\s+)?${clock})?`,
      "iy"
    ),
    read: (match, text, place) => onWeekday(match, text, place)
  },
  // 3pm (America/New_York), 11:54 PM, 15:00
  { pattern: new RegExp(`${clock}(?!\\d)`, "iy"), read: (match, text, place) => atClock(match, text, place) }
]

const unitMs: Readonly<Record<string, number>> = {
  w: 604_800_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1
}

/** The length of `3 days 2 hours 5 minutes` in ms. */
const lengthOf = (spans: string): number | null => {
  let total = 0
  for (const [, count = "", name = ""] of spans.matchAll(
    new RegExp(`(${amount}|\\b(?:an?|one)(?=\\s))\\s?(${unit})(?![a-z])`, "gi")
  )) {
    const lower = name.toLowerCase()
    const ms = unitMs[lower === "ms" || lower.startsWith("milli") ? "ms" : lower.slice(0, 1)]
    if (ms === undefined) return null
    total += (/^\d/.test(count) ? Number(count) : 1) * ms
  }
  return total > 0 ? total : null
}

/** A bare number is seconds only where the text says `retry after`, as the HTTP header does. */
const retryAfter = (text: string, seconds: number, { now }: Place): number | null =>
  /retry[-_ ]?after/i.test(text) && seconds > 0 ? now + seconds * 1000 : null

interface ClockTime {
  readonly hour: number
  readonly minute: number
  readonly second: number
}

/** The clock time of a match; `null` for an impossible one, and for a bare number, which may be anything. */
const clockOf = ({ groups = {} }: RegExpExecArray): ClockTime | null => {
  if (groups.named !== undefined) return { hour: groups.named.toLowerCase() === "noon" ? 12 : 0, minute: 0, second: 0 }
  const hour = Number(groups.hour)
  const minute = Number(groups.minute ?? 0)
  const second = Number(groups.second ?? 0)
  if (minute > 59 || second > 59) return null
  const half = groups.half?.[0]?.toLowerCase()
  if (half !== undefined)
    return hour >= 1 && hour <= 12 ? { hour: (hour % 12) + (half === "p" ? 12 : 0), minute, second } : null
  return groups.minute !== undefined && hour <= 23 ? { hour, minute, second } : null
}

const hasClock = ({ groups = {} }: RegExpExecArray): boolean => groups.hour !== undefined || groups.named !== undefined

const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
const weekdayNames = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

/** Without a year, and past: the next year's only if that is near; a limit that resets in eleven months is a misreading. */
const nextYearWithin = 180 * 86_400_000

const onDate = (match: RegExpExecArray, text: string, place: Place): number | null => {
  const { month = "", day = "", year } = match.groups ?? {}
  const time = hasClock(match) ? clockOf(match) : { hour: 0, minute: 0, second: 0 }
  if (time === null) return null
  const date = { month: monthNames.indexOf(month.slice(0, 3).toLowerCase()) + 1, day: Number(day) }
  return inZone(text, match.index + match[0].length, place, (zone) => {
    const thisYear = DateTime.fromMillis(place.now, { zone }).year
    if (year !== undefined) return DateTime.fromObject({ year: Number(year), ...date, ...time }, { zone })
    const here = DateTime.fromObject({ year: thisYear, ...date, ...time }, { zone })
    if (here.isValid && latestOf(here) > place.now) return here
    const next = DateTime.fromObject({ year: thisYear + 1, ...date, ...time }, { zone })
    return next.isValid && next.toMillis() - place.now <= nextYearWithin ? next : here
  })
}

const onWeekday = (match: RegExpExecArray, text: string, place: Place): number | null => {
  const word = (match.groups?.weekday ?? "").toLowerCase()
  const time = hasClock(match) ? clockOf(match) : { hour: 0, minute: 0, second: 0 }
  if (time === null || (!hasClock(match) && word.startsWith("to") && word !== "tomorrow")) return null
  return inZone(text, match.index + match[0].length, place, (zone) => {
    const today = DateTime.fromMillis(place.now, { zone })
    if (word === "today" || word === "tonight") return dayAt(today, 0, time)
    if (word === "tomorrow") return dayAt(today, 1, time)
    const days = (weekdayNames.indexOf(word.slice(0, 3)) + 1 - today.weekday + 7) % 7
    const first = dayAt(today, days, time)
    return latestOf(first) > place.now ? first : dayAt(today, days + 7, time)
  })
}

const atClock = (match: RegExpExecArray, text: string, place: Place): number | null => {
  const time = clockOf(match)
  if (time === null) return null
  return inZone(text, match.index + match[0].length, place, (zone) => {
    const today = DateTime.fromMillis(place.now, { zone })
    const first = dayAt(today, 0, time)
    return latestOf(first) > place.now ? first : dayAt(today, 1, time)
  })
}

/** A clock time on the day that is `days` after a day; in a gap of summer time the time after it. */
const dayAt = (day: DateTime, days: number, time: ClockTime): DateTime => {
  const { year, month, day: number } = day.plus({ days })
  return DateTime.fromObject({ year, month, day: number, ...time }, { zone: day.zone })
}

/** A clock time that occurs twice, when summer time ends, means the second: before it the limit may still hold. */
const latestOf = (time: DateTime): number =>
  Math.max(...time.getPossibleOffsets().map((each) => each.toMillis()), time.toMillis())

const millis = (time: DateTime): number | null => (time.isValid ? time.toMillis() : null)

/** A date alone means its beginning, and nothing once that is past. */
const ahead = (at: number | null, { now }: Place): number | null => (at !== null && at > now ? at : null)

/** What follows a time and may name its zone. */
const zoneAfter =
  /[,\s]*(?:\(\s*([A-Za-z][A-Za-z0-9_+:/-]*)\s*\)|\[([A-Za-z][A-Za-z0-9_+:/-]*)\]|((?:UTC|GMT)(?:[+-]\d{1,2}(?::?\d{2})?)?|[A-Z][A-Za-z_]+\/[A-Za-z_+/-]+|[PMCEA][SD]?T|CES?T|EES?T|WES?T|BST|IST|JST|KST|Z)\b)/y

/** The time that `make` gives in the zone named after `end`, else in the local one; `null` in an unknown zone. */
const inZone = (text: string, end: number, { local }: Place, make: (zone: Zone) => DateTime): number | null => {
  zoneAfter.lastIndex = end
  const [, round, square, bare] = zoneAfter.exec(text) ?? []
  const name = round ?? square ?? bare
  const zone = name === undefined || /^local$/i.test(name) ? local : zoneOf(name)
  if (zone === null) return null
  const time = make(zone)
  return time.isValid ? latestOf(time) : null
}

/** Abbreviations that mean one thing: minutes from UTC, or a region whose summer time decides. */
const abbreviations: Readonly<Record<string, number | string>> = {
  UTC: 0,
  GMT: 0,
  Z: 0,
  PT: "America/Los_Angeles",
  PST: -480,
  PDT: -420,
  MT: "America/Denver",
  MST: -420,
  MDT: -360,
  CT: "America/Chicago",
  CDT: -300,
  ET: "America/New_York",
  EST: -300,
  EDT: -240,
  WET: 0,
  WEST: 60,
  CET: 60,
  CEST: 120,
  EET: 120,
  EEST: 180,
  JST: 540,
  KST: 540
}

const zoneOf = (name: string): Zone | null => {
  const known = abbreviations[name.toUpperCase()]
  if (typeof known === "number") return FixedOffsetZone.instance(known)
  const [, sign, hours, minutes = "0"] = /^(?:UTC|GMT)([+-])(\d{1,2})(?::?(\d{2}))?$/i.exec(name) ?? []
  if (sign !== undefined) {
    const offset = Number(hours) * 60 + Number(minutes)
    return offset <= 14 * 60 ? FixedOffsetZone.instance(sign === "-" ? -offset : offset) : null
  }
  const region = typeof known === "string" ? known : name
  return IANAZone.isValidZone(region) ? IANAZone.create(region) : null
}
