import { describe, expect, it } from "vitest"
import { parseHeader } from "./header.js"

const header = (version: number): Uint8Array => {
  const bytes = new Uint8Array(100)
  bytes.set(new TextEncoder().encode("SQLite format 3\0"))
  new DataView(bytes.buffer).setInt32(60, version)
  return bytes
}

describe("the first bytes of a file", () => {
  it("nothing is a new store", () => expect(parseHeader(new Uint8Array(0))).toEqual({ kind: "fresh" }))
  it("a database says its schema", () => expect(parseHeader(header(7))).toEqual({ kind: "database", userVersion: 7 }))
  it("anything else is no database", () => {
    expect(parseHeader(new TextEncoder().encode("hello"))).toEqual({ kind: "not_a_database" })
    expect(parseHeader(header(1).subarray(0, 60))).toEqual({ kind: "not_a_database" })
    expect(parseHeader(new Uint8Array(100))).toEqual({ kind: "not_a_database" })
  })
})
