import { describe, expect, test } from "@effect/vitest"
import * as Either from "effect/Either"
import fc from "fast-check"
import { bounded } from "./bounded.js"
import { age, duration, parseDuration } from "./duration.js"
import { cutAfter, cutBefore, graphemes } from "./graphemes.js"
import { oneLine } from "./oneLine.js"

const family = "👨‍👩‍👧‍👦"
const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        family,
        "🇩🇪",
        "e\u0301",
        "修复",
        "\ud83d",
        "\ude00",
        "\r\n",
        "\t",
        " ",
        "\u001b[31m",
        "\u2028",
        "🔥",
        "क्\u200dष"
      ),
      fc.string({ unit: "binary", maxLength: 6 })
    ),
    { maxLength: 60 }
  )
  .map((parts) => parts.join(""))

const bytes = (text: string): number =>
  [...text].reduce((sum, each) => sum + (each < "\u0080" ? 1 : each < "\u0800" ? 2 : each.length === 1 ? 3 : 4), 0)

describe("oneLine", () => {
  test.each([
    ["one\ntwo\r\n\tthree ", "one two three"],
    ["", ""],
    ["  \n ", ""],
    ["\u001b[31mError:\u001b[0m it\u2028failed", "Error: it failed"],
    ["a\u0007b\u0000c", "a b c"],
    ["lone \ud83d half", "lone \ufffd half"]
  ])("%j", (text, expected) => {
    expect(oneLine(text)).toBe(expected)
  })

  test("keeps the start and the end of a long text", () => {
    const line = oneLine(`start ${"x".repeat(500)} end`, 40)
    expect(line.length).toBe(40)
    expect(line).toMatch(/^start x+…x+ end$/)
  })

  test("does not cut through a character", () => {
    for (let max = 1; max < 60; max++) {
      const line = oneLine(family.repeat(20), max)
      expect(line.length).toBeLessThanOrEqual(max)
      expect(line.replaceAll(family, "")).toBe("…")
    }
  })

  test("is one line, bounded, well-formed and stable", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 60 }), (text, max) => {
        const line = oneLine(text, max)
        expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/)
        expect(line.length).toBeLessThanOrEqual(max)
        expect(line.isWellFormed()).toBe(true)
        expect(oneLine(line, max)).toBe(line)
      }),
      { numRuns: 1000 }
    )
  })

  test("takes little time for a very long text", () => {
    const long = `start ${"e\u0301 ".repeat(1_000_000)} end`
    const started = Date.now()
    expect(oneLine(long)).toMatch(/^start .* end$/)
    expect(Date.now() - started).toBeLessThan(1000)
  })
})

describe("bounded", () => {
  test("leaves what fits", () => {
    expect(bounded("abc", 3)).toEqual({ text: "abc", truncated: false })
    expect(bounded("修复", 6)).toEqual({ text: "修复", truncated: false })
    expect(bounded("a".repeat(4096))).toEqual({ text: "a".repeat(4096), truncated: false })
    expect(bounded("a".repeat(4097))).toEqual({ text: "a".repeat(4096), truncated: true })
  })

  test("cuts between characters", () => {
    expect(bounded(`a${family}b`, 20)).toEqual({ text: "a", truncated: true })
    expect(bounded("修复登", 8)).toEqual({ text: "修复", truncated: true })
    expect(bounded("🔥🔥", 7)).toEqual({ text: "🔥", truncated: true })
  })

  test("is within the bound, well-formed, a beginning of the text, and as long as can be", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 120 }), (text, limit) => {
        const { text: kept, truncated } = bounded(text, limit)
        expect(bytes(kept)).toBeLessThanOrEqual(limit)
        expect(kept.isWellFormed()).toBe(true)
        expect(text.toWellFormed().startsWith(kept)).toBe(true)
        expect(truncated).toBe(kept.length < text.length)
        const next = graphemes(text.toWellFormed().slice(kept.length))[0] ?? ""
        if (truncated) expect(bytes(kept + next)).toBeGreaterThan(limit)
      }),
      { numRuns: 1000 }
    )
  })
})

describe("cutBefore and cutAfter", () => {
  test("are the boundaries around a place", () => {
    fc.assert(
      fc.property(texts, fc.nat(400), (raw, at) => {
        const text = raw.toWellFormed()
        const boundaries = [0]
        for (const each of graphemes(text)) boundaries.push((boundaries.at(-1) ?? 0) + each.length)
        const index = at % (text.length + 1)
        expect(cutBefore(text, index)).toBe(boundaries.findLast((each) => each <= index))
        expect(cutAfter(text, index)).toBe(boundaries.find((each) => each >= index))
      }),
      { numRuns: 1000 }
    )
  })
})

describe("durations", () => {
  test.each([
    [0, "0s"],
    [999, "0s"],
    [45_000, "45s"],
    [60_000, "1m"],
    [125_000, "2m 5s"],
    [7_500_000, "2h 5m"],
    [90_000_000, "1d 1h"],
    [-5, "0s"]
  ])("%d ms is %s", (ms, text) => {
    expect(duration(ms)).toBe(text)
  })

  test.each([
    ["90s", 90_000],
    ["15m", 900_000],
    ["2h", 7_200_000],
    ["1d12h", 129_600_000],
    ["1d 12h", 129_600_000],
    ["1.5h", 5_400_000],
    ["250ms", 250],
    ["2w", 1_209_600_000],
    ["1M", 60_000],
    ["0", 0],
    ["0s", 0]
  ])("%s is %d ms", (text, ms) => {
    expect(parseDuration(text)).toEqual(Either.right(ms))
  })

  test.each(["", "5", "h", "-5m", "1h1h", "5m2h", "1y", "10 minutes", "1e3s", "NaN", "9999999w", "1..5h", "5 m x"])(
    "%j is no duration, and the error says what is",
    (text) => {
      const failure = Either.flip(parseDuration(text))
      expect(Either.isRight(failure) && failure.right.message).toContain(`"${text}" is no duration. Write`)
    }
  )

  test("what is printed can be typed", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e10 }), (ms) => {
        const read = Either.getOrThrow(parseDuration(duration(ms)))
        expect(read).toBeLessThanOrEqual(ms)
        expect(duration(read)).toBe(duration(ms))
      })
    )
  })

  test.each([
    [0, "now"],
    [-3_000, "now"],
    [-90_000, "1m ahead"],
    [1_500, "1s"],
    [240_000, "4m"],
    [3_600_000 * 23, "23h"],
    [86_400_000 * 2.9, "2d"],
    [86_400_000 * 30, "4w"],
    [86_400_000 * 800, "2y"]
  ])("%d ms ago is %s", (ms, text) => {
    expect(age(1_000_000_000_000 - ms, 1_000_000_000_000)).toBe(text)
  })
})
