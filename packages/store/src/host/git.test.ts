import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { parseNumstat, parseStatus } from "./git.js"

describe("git status", () => {
  it("gives the paths, renamed files under their new name", () => {
    const output = " M a.ts\0?? b c/\0R  new.ts\0old.ts\0 D gone\0AM \t odd\n\0"
    assert.deepStrictEqual(parseStatus(output), ["a.ts", "b c/", "new.ts", "gone", "\t odd\n"])
  })

  it("of a clean folder, or of none, has none", () => {
    assert.deepStrictEqual(parseStatus(""), [])
    assert.deepStrictEqual(parseStatus("\0"), [])
  })

  it("never loses or invents a path, whatever its name", () => {
    const name = fc.string({ minLength: 1 }).filter((text) => !text.includes("\0"))
    fc.assert(
      fc.property(fc.array(name), (names) => {
        assert.deepStrictEqual(parseStatus(names.map((path) => `?? ${path}\0`).join("")), names)
      })
    )
  })
})

describe("git diff --numstat", () => {
  it("is added up, binary files without lines", () => {
    assert.deepStrictEqual(parseNumstat("3\t1\ta.ts\0-\t-\tlogo.png\u00000\t12\tgone.ts\0"), {
      files: 3,
      insertions: 3,
      deletions: 13
    })
  })

  it("of nothing is nothing", () => assert.deepStrictEqual(parseNumstat(""), { files: 0, insertions: 0, deletions: 0 }))
})
