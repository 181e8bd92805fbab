import { SqlError } from "@effect/sql/SqlError"
import { describe, expect, it } from "vitest"
import { codeOf, isBusy, isDamage, unavailable, unavailableCode } from "./failures.js"

const sqlite = (code: string) => Object.assign(new Error(`text of ${code}`), { code })
const wrapped = (code: string) => new SqlError({ cause: sqlite(code), message: "Failed to execute statement" })

describe("what a failure means", () => {
  it.each([
    ["SQLITE_FULL", "disk_full"],
    ["SQLITE_IOERR_SHMSIZE", "disk_full"],
    ["ENOSPC", "disk_full"],
    ["EDQUOT", "disk_full"],
    ["SQLITE_READONLY", "read_only"],
    ["SQLITE_READONLY_DIRECTORY", "read_only"],
    ["EROFS", "read_only"],
    ["SQLITE_CANTOPEN", "not_accessible"],
    ["SQLITE_CANTOPEN_ISDIR", "not_accessible"],
    ["SQLITE_PERM", "not_accessible"],
    ["EACCES", "not_accessible"],
    ["SQLITE_CORRUPT", "damaged"],
    ["SQLITE_CORRUPT_INDEX", "damaged"],
    ["SQLITE_NOTADB", "damaged"],
    ["SQLITE_IOERR_READ", "io"],
    ["SQLITE_ERROR", "io"]
  ])("%s is %s", (code, expected) => {
    expect(unavailableCode(code)).toBe(expected)
    const failure = unavailable("Test.op", "/x/alluka.db", wrapped(code))
    expect(failure.code).toBe(expected)
    // The sentence a person sees is the driver's, not the wrapper's.
    expect(failure.message).toContain(`text of ${code}`)
  })

  it.each(["SQLITE_BUSY", "SQLITE_BUSY_RECOVERY", "SQLITE_BUSY_SNAPSHOT", "SQLITE_LOCKED", "SQLITE_PROTOCOL"])(
    "%s is worth waiting for",
    (code) => expect(isBusy(wrapped(code))).toBe(true)
  )

  it("nothing else is worth waiting for", () => {
    for (const code of ["SQLITE_FULL", "SQLITE_CONSTRAINT_UNIQUE", "SQLITE_NOTADB"])
      expect(isBusy(wrapped(code))).toBe(false)
    expect(isBusy(new Error("no code"))).toBe(false)
    expect(isBusy(null)).toBe(false)
  })

  it("damage is told from everything else", () => {
    expect(isDamage(wrapped("SQLITE_NOTADB"))).toBe(true)
    expect(isDamage(wrapped("SQLITE_IOERR_READ"))).toBe(false)
  })

  it("a cause that is its own cause ends the search", () => {
    const loop: { cause?: unknown } = {}
    loop.cause = loop
    expect(codeOf(loop)).toBeNull()
  })
})
