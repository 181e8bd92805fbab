import * as fc from "fast-check"
import stringWidth from "string-width"
import { expect, it } from "vitest"
import { cells, clip, inCells } from "./width.js"

const unit = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc.constantFrom(
    "修复登录流程",
    "🔥🚀 deploy",
    "👨‍👩‍👧‍👦 family",
    "e\u0301",
    "🇩🇪",
    "שלום עולם",
    "",
    "…",
    "ｗｉｄｅ",
    "a".repeat(500)
  )
)

it.each([
  ["abc", 3],
  ["修复", 4],
  ["e\u0301", 1],
  ["👨‍👩‍👧‍👦", 2],
  ["🇩🇪", 2],
  ["", 0]
])("%j takes %d cells", (text, width) => expect(cells(text)).toBe(width))

it("makes every text exactly as wide as the column", () => {
  fc.assert(
    fc.property(unit, fc.integer({ min: 0, max: 60 }), fc.constantFrom("left", "right"), (text, width, align) => {
      expect(stringWidth(inCells(text, width, align as "left" | "right"))).toBe(width)
    })
  )
})

it("cuts behind whole graphemes, and leaves alone what fits", () => {
  fc.assert(
    fc.property(unit, fc.integer({ min: 0, max: 60 }), (text, width) => {
      const clipped = clip(text, width)
      if (cells(text) <= width) expect(clipped).toBe(text)
      else {
        const kept = clipped.endsWith("…") ? clipped.slice(0, -1) : clipped
        expect(text.startsWith(kept)).toBe(true)
        const segments = [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)]
        expect([0, ...segments.map(({ index, segment }) => index + segment.length)]).toContain(kept.length)
      }
    })
  )
})
