import { Text } from "@alluka/core"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { editField, emptyField, fieldOf, insert, type TextField } from "./textField.js"

const limits = { multiline: true, max: 4000 }
const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.constantFrom("修复", "👨‍👩‍👧‍👦", "e\u0301", "a b", "\n", "\r\n", "\t")
)

const atBoundary = ({ text: whole, cursor }: TextField): boolean => {
  let at = 0
  for (const part of Text.graphemes(whole)) {
    if (at >= cursor) break
    at += part.length
  }
  return at === cursor
}

describe("a text field", () => {
  it("loses nothing, however the text comes in pieces", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme-ascii", maxLength: 8 }), { maxLength: 40 }), (pieces) => {
        const field = pieces.reduce((now, piece) => insert(now, piece, limits), emptyField)
        expect(field.text).toBe(pieces.join(""))
        expect(field.cursor).toBe(field.text.length)
      })
    )
  })

  it("takes line ends of every kind as one, and no control character", () => {
    expect(insert(emptyField, "one\rtwo\r\nthree\nfour\u001b[31m\u0007", limits).text).toBe("one\ntwo\nthree\nfour[31m")
    expect(insert(emptyField, "one\r\ntwo", { multiline: false, max: 99 }).text).toBe("one two")
  })

  it("never holds more than it may, nor half a character", () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 30 }), fc.integer({ min: 0, max: 40 }), (pieces, max) => {
        const field = pieces.reduce((now, piece) => insert(now, piece, { multiline: true, max }), emptyField)
        expect(field.text.length).toBeLessThanOrEqual(max)
        expect(field.text.isWellFormed()).toBe(true)
      })
    )
  })

  it("keeps its cursor between characters, whatever is pressed", () => {
    const keys = [
      "left",
      "right",
      "home",
      "end",
      "up",
      "down",
      "backspace",
      "ctrl+d",
      "ctrl+u",
      "ctrl+k",
      "ctrl+w",
      "ctrl+a",
      "ctrl+e"
    ]
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            text.map((value) => ({ value })),
            fc.constantFrom(...keys).map((key) => ({ key }))
          ),
          { maxLength: 40 }
        ),
        (steps) => {
          let field: TextField = emptyField
          for (const step of steps) {
            field = "key" in step ? (editField(field, step.key) ?? field) : insert(field, step.value, limits)
            expect(field.cursor).toBeGreaterThanOrEqual(0)
            expect(field.cursor).toBeLessThanOrEqual(field.text.length)
            expect(atBoundary(field)).toBe(true)
          }
        }
      )
    )
  })

  it.each([
    ["backspace", "one two", 7, "one tw", 6],
    ["backspace", "a👨‍👩‍👧‍👦", 12, "a", 1],
    ["ctrl+w", "one two", 7, "one ", 4],
    ["ctrl+u", "one\ntwo three", 13, "one\n", 4],
    ["ctrl+k", "one\ntwo", 0, "\ntwo", 0],
    ["home", "one\ntwo", 6, "one\ntwo", 4],
    ["end", "one\ntwo", 1, "one\ntwo", 3],
    ["up", "one\ntwo", 6, "one\ntwo", 2],
    ["down", "one\ntwo", 2, "one\ntwo", 6]
  ] as const)("%s in %j at %i", (key, whole, cursor, expected, at) => {
    expect(editField({ text: whole, cursor }, key)).toEqual({ text: expected, cursor: at })
  })

  it("leaves keys to others that are not about text", () => {
    for (const key of ["enter", "escape", "tab", "f1"]) expect(editField(fieldOf("a"), key)).toBeNull()
    expect(editField(fieldOf("one line"), "up")).toBeNull()
    expect(editField(fieldOf("one line"), "down")).toBeNull()
  })
})
