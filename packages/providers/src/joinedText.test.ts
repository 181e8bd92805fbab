import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { type JoinedText, join, letGo, nothingHeld, type Piece } from "./joinedText.js"

const run = (pieces: ReadonlyArray<readonly [key: string, text: string, now: number]>) => {
  let joined: JoinedText = nothingHeld
  const out: Array<Piece> = []
  for (const [key, text, now] of pieces) {
    const [next, given] = join(joined, key, text, now)
    joined = next
    out.push(...given)
  }
  return [...out, ...letGo(joined)]
}

describe("joined text", () => {
  it("comes out in whole lines, and no more than twice a second", () => {
    const out = run([
      ["a", "one ", 0],
      ["a", "two\nthr", 100],
      ["a", "ee\nfo", 600],
      ["a", "ur\n", 700],
      ["a", "five", 1200]
    ])
    assert.deepStrictEqual(
      out.map(({ text }) => text),
      ["one two\nthree\n", "four\n", "five"]
    )
  })

  it("of something else lets go of what is held", () => {
    assert.deepStrictEqual(
      run([
        ["a", "x", 0],
        ["b", "y", 1],
        ["a", "z", 2]
      ]),
      [
        { key: "a", text: "x" },
        { key: "b", text: "y" },
        { key: "a", text: "z" }
      ]
    )
  })

  it("keeps a private key in one piece", () => {
    const key = ["-----BEGIN RSA PRIVATE KEY-----\n", "MIIE\n", "abcd\n", "-----END RSA PRIVATE KEY-----\n"]
    const out = run([["a", "before\n", 0], ...key.map((line, at) => ["a", line, 1000 * (at + 1)] as const)])
    assert.deepStrictEqual(
      out.map(({ text }) => text),
      ["before\n", key.join("")]
    )
  })

  it("loses nothing, keeps the order, and holds a bounded amount", () => {
    const piece = fc.tuple(
      fc.constantFrom("a", "b"),
      fc.oneof(fc.string(), fc.constantFrom("\n", "-----BEGIN ", "-----END ", "x".repeat(70_000))),
      fc.nat(3000)
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        let now = 0
        const timed = pieces.map(([key, text, gap]) => {
          now += gap
          return [key, text, now] as const
        })
        const out = run(timed)
        assert.strictEqual(out.map(({ text }) => text).join(""), pieces.map(([, text]) => text).join(""))
        assert.strictEqual(
          out.map(({ key, text }) => key.repeat(text.length)).join(""),
          pieces.map(([key, text]) => key.repeat(text.length)).join("")
        )
        assert.isTrue(out.every(({ text }) => text !== "" && text.length <= 64 * 1024 + 70_000))
      })
    )
  })
})
