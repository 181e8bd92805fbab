/** The checks of the bundle answer as the schema library does, whatever they are given. */
import { Checkpoint, Event } from "@alluka/core"
import * as Schema from "@alluka/core/Schema"
import { describe, expect, it } from "vitest"
import { checkOf } from "./checkOf.mjs"

const fc = Schema.FastCheck
const make = (schema) => new Function(`return ${checkOf(schema)}`)()

/** Every place of a value, as the keys that lead to it. */
const places = (value, path = []) =>
  typeof value !== "object" || value === null
    ? [path]
    : [path, ...Object.keys(value).flatMap((key) => places(value[key], [...path, key]))]

const changed = (value, [key, ...rest], change) => {
  if (key === undefined) return change.to
  const copy = Array.isArray(value) ? [...value] : { ...value }
  if (rest.length === 0 && change.gone) delete copy[key]
  else copy[key] = changed(value[key], rest, change)
  return copy
}

const oddities = fc.constantFrom(undefined, null, "", "x", -1, 0, 1.5, Number.NaN, 2 ** 60, true, [], {}, ["a"], {
  a: 1
})

/** A value with something else, or nothing, at one of its places. */
const broken = (schema) =>
  fc.tuple(Schema.Arbitrary.make(schema), fc.nat(), oddities, fc.boolean()).map(([value, place, to, gone]) => {
    const all = places(value)
    return changed(value, all[place % all.length], { to, gone })
  })

describe.each([
  ["a checkpoint", Checkpoint.Checkpoint],
  ["an event", Event.StoredEvent]
])("%s", (_, schema) => {
  const check = make(schema)
  const is = Schema.is(schema)

  it("is recognised", () => {
    fc.assert(fc.property(Schema.Arbitrary.make(schema), (value) => void expect(check(value)).toBe(true)))
  })

  it("is refused where the library refuses it", () => {
    fc.assert(
      fc.property(broken(schema), (value) => void expect(check(value)).toBe(is(value))),
      { numRuns: 1000 }
    )
  })

  it.each([null, undefined, 1, "", [], {}])("is not %j", (value) => void expect(check(value)).toBe(false))
})

it("knows nothing of other schemas, and says so", () => {
  expect(() => checkOf(Schema.Struct({ at: Schema.String.pipe(Schema.filter(() => true)) }))).toThrow("says nothing")
  expect(() => checkOf(Schema.Tuple(Schema.String))).toThrow("tuple")
  expect(() => checkOf(Schema.Null)).not.toThrow()
  expect(() => checkOf(Schema.Undefined)).toThrow("UndefinedKeyword")
})
