import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { apply, busyEvening, idOf, modelOf, now, press, runOf, settings, snapshotOf } from "../testing/samples.js"
import { listingOf, selectedRun } from "./items.js"
import { defaultPreferences, initialModel, type Model } from "./Model.js"
import { sorted, sortKeys } from "./sort.js"

const titles = (model: Model): ReadonlyArray<string> =>
  listingOf(model).items.map((item) =>
    item.kind === "group" ? `# ${item.title} ${item.count.value}` : item.run.checkpoint.title
  )

const rows = (model: Model): number => listingOf(model).items.filter(({ kind }) => kind === "run").length

describe("the list", () => {
  it("groups by need, with what needs a person first, and newest first within", () => {
    expect(titles(modelOf()).slice(0, 7)).toEqual([
      "# NEEDS ATTENTION 3",
      "Fix flaky checkout test",
      "Nightly dependency bump",
      "Migrate orders to v2 API",
      "# LIVE 2",
      "Triage inbox automation",
      "Rewrite pricing docs"
    ])
  })

  it("counts in each group exactly the rows that it shows, whatever is filtered, folded back, sorted or grouped", () => {
    const keys = ["s", "S", "v", "1", "2", "3", "4", "A", "down", "T"] as const
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...keys), { maxLength: 12 }),
        fc.constantFrom("", "s:failed", "checkout", "!s:completed", "zzz"),
        (pressed, filter) => {
          const model = press(modelOf(), ...pressed, "/", ...filter, "enter")
          const counted = listingOf(model).items.flatMap((item) => (item.kind === "group" ? [item.count] : []))
          expect(counted.every(({ exact }) => exact)).toBe(true)
          expect(counted.reduce((sum, { value }) => sum + value, 0)).toBe(rows(model))
        }
      )
    )
  })

  it("keeps failed runs in sight when their group is folded", () => {
    const folded = press(modelOf(), "g", "enter")
    expect(titles(folded).slice(0, 3)).toEqual(["# NEEDS ATTENTION 3", "Fix flaky checkout test", "# LIVE 2"])
    expect(titles(press(folded, "enter"))).toEqual(titles(modelOf()))
  })

  it("keeps dismissed runs in the history, and nowhere else", () => {
    const model = modelOf([runOf({ id: "a", state: "failed", change: { dismissedAt: now } }), runOf({ id: "b" })])
    expect(titles(model)).toEqual([
      "# NEEDS ATTENTION 1",
      "Migrate orders to v2 API",
      "# HISTORY 1",
      "Migrate orders to v2 API"
    ])
  })

  it("says how many runs a filter hides", () => {
    const model = press(modelOf(), "/", ..."checkout", "enter")
    expect(rows(model)).toBe(1)
    expect(listingOf(model).hidden).toEqual({ value: 13, exact: true })
    expect(rows(press(model, "escape"))).toBe(14)
  })

  it("counts by the store what it has not read yet, and says 'or more' where the store cannot tell", () => {
    const snapshot = snapshotOf(busyEvening())
    const unread = {
      ...snapshot,
      groups: { ...snapshot.groups, history: { ...snapshot.groups.history, cursors: ["next", null] } }
    }
    const many = { ...unread, counts: { ...unread.counts, completed: 4900 } }
    const model = apply(initialModel(settings, defaultPreferences, { columns: 120, rows: 36 }, now), many)
    expect(listingOf(model).counts.history).toEqual({ value: 4901, exact: true })
    expect(listingOf(press(model, "/", "a")).counts.history.exact).toBe(false)
  })

  it("has one order for every set of runs, and the same set in each", () => {
    const runs = busyEvening()
    for (const key of sortKeys) {
      const once = sorted(runs, key, false).map(({ checkpoint }) => checkpoint.id)
      const shuffled = sorted([...runs].reverse(), key, false).map(({ checkpoint }) => checkpoint.id)
      expect(shuffled).toEqual(once)
      expect(sorted(runs, key, true).map(({ checkpoint }) => checkpoint.id)).toEqual([...once].reverse())
      expect(new Set(once).size).toBe(runs.length)
    }
  })

  it("keeps the selected run selected while everything else changes places", () => {
    const moved = press(modelOf(), "down", "down")
    const id = selectedRun(moved)?.checkpoint.id
    for (const key of ["s", "s", "S", "v", "T", "p"]) {
      // Grouping starts at the top, since the places are new.
      if (key !== "v") expect(selectedRun(press(moved, key))?.checkpoint.id).toBe(id)
    }
    const reread = apply(moved, snapshotOf([...busyEvening()].reverse()))
    expect(selectedRun(reread)?.checkpoint.id).toBe(id)
  })

  it("selects what stands in its place when the selected run is gone", () => {
    const model = press(modelOf(), "down")
    const id = idOf("9v2c6h0p")
    expect(selectedRun(model)?.checkpoint.id).toBe(id)
    const gone = apply(model, {
      _tag: "ChangesRead",
      at: now,
      moved: [],
      lineages: [],
      removed: [id],
      events: [],
      counts: null
    })
    expect(selectedRun(gone)?.checkpoint.title).toBe("Migrate orders to v2 API")
  })
})
