import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { count, list, moment, number, object, parseObject, text, texts } from "./json.js"

describe("reading JSON of others", () => {
  it("takes one object a line and nothing else", () => {
    assert.deepStrictEqual(parseObject('\ufeff {"a":1}\r'), { a: 1 })
    for (const line of ["", "null", "1", "[1]", '"x"', '{"a":', '{"a":1}{"b":2}', "\0\0", '{"a":1}\0']) {
      assert.isNull(parseObject(line), line)
    }
  })

  it("reads moments from seconds, milliseconds and ISO texts", () => {
    assert.strictEqual(moment(1783710000), 1783710000000)
    assert.strictEqual(moment(1783710000123), 1783710000123)
    assert.strictEqual(moment("2026-07-10T19:00:00Z"), 1783710000000)
    for (const value of [0, -1, Number.NaN, 1e300, "soon", null, {}, true]) assert.isNull(moment(value))
  })

  it("answers every value of another type with nothing", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        assert.isTrue(text(value) === null || typeof value === "string")
        assert.isTrue(number(value) === null || Number.isFinite(value))
        assert.isTrue(Number.isSafeInteger(count(value)) && count(value) >= 0)
        assert.isObject(object(value))
        assert.isArray(list(value))
        assert.isTrue(texts(value).every((item) => typeof item === "string"))
        const at = moment(value)
        assert.isTrue(at === null || !Number.isNaN(new Date(at).getTime()))
      })
    )
  })
})
