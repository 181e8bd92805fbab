import { Text } from "@alluka/core"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Item } from "../model/items.js"
import { busyEvening } from "../testing/samples.js"
import { hardTitles } from "../testing/titles.js"
import { blockOf, fitBlocks } from "./blocks.js"
import { cells } from "./cells.js"
import { fieldRows, inField } from "./field.js"
import { homely } from "./homely.js"
import { clipLine, fitLine, lineOf, lineWidth, plainText, span, spread } from "./Line.js"
import { itemHeight, offsets, windowOf } from "./listWindow.js"
import { clockSeconds, longTime, shortDate, spanText } from "./time.js"
import { hardBreak, wrap } from "./wrap.js"

const anyText = fc.oneof(fc.string({ unit: "grapheme", maxLength: 40 }), fc.constantFrom(...hardTitles))
const anyLine = fc.array(anyText, { maxLength: 5 }).map((texts) => texts.map((text) => span(text)))

describe("a line", () => {
  it("is as wide as it is told to be, or narrower where it is only cut", () => {
    fc.assert(
      fc.property(anyLine, fc.integer({ min: 0, max: 100 }), (line, width) => {
        expect(lineWidth(fitLine(line, width, { ellipsis: "…" }))).toBe(width)
        expect(lineWidth(clipLine(line, width, "…"))).toBeLessThanOrEqual(width)
        if (lineWidth(line) <= width) expect(plainText(clipLine(line, width, "…"))).toBe(plainText(line))
      })
    )
  })

  it("says where it was cut", () => {
    expect(plainText(clipLine(lineOf("one two three"), 7, "…"))).toBe("one tw…")
    expect(plainText(clipLine([span("one "), span("two")], 4, "…"))).toBe("one…")
    expect(plainText(clipLine([span("one "), span("two")], 7, "…"))).toBe("one two")
  })

  it("keeps its right part whole and its left part clear of it", () => {
    fc.assert(
      fc.property(anyLine, anyLine, fc.integer({ min: 1, max: 100 }), (left, right, width) => {
        expect(lineWidth(spread(left, right, width, "…"))).toBe(width)
      })
    )
    expect(plainText(spread([span("a long left part")], [span("right")], 12, "…"))).toBe("a lon… right")
  })
})

describe("wrapping", () => {
  it("keeps every word, and no line is wider than it may be", () => {
    fc.assert(
      fc.property(fc.oneof(fc.lorem({ maxCount: 30 }), anyText), fc.integer({ min: 2, max: 60 }), (text, width) => {
        const lines = wrap(text, width)
        for (const line of lines) expect(cells(line)).toBeLessThanOrEqual(width)
        const words = (whole: string): string => whole.replace(/\s+/g, "")
        if (/^[\x20-\x7e]*$/.test(text)) expect(words(lines.join(" "))).toBe(words(text))
      })
    )
  })

  it("breaks at spaces, and inside a word only where it must", () => {
    expect(wrap("one two three", 7)).toEqual(["one two", "three"])
    expect(wrap("a\n\nb", 7)).toEqual(["a", "", "b"])
    expect(wrap("a \u{1d158}\u{1d165}\u{1d16e} b", 2)).toEqual(["a", "\ufffd", "b"])
    expect(wrap("abcdefghij", 4)).toEqual(["abcd", "efgh", "ij"])
    expect(hardBreak("修复登录流程", 5)).toEqual(["修复", "登录", "流程"])
    expect(hardBreak("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 2)).toEqual(["👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"])
  })
})

describe("blocks", () => {
  it("fit into any height, and what never gives way is the last to go", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ size: fc.nat(12), min: fc.nat(12), rank: fc.nat(5), end: fc.boolean() }), {
          maxLength: 6
        }),
        fc.nat(40),
        (sizes, height) => {
          const blocks = sizes.map(({ size, min, rank, end }, index) =>
            blockOf(
              Array.from({ length: size }, (_, row) => lineOf(`${index}.${row}`)),
              { min, rank, keep: end ? "end" : "start" }
            )
          )
          const total = sizes.reduce((sum, { size }) => sum + size, 0)
          expect(fitBlocks(blocks, height, "…").length).toBe(Math.min(total, height))
        }
      )
    )
    const important = blockOf([lineOf("preview"), lineOf("reason")])
    const others = blockOf(
      Array.from({ length: 20 }, (_, row) => lineOf(`${row}`)),
      { min: 2, rank: 3, keep: "end" }
    )
    expect(fitBlocks([others, important], 4, "…").map(plainText)).toEqual(["0", "19", "preview", "reason"])
  })
})

