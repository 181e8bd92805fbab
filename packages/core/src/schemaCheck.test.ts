/** The checks answer as the schema library does, whatever they are given. */
import { describe, expect, it } from "vitest"
import * as Checkpoint from "./checkpoint/Checkpoint.js"
import * as Event from "./checkpoint/Event.js"
import * as Schema from "./Schema.js"
import { compile } from "./schemaCheck.js"

const fc = Schema.FastCheck
type Key = string | number
type Any = Record<Key, unknown>

/** Every place of a value, as the keys that lead to it. */
const places = (value: unknown, path: ReadonlyArray<Key> = []): ReadonlyArray<ReadonlyArray<Key>> =>
  typeof value !== "object" || value === null
    ? [path]
    : [path, ...Object.keys(value).flatMap((key) => places((value as Any)[key], [...path, key]))]

interface Change {
  readonly to: unknown
  readonly gone: boolean
}

const changed = (value: unknown, [key, ...rest]: ReadonlyArray<Key>, change: Change): unknown => {
  if (key === undefined) return change.to
  const copy = (Array.isArray(value) ? [...value] : { ...(value as Any) }) as Any
  if (rest.length === 0 && change.gone) delete copy[key]
  else copy[key] = changed((value as Any)[key], rest, change)
  return copy
}

const oddities = fc.constantFrom(undefined, null, "", "x", -1, 0, 1.5, Number.NaN, 2 ** 60, true, [], {}, ["a"], {
  a: 1
})

/** A value with something else, or nothing, at one of its places. */
const broken = <A, I>(schema: Schema.Schema<A, I>) =>
  fc.tuple(Schema.Arbitrary.make(schema), fc.nat(), oddities, fc.boolean()).map(([value, place, to, gone]) => {
    const all = places(value)
    return changed(value, all[place % all.length] ?? [], { to, gone })
  })

describe.each([
  ["a checkpoint", Checkpoint.Checkpoint],
  ["an event", Event.StoredEvent]
])("%s", (_, schema) => {
  const check = compile(schema as Schema.Schema<unknown, unknown>)
  const is = Schema.is(schema as Schema.Schema<unknown, unknown>)

  it("is recognised", () => {
    fc.assert(
      fc.property(
        Schema.Arbitrary.make(schema as Schema.Schema<unknown, unknown>),
        (value) => void expect(check(value)).toBe(true)
      )
    )
  })

  it("is refused where the library refuses it", () => {
    fc.assert(
      fc.property(
        broken(schema as Schema.Schema<unknown, unknown>),
        (value) => void expect(check(value)).toBe(is(value))
      ),
      { numRuns: 1000 }
    )
  })

  it.each([null, undefined, 1, "", [], {}])("is not %j", (value) => void expect(check(value)).toBe(false))
})

it("knows nothing of other schemas, and says so", () => {
  expect(() => compile(Schema.Struct({ at: Schema.String.pipe(Schema.filter(() => true)) }))).toThrow("says nothing")
  expect(() => compile(Schema.Tuple(Schema.String))).toThrow("tuple")
  expect(compile(Schema.Null)(null)).toBe(true)
  expect(() => compile(Schema.Undefined)).toThrow("UndefinedKeyword")
})
