import { expect, it } from "vitest"
import { Options } from "../arguments/Option.js"
import { fieldsOf, pickFields } from "./fields.js"

it("takes commas and repetition", () => {
  expect(fieldsOf(new Options({ fields: ["id, state", "model"] }))).toEqual(["id", "state", "model"])
  expect(fieldsOf(new Options({}))).toBeNull()
})

it("keeps kind and version besides, in the document's own order", () => {
  const item = { kind: "checkpoint", version: 1, id: "a", state: "failed", title: "t" }
  expect(pickFields([item], ["state", "id"])).toEqual({
    items: [{ kind: "checkpoint", version: 1, id: "a", state: "failed" }]
  })
  expect(Object.keys((pickFields([item], ["state", "id"]) as { items: ReadonlyArray<object> }).items[0] ?? {})).toEqual(
    ["kind", "version", "id", "state"]
  )
})

it("names a field that is none", () =>
  expect(pickFields([{ id: "a" }], ["it"])).toEqual({ unknown: "it", known: ["id"] }))
