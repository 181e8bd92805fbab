import { assert, describe, it } from "@effect/vitest"
import { withSignal } from "./exitSignal.js"

describe("the signal behind an exit", () => {
  it.each([
    [{ code: 143, signal: null }, "SIGTERM"],
    [{ code: 137, signal: null }, "SIGKILL"],
    [{ code: 130, signal: null }, "SIGINT"],
    [{ code: 129, signal: null }, "SIGHUP"],
    [{ code: null, signal: "SIGKILL" }, "SIGKILL"],
    [{ code: 0, signal: null }, null],
    [{ code: 1, signal: null }, null],
    [{ code: 101, signal: null }, null],
    [{ code: 255, signal: null }, null]
  ])("of %j is %s", (exit, signal) => {
    assert.deepStrictEqual(withSignal(exit), { code: exit.code, signal })
  })
})
