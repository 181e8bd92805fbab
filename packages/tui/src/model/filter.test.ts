import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { busyEvening, now, runOf } from "../testing/samples.js"
import { isEmptyFilter, matches, narrowing, parseFilter } from "./filter.js"

const found = (text: string): ReadonlyArray<string> =>
  busyEvening()
    .filter((run) => matches(parseFilter(text), run, now))
    .map(({ checkpoint }) => checkpoint.title)

describe("the filter", () => {
  it.each([
    ["", 14],
    ["s:failed", 1],
    ["s:f", 1],
    ["s:failed,interrupted", 3],
    ["s:failed s:interrupted", 3],
    ["!s:completed", 6],
    ["p:codex", 2],
    ["p:codex checkout", 1],
    ["CHECKOUT", 1],
    ["checkout !flaky", 0],
    ["!housekeeping", 9],
    ['"pricing docs"', 1],
    ["m:kimi", 1],
    ["is:running", 2],
    ["is:resumable", 4],
    ["since:30m", 3],
    ["since:30m since:3d", 14],
    ["d:shop", 14],
    ["d:elsewhere", 0],
    ["l:team", 0],
    ["429", 1],
    ["ckpt_7k3m", 1]
  ])("%j shows %i", (text, count) => {
    expect(found(text).length).toBe(count)
  })

  it("shows what it does not understand, and lets it hide nothing", () => {
    for (const text of ["x:1", "s:nonsense", "since:soon", "s:", "is:purple", "foo:bar"]) {
      const filter = parseFilter(text)
      expect(filter).toMatchObject([{ kind: "ignored" }])
      expect(isEmptyFilter(filter)).toBe(true)
      expect(found(text).length).toBe(14)
    }
  })

  it("finds labels by name, and by name and value", () => {
    const run = runOf({ id: "a", change: { labels: { team: "web", ci: "" } } })
    expect(matches(parseFilter("l:team"), run, now)).toBe(true)
    expect(matches(parseFilter("l:team=web"), run, now)).toBe(true)
    expect(matches(parseFilter("l:team=api"), run, now)).toBe(false)
  })

  it("finds dismissed and silent runs", () => {
    expect(matches(parseFilter("is:dismissed"), runOf({ id: "a", change: { dismissedAt: now } }), now)).toBe(true)
    expect(matches(parseFilter("is:silent"), runOf({ id: "b", state: "running", ago: 300_000 }), now)).toBe(true)
    expect(matches(parseFilter("is:silent"), runOf({ id: "b", state: "running", ago: 1000 }), now)).toBe(false)
  })

  it("lets the store narrow by time, by no less than what is shown", () => {
    expect(narrowing(parseFilter("since:2h since:1h checkout"), now)).toEqual({ since: now - 7_200_000 })
    expect(narrowing(parseFilter("!since:2h"), now)).toEqual({ since: null })
  })

  it("never throws, and negation is the opposite", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), (text) => {
        const filter = parseFilter(text)
        for (const run of busyEvening()) matches(filter, run, now)
      })
    )
    fc.assert(
      fc.property(fc.constantFrom("s:failed", "p:codex", "checkout", "m:sonnet", "since:1h"), (token) => {
        for (const run of busyEvening()) {
          expect(matches(parseFilter(`!${token}`), run, now)).toBe(!matches(parseFilter(token), run, now))
        }
      })
    )
  })
})
