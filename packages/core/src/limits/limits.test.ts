import { describe, expect, test } from "@effect/vitest"
import fc from "fast-check"
import { resetTime } from "./resetTime.js"
import { structuredReset } from "./structuredReset.js"

const at = (text: string): number => Date.parse(text)
const read = (text: string, now: string, zone = "Europe/Berlin"): string | null => {
  const result = resetTime(text, at(now), zone)
  return result === null ? null : new Date(result.at).toISOString()
}

describe("resetTime", () => {
  test.each([
    // Reports against tools of this kind.
    ["You've hit your limit · resets 3pm (America/New_York)", "2026-07-10T17:30Z", "2026-07-10T19:00:00.000Z"],
    ["You've hit your limit · resets 3pm (America/New_York)", "2026-07-10T19:30Z", "2026-07-11T19:00:00.000Z"],
    ["try again at Sep 20th, 2026 3:00 PM.", "2026-09-06T10:00Z", "2026-09-20T13:00:00.000Z"],
    ["resets 25:99 (Nowhere/Land)", "2026-07-10T17:30Z", null],
    ["resets 11:30pm (Asia/Calcutta)", "2026-07-10T12:00Z", "2026-07-10T18:00:00.000Z"],
    // As claude 2.1.332 and codex 0.171 write them, and public reports quote.
    ["You've hit your 5-hour limit · resets 11:46pm (UTC)", "2026-07-10T12:00Z", "2026-07-10T23:46:00.000Z"],
    [
      "You’ve hit your usage limit. Upgrade to Pro (https://x.example/a), or try again at 11:54 PM.",
      "2026-07-10T12:00Z",
      "2026-07-10T21:54:00.000Z"
    ],
    [
      "You've hit your usage limit. Try again in 3 days 2 hours 5 minutes.",
      "2026-07-10T12:00Z",
      "2026-07-13T14:05:00.000Z"
    ],
    ["Rate limit reached. Please try again in 1.898s.", "2026-07-10T12:00Z", "2026-07-10T12:00:01.898Z"],
    ["Claude AI usage limit reached|1783710000", "2026-07-10T12:00Z", "2026-07-10T19:00:00.000Z"],
    ["Your quota will reset after 2h13m5s.", "2026-07-10T12:00Z", "2026-07-10T14:13:05.000Z"],
    ["Weekly limit reached ∙ resets Oct 5, 2pm (Europe/Berlin)", "2026-10-01T12:00Z", "2026-10-05T12:00:00.000Z"],
    // Clock times
    ["resets 3pm", "2026-07-10T12:00Z", "2026-07-10T13:00:00.000Z"],
    ["resets at 3 p.m.", "2026-07-10T12:00Z", "2026-07-10T13:00:00.000Z"],
    ["resets at 15:00", "2026-07-10T12:00Z", "2026-07-10T13:00:00.000Z"],
    ["resets 12am", "2026-07-10T12:00Z", "2026-07-10T22:00:00.000Z"],
    ["resets 12pm", "2026-07-10T12:00Z", "2026-07-11T10:00:00.000Z"],
    ["available again at midnight", "2026-07-10T12:00Z", "2026-07-10T22:00:00.000Z"],
    ["resets 3:30 PM PT", "2026-07-10T12:00Z", "2026-07-10T22:30:00.000Z"],
    ["resets at 3:00 PM EST", "2026-07-10T12:00Z", "2026-07-10T20:00:00.000Z"],
    ["resets at 14:00 UTC+2", "2026-07-10T11:00Z", "2026-07-10T12:00:00.000Z"],
    ["resets at 17:00 America/New_York", "2026-07-10T11:00Z", "2026-07-10T21:00:00.000Z"],
    ["resets 3pm (local)", "2026-07-10T12:00Z", "2026-07-10T13:00:00.000Z"],
    ["resets 3pm (your time)", "2026-07-10T12:00Z", "2026-07-10T13:00:00.000Z"],
    ["It resets tomorrow at 9am", "2026-07-10T12:00Z", "2026-07-11T07:00:00.000Z"],
    ["resets Monday 9:00 AM", "2026-07-10T12:00Z", "2026-07-13T07:00:00.000Z"],
    ["resets Fri at 1pm", "2026-07-10T12:00Z", "2026-07-17T11:00:00.000Z"],
    // Dates
    ["resets Oct 5 at 2pm", "2026-10-01T12:00Z", "2026-10-05T12:00:00.000Z"],
    ["resets on 5 October 2026, 14:00 (UTC)", "2026-10-01T12:00Z", "2026-10-05T14:00:00.000Z"],
    ["resets Jan 2, 9am (UTC)", "2026-12-30T12:00Z", "2027-01-02T09:00:00.000Z"],
    ["resets Oct 5", "2026-10-01T12:00Z", "2026-10-04T22:00:00.000Z"],
    ["resets Mon, Oct 5, 2:30 pm", "2026-10-01T12:00Z", "2026-10-05T12:30:00.000Z"],
    ["resets at 2026-07-10T19:00:00Z", "2026-07-10T12:00Z", "2026-07-10T19:00:00.000Z"],
    ["resets at 2026-07-10T19:00:00.5+0200", "2026-07-10T12:00Z", "2026-07-10T17:00:00.500Z"],
    ["resets at 2026-07-10 19:00", "2026-07-10T12:00Z", "2026-07-10T17:00:00.000Z"],
    ["resets at 2026-07-10 19:00 (Asia/Tokyo)", "2026-07-09T12:00Z", "2026-07-10T10:00:00.000Z"],
    ["resets 2026-07-12", "2026-07-10T12:00Z", "2026-07-11T22:00:00.000Z"],
    ['{"resets_at":1783710000}', "2026-07-10T12:00Z", "2026-07-10T19:00:00.000Z"],
    ['{"resetsAt": "2026-07-10T19:00:00Z"}', "2026-07-10T12:00Z", "2026-07-10T19:00:00.000Z"],
    ["reset time: 1783710000123", "2026-07-10T12:00Z", "2026-07-10T19:00:00.123Z"],
    // Lengths
    ["try again in 2 hours", "2026-07-10T12:00Z", "2026-07-10T14:00:00.000Z"],
    ["try again in 45 minutes", "2026-07-10T12:00Z", "2026-07-10T12:45:00.000Z"],
    ["try again in about an hour", "2026-07-10T12:00Z", "2026-07-10T13:00:00.000Z"],
    ["resets in 1 day, 3 hours and 5 minutes", "2026-07-10T12:00Z", "2026-07-11T15:05:00.000Z"],
    ["Please wait 30 seconds", "2026-07-10T12:00Z", "2026-07-10T12:00:30.000Z"],
    ["retry-after: 120", "2026-07-10T12:00Z", "2026-07-10T12:02:00.000Z"],
    ['"retryDelay": "34s"', "2026-07-10T12:00Z", "2026-07-10T12:00:34.000Z"],
    ["resets in 5h", "2026-07-10T12:00Z", "2026-07-10T17:00:00.000Z"],
    // Several: before the latest the limit still holds.
    [
      "5-hour limit resets 3pm (UTC); weekly limit resets Jul 14, 8am (UTC)",
      "2026-07-10T12:00Z",
      "2026-07-14T08:00:00.000Z"
    ],
    ["resets 3pm (UTC) (in 3 hours)", "2026-07-10T12:00Z", "2026-07-10T15:00:00.000Z"]
  ])("%s, at %s", (text, now, expected) => {
    expect(read(text, now)).toBe(expected)
  })

  test.each([
    "",
    "You've hit your limit",
    "resets soon",
    "resets 3",
    "resets 13pm",
    "resets 3:75pm",
    "resets 24:30",
    "resets 3pm (Nowhere/Land)",
    "resets 3pm (Mars)",
    "resets Oct 35, 2pm",
    "resets Feb 30, 2026 2pm",
    "resets Oct 5, 25:00",
    "resets Jul 9, 2pm",
    "resets Sep 20th, 2024 3:00 PM",
    "resets Sep 20th, 2036 3:00 PM",
    "resets 2026-13-40T19:00:00Z",
    "resets 1183710000",
    "resets in 0 minutes",
    "resets in 90000 days",
    "try again in a few minutes",
    "3pm is the time",
    "the reset button, 3pm",
    "at 15:00 an error happened",
    "wait, what? 10 of 20",
    "preset 3pm"
  ])("says nothing about %j", (text) => {
    expect(read(text, "2026-07-10T12:00Z")).toBeNull()
  })

  test("an unknown local zone matters only where no other is named", () => {
    expect(read("resets 3pm", "2026-07-10T12:00Z", "Nowhere/Land")).toBeNull()
    expect(read("resets 3pm (UTC)", "2026-07-10T12:00Z", "Nowhere/Land")).toBe("2026-07-10T15:00:00.000Z")
  })

  test("in the gap of summer time it is the time after the gap, in the doubled hour the second", () => {
    expect(read("resets 2:30am", "2026-03-28T20:00Z")).toBe("2026-03-29T01:30:00.000Z")
    expect(read("resets 2:30am", "2026-10-24T20:00Z")).toBe("2026-10-25T01:30:00.000Z")
    expect(read("resets 2:30am", "2026-10-25T00:45Z")).toBe("2026-10-25T01:30:00.000Z")
    expect(read("resets 3pm", "2026-03-28T15:00Z")).toBe("2026-03-29T13:00:00.000Z")
  })

  test("any text gives a time ahead and within 400 days, or none", () => {
    const word = fc.oneof(
      fc.constantFrom(
        "resets",
        "try again",
        "in",
        "at",
        "3pm",
        "25:99",
        "Oct 5",
        "Feb 30",
        "2026",
        ",",
        "(UTC)",
        "(Europe/Berlin)",
        "(Mars)",
        "2 hours",
        "monday",
        "2026-07-10T19:00:00Z",
        "1783710000",
        "9999999999999",
        "12",
        ":",
        "30"
      ),
      fc.string({ maxLength: 5 })
    )
    const now = at("2026-07-10T12:00Z")
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 12 }),
        fc.constantFrom("UTC", "Asia/Kolkata", "America/New_York", "?"),
        (words, zone) => {
          const result = resetTime(words.join(" "), now, zone)
          if (result !== null) {
            expect(result.at).toBeGreaterThan(now)
            expect(result.at).toBeLessThan(now + 400 * 86_400_000)
            expect(Number.isInteger(result.at)).toBe(true)
          }
        }
      ),
      { numRuns: 2000 }
    )
  })

  test("a clock time is met again when it is read back in its zone", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: at("2026-01-01T00:00Z"), max: at("2027-01-01T00:00Z") }),
        fc.nat(23),
        fc.nat(59),
        fc.constantFrom("Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"),
        (now, hour, minute, zone) => {
          const clock = `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`
          const result = resetTime(`resets ${clock} (${zone})`, now, "UTC")
          expect(result).not.toBeNull()
          const ahead = (result?.at ?? 0) - now
          expect(ahead).toBeLessThanOrEqual(26 * 3_600_000)
          const shown = new Intl.DateTimeFormat("en-GB", {
            timeZone: zone,
            hour: "2-digit",
            minute: "2-digit",
            hourCycle: "h23"
          }).format(result?.at)
          // A time in the gap of summer time is not shown on any clock.
          if (shown !== clock) expect(["01", "02", "03"]).toContain(clock.slice(0, 2))
        }
      ),
      { numRuns: 500 }
    )
  })

  test("takes little time for any text", () => {
    for (const piece of [
      "resets ",
      "resets at ",
      "in 1h ",
      "1h",
      "resets 1h and ",
      "until until ",
      "Oct ",
      "9",
      "resets Oct 5, ",
      "resets:::",
      " "
    ]) {
      const started = Date.now()
      resetTime(`resets ${piece.repeat(100_000)}`, at("2026-07-10T12:00Z"), "UTC")
      expect(Date.now() - started, piece).toBeLessThan(1000)
    }
  })
})