describe("the list's window", () => {
  const runs = busyEvening()
  const anyItems = fc.array(fc.oneof(fc.constant(null), fc.nat(13)), { minLength: 1, maxLength: 60 }).map((picks) =>
    picks.map((pick, index): Item => {
      const run = pick === null ? undefined : runs[pick]
      return run === undefined
        ? { kind: "group", key: `group:${index}`, title: "G", count: { value: 1, exact: true }, folded: false }
        : {
            kind: "run",
            key: `run:${index}`,
            run,
            group: run.checkpoint.state === "completed" ? "history" : "attention"
          }
    })
  )

  it("always shows the whole selected item, and never more emptiness than it must", () => {
    fc.assert(
      fc.property(
        anyItems,
        fc.nat(60),
        fc.integer({ min: -5, max: 200 }),
        fc.integer({ min: 2, max: 40 }),
        fc.constantFrom("split" as const, "stacked" as const),
        (items, pick, top, height, mode) => {
          const index = pick % items.length
          const item = items[index]
          const { top: shown, total } = windowOf(items, index, top, height, mode)
          const from = offsets(items, mode)[index] ?? 0
          expect(shown).toBeGreaterThanOrEqual(0)
          expect(shown).toBeLessThanOrEqual(Math.max(0, total - height))
          expect(from).toBeGreaterThanOrEqual(shown)
          expect(from + (item === undefined ? 0 : itemHeight(item, mode))).toBeLessThanOrEqual(shown + height)
          // Clear of the lines that say how many are hidden.
          if (height >= 6 && shown > 0) expect(from).toBeGreaterThan(shown)
          expect(windowOf(items, index, shown, height, mode).top).toBe(shown)
        }
      )
    )
  })
})

describe("a field on the screen", () => {
  it("shows its cursor, in no more cells than there are", () => {
    fc.assert(
      fc.property(
        anyText,
        fc.nat(60),
        fc.integer({ min: 2, max: 40 }),
        fc.integer({ min: 1, max: 6 }),
        (text, at, width, height) => {
          const clean = text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "").toWellFormed()
          const field = { text: clean, cursor: Text.graphemes(clean).slice(0, at).join("").length }
          expect(lineWidth(inField(field, width).line)).toBeLessThanOrEqual(Math.max(width + 2, 12))
          const rows = fieldRows(field, width, height, true)
          expect(rows.lines.length).toBeLessThanOrEqual(height)
          expect(rows.lines.some((line) => line.some(({ inverse }) => inverse))).toBe(true)
        }
      )
    )
  })
})

describe("times", () => {
  it.each([
    [0, "0s"],
    [59_999, "59s"],
    [775_000, "12m55s"],
    [3_600_000, "1h00m"],
    [172_800_000, "2d0h"]
  ])("%i ms is %s", (ms, text) => {
    expect(spanText(ms)).toBe(text)
  })

  it("names the day only where it is another", () => {
    const noon = new Date(2026, 10, 30, 12, 0, 5).getTime()
    expect(clockSeconds(noon)).toBe("12:00:05")
    expect(longTime(noon, noon + 1000)).toBe("12:00:05")
    expect(longTime(noon, noon + 86_400_000)).toBe("Nov 30 12:00:05")
    expect(shortDate(noon, noon)).toBe("12:00")
    expect(shortDate(noon, noon + 86_400_000)).toBe("Nov 30")
    expect(shortDate(noon, noon + 366 * 86_400_000)).toBe("2026-11")
  })

  it("shortens the home folder and nothing else", () => {
    expect(homely("/home/ada/src", "/home/ada")).toBe("~/src")
    expect(homely("/home/adam", "/home/ada")).toBe("/home/adam")
    expect(homely("/w", "")).toBe("/w")
  })
})
