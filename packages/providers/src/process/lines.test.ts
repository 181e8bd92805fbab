import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { type LineItem, makeLineReader } from "./lines.js"

const read = (bytes: Buffer, cuts: ReadonlyArray<number>, limit?: number): ReadonlyArray<LineItem> => {
  const reader = makeLineReader(limit)
  const items: Array<LineItem> = []
  let from = 0
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    items.push(...reader.push(bytes.subarray(from, cut)))
    from = cut
  }
  return [...items, ...reader.push(bytes.subarray(from)), ...reader.end()]
}

const texts = (input: string | Buffer, cuts: ReadonlyArray<number> = []): ReadonlyArray<string> =>
  read(Buffer.from(input), cuts).map((item) => (item._tag === "Line" ? item.text : "(oversize)"))

/** Bytes in which line ends, cut characters and NULs are as likely as anything. */
const bytes = fc
  .array(fc.oneof(fc.constantFrom(0, 10, 13, 0x80, 0xc3, 0xe2, 0xf0, 0xff, 97, 98, 123), fc.nat(255)), {
    maxLength: 300
  })
  .map((list) => Buffer.from(list))
const chunked = bytes.chain((whole) => fc.tuple(fc.constant(whole), fc.array(fc.nat(whole.length), { maxLength: 40 })))

describe("lines", () => {
  it("end at LF and nowhere else", () => {
    assert.deepStrictEqual(texts("a\r\nb\u2028c\u0085d\n\ne"), ["a\r", "b\u2028c\u0085d", "", "e"])
    assert.deepStrictEqual(texts(""), [])
    assert.deepStrictEqual(texts("\n"), [""])
  })

  it("hold characters that were cut in two, NULs, and U+FFFD for what is no UTF-8", () => {
    for (let cut = 0; cut <= 8; cut++) assert.deepStrictEqual(texts("é😀\nx", [cut]), ["é😀", "x"])
    assert.deepStrictEqual(texts("a\0b\n"), ["a\0b"])
    assert.deepStrictEqual(texts(Buffer.from([0x61, 0xff, 0xc3, 10])), ["a\ufffd\ufffd"])
  })

  it("over the limit are counted and skipped, and the next one is read", () => {
    const items = read(Buffer.from(`${"x".repeat(11)}\n${"y".repeat(10)}\n${"z".repeat(12)}`), [3, 7], 10)
    assert.deepStrictEqual(items, [
      { _tag: "Oversize", bytes: 11, excerpt: "x".repeat(10) },
      { _tag: "Line", text: "y".repeat(10), bytes: 10 },
      { _tag: "Oversize", bytes: 12, excerpt: "z".repeat(10) }
    ] as typeof items)
  })

  it("are the same however the bytes were cut into chunks", () => {
    fc.assert(
      fc.property(chunked, fc.constantFrom(1, 5, 64, 1000), ([whole, cuts], limit) => {
        assert.deepStrictEqual(read(whole, cuts, limit), read(whole, [], limit))
      })
    )
  })

  it("are what a split of the whole text gives, and never longer than the limit", () => {
    fc.assert(
      fc.property(chunked, fc.constantFrom(1, 5, 64, 1000), ([whole, cuts], limit) => {
        const parts: Array<Buffer> = []
        let from = 0
        for (let at = whole.indexOf(10); at !== -1; at = whole.indexOf(10, from)) {
          parts.push(whole.subarray(from, at))
          from = at + 1
        }
        if (from < whole.length) parts.push(whole.subarray(from))
        const items = read(whole, cuts, limit)
        assert.strictEqual(items.length, parts.length)
        for (const [index, item] of items.entries()) {
          const part = parts[index] ?? Buffer.alloc(0)
          assert.strictEqual(item.bytes, part.length)
          assert.strictEqual(item._tag, part.length > limit ? "Oversize" : "Line")
          if (item._tag === "Line") assert.strictEqual(item.text, part.toString("utf8"))
        }
      })
    )
  })
})
