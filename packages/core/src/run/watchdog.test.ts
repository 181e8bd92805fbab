import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { alive, fresh, retrying, tick, tickMs, verdict, type Watch } from "./watchdog.js"

const limits = { timeoutMs: 10_000, idleMs: 5_000 }
const ticks = (watch: Watch, count: number, toolOpen = false, now = 0): Watch => {
  let after = watch
  for (let each = 0; each < count; each++) after = tick(after, tickMs, now, toolOpen)
  return after
}

describe("the watchdog", () => {
  it("calls silence a stall at the limit, not before", () => {
    expect(verdict(ticks(fresh, 4), limits)).toBeNull()
    expect(verdict(ticks(fresh, 5), limits)).toBe("stalled")
  })

  it("a sign of life starts the silence anew, but not the run", () => {
    expect(verdict(ticks(alive(ticks(fresh, 4)), 4), limits)).toBeNull()
    expect(verdict(ticks(alive(ticks(fresh, 6)), 4), limits)).toBe("timed_out")
  })

  it("a tool at work is not silence", () => {
    expect(verdict(ticks(fresh, 9, true), limits)).toBeNull()
  })

  it("an announced retry is waited for, and no longer", () => {
    const waiting = retrying(fresh, 100_000)
    expect(verdict(ticks(waiting, 9, false, 50_000), { ...limits, timeoutMs: null })).toBeNull()
    expect(verdict(ticks(waiting, 9, false, 100_000), { ...limits, timeoutMs: null })).toBe("stalled")
  })

  it("0 switches the idle limit off", () => {
    expect(verdict(ticks(fresh, 10_000), { timeoutMs: null, idleMs: 0 })).toBeNull()
  })

  it("a sleep of any length counts as a moment", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 12 }), (gap) => {
        const after = tick(ticks(fresh, 2), gap, 0, false)
        expect(verdict(after, limits)).toBeNull()
      })
    )
  })

  it("a clock that goes back takes nothing away", () => {
    expect(tick(ticks(fresh, 3), -50_000, 0, false).runMs).toBe(3 * tickMs)
  })
})
