import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { shellWord } from "../invocation.js"
import { splitWords } from "./words.js"

describe("a command line as words", () => {
  it.each([
    ["npm test", ["npm", "test"]],
    ["  make   check\t-j2 ", ["make", "check", "-j2"]],
    [`node -e 'process.exit(1); "x"'`, ["node", "-e", 'process.exit(1); "x"']],
    ['grep "a b" file', ["grep", "a b", "file"]],
    ["a\\ b c", ["a b", "c"]],
    ["x ''", ["x", ""]]
  ])("%s", (text, words) => {
    expect(splitWords(text)).toEqual({ words })
  })

  it.each(["a && b", "a | b", "a > b", "a $HOME", "a *.ts", "a; b", "a\nb"])("%s needs a shell", (text) => {
    expect(splitWords(text)).toMatchObject({ fault: expect.stringContaining("needs a shell") })
  })

  it.each(["", "   ", "'' x"])("%j names no program", (text) => {
    expect(splitWords(text)).toEqual({ fault: "it names no program" })
  })

  it("says so where a quote is left open", () => {
    expect(splitWords("a 'b")).toMatchObject({ fault: expect.stringContaining("not closed") })
  })

  it("reads back whatever is quoted for a shell", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" }), { minLength: 1, maxLength: 6 }), (words) => {
        fc.pre(words[0] !== "")
        expect(splitWords(words.map((word) => (word === "" ? "''" : shellWord(word))).join(" "))).toEqual({ words })
      })
    )
  })
})
