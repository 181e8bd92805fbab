import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { makeTail } from "./tail.js"

describe("the tail of a stream", () => {
  it("is its last bytes, however they came", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "binary-ascii", maxLength: 30 })),
        fc.integer({ min: 1, max: 40 }),
        (parts, limit) => {
          const tail = makeTail(limit)
          for (const part of parts) tail.push(Buffer.from(part))
          assert.strictEqual(tail.text(), parts.join("").slice(-limit))
        }
      )
    )
  })
})