describe("structuredReset", () => {
  const now = at("2026-07-10T12:00Z")
  test.each([
    [1783710000, "2026-07-10T19:00:00.000Z"],
    [1783710000.25, "2026-07-10T19:00:00.250Z"],
    [1783710000000, "2026-07-10T19:00:00.000Z"],
    ["1783710000", "2026-07-10T19:00:00.000Z"],
    ["2026-07-10T19:00:00Z", "2026-07-10T19:00:00.000Z"],
    ["2026-07-10T21:00:00.123456+02:00", "2026-07-10T19:00:00.123Z"],
    ["2026-07-10 21:00:00+0200", "2026-07-10T19:00:00.000Z"],
    [at("2026-07-10T11:00Z") / 1000, "2026-07-10T11:00:00.000Z"]
  ])("%j", (value, expected) => {
    expect(new Date(structuredReset(value, now) ?? 0).toISOString()).toBe(expected)
  })

  test.each([
    null,
    undefined,
    0,
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    3600,
    1e20,
    17837100000,
    "",
    "soon",
    "2026-07-10",
    "2026-07-10T19:00:00",
    "2026-99-10T19:00:00Z",
    "3600",
    true,
    {},
    [1783710000],
    1683710000
  ])("%j is no reset time", (value) => {
    expect(structuredReset(value, now)).toBeNull()
  })
})
