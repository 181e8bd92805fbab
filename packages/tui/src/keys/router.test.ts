import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Message } from "../model/Message.js"
import { initialRouter, route } from "./router.js"

const one = (input: string, key: Parameters<typeof route>[2] = {}): ReadonlyArray<Message> =>
  route(initialRouter, input, key)[1]
const pressed = (key: string): ReadonlyArray<Message> => [{ _tag: "Pressed", key }]

describe("the router", () => {
  it.each([
    ["j", {}, "j"],
    ["G", { shift: true }, "G"],
    [" ", {}, "space"],
    ["\n", {}, "ctrl+j"],
    ["", { return: true }, "enter"],
    ["", { return: true, meta: true }, "alt+enter"],
    ["", { escape: true, meta: true }, "escape"],
    ["", { delete: true }, "backspace"],
    ["", { backspace: true }, "backspace"],
    ["", { tab: true, shift: true }, "shift+tab"],
    ["", { tab: true }, "tab"],
    ["z", { ctrl: true }, "ctrl+z"],
    ["é", {}, "é"],
    ["修", {}, "修"],
    ["👨‍👩‍👧‍👦", {}, "👨‍👩‍👧‍👦"],
    ["", { pageDown: true }, "pagedown"]
  ] as const)("names %j %j", (input, key, name) => {
    expect(one(input, key)).toEqual(pressed(name))
  })

  it("gives nothing for a key without a name", () => {
    expect(one("", {})).toEqual([])
  })

  it("keeps reports of the terminal away from text", () => {
    expect(one("[<64;10;5M")).toEqual([{ _tag: "Wheeled", by: -1 }])
    expect(one("[<65;10;5M")).toEqual([{ _tag: "Wheeled", by: 1 }])
    expect(one("[<0;10;5M")).toEqual([{ _tag: "Clicked", column: 9, row: 4 }])
    expect(one("[<0;10;5m")).toEqual([])
    expect(one("[<32;10;5M")).toEqual([])
    expect(one("[I")).toEqual([{ _tag: "Focused", focused: true }])
    expect(one("[O")).toEqual([{ _tag: "Focused", focused: false }])
  })

  it("hands over a burst of characters as one", () => {
    expect(one("jjj")).toEqual([{ _tag: "Typed", text: "jjj" }])
    expect(one("one\rtwo")).toEqual([{ _tag: "Typed", text: "one\rtwo" }])
  })

  it("puts a paste together from however many pieces, and lets none of it be a key", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("q", "c", "y", "hello", "\r", "two\rlines", "修复"), { maxLength: 20 }),
        (pieces) => {
          let state = route(initialRouter, "[200~", {})[0]
          const all: Array<Message> = []
          for (const piece of pieces) {
            const [next, messages] = route(state, piece === "\r" ? "" : piece, piece === "\r" ? { return: true } : {})
            state = next
            all.push(...messages)
          }
          const [after, last] = route(state, "[201~", {})
          expect(all).toEqual([])
          const text = pieces.map((piece) => (piece === "\r" ? "\n" : piece)).join("")
          expect(last).toEqual(text === "" ? [] : [{ _tag: "Pasted", text }])
          expect(after).toEqual(initialRouter)
        }
      )
    )
  })

  it("lets Ctrl+C out of a paste that never ends", () => {
    const [open] = route(initialRouter, "[200~", {})
    const [after, messages] = route(route(open, "text", {})[0], "c", { ctrl: true })
    expect(messages).toEqual(pressed("ctrl+c"))
    expect(after).toEqual(initialRouter)
  })
})
