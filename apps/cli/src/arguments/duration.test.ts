import * as fc from "fast-check"
import { expect, it } from "vitest"
import { parseDuration, parseMoment, writeDuration } from "./duration.js"

it.each([
  ["0", 0],
  ["500ms", 500],
  ["30s", 30_000],
  ["5m", 300_000],
  ["1h30m", 5_400_000],
  ["1.5h", 5_400_000],
  ["24h", 86_400_000],
  ["7d", 604_800_000],
  ["2w", 1_209_600_000],
  [" 10S ", 10_000]
])("%j is %d ms", (text, ms) => expect(parseDuration(text)).toBe(ms))

it.each(["", "5", "30", "-5m", "5 m", "m", "5x", "1h 30m", "1e3s", "∞", `${"9".repeat(40)}w`])(
  "%j is no duration",
  (text) => expect(parseDuration(text)).toBeNull()
)

it("reads back what it writes", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 12 }), (ms) => {
      expect(parseDuration(writeDuration(ms))).toBe(ms)
    })
  )
})

it("never throws, and gives no fraction of a millisecond", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const ms = parseDuration(text)
      expect(ms === null || Number.isSafeInteger(ms)).toBe(true)
    })
  )
})

const now = Date.parse("2026-11-30T12:00:00Z")

it("takes a moment as a date or as a time ago", () => {
  expect(parseMoment("2h", now)).toBe(now - 7_200_000)
  expect(parseMoment("2026-11-29", now)).toBe(Date.parse("2026-11-29T00:00:00Z"))
  expect(parseMoment("2026-11-29T10:00:00Z", now)).toBe(Date.parse("2026-11-29T10:00:00Z"))
})

it.each(["yesterday", "12", "2026-13-40", "noon"])("%j is no moment", (text) =>
  expect(parseMoment(text, now)).toBeNull()
)
