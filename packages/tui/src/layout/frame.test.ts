import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cells } from "../list/index.js"
import { entryOf } from "../model/entry.js"
import type { Model, Size } from "../model/Model.js"
import {
  apply,
  busyEvening,
  checkpointOf,
  decisionOf,
  eventOf,
  freshDecision,
  heldDecision,
  idOf,
  modelOf,
  now,
  press,
  runOf,
  staleDecision
} from "../testing/samples.js"
import { hardTitles } from "../testing/titles.js"
import { themeNames, themeOf } from "../theme/theme.js"
import { frameOf } from "./frame.js"
import { lineWidth, painted, plainText } from "./Line.js"

const text = (model: Model): ReadonlyArray<string> => frameOf(model).map(plainText)

/** What a person would see: no escape, no control character, no half of a pair. */
const unsafe =
  /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/u

const expectFrame = (model: Model): void => {
  const frame = frameOf(model)
  const { columns, rows } = model.size
  expect(frame.length).toBe(Math.max(1, rows - 1))
  for (const line of frame) {
    if (lineWidth(line) !== columns)
      throw new Error(`${columns}x${rows}: ${lineWidth(line)} cells: ${JSON.stringify(plainText(line))}`)
    // Pieces that stand beside each other may join into other characters; together they must be as wide as they are apart.
    if (cells(plainText(line)) !== columns)
      throw new Error(`${columns}x${rows}: joined ${cells(plainText(line))} cells: ${JSON.stringify(plainText(line))}`)
    if (unsafe.test(plainText(line))) throw new Error(`not safe: ${JSON.stringify(plainText(line))}`)
  }
}

const withHardTitles = () =>
  hardTitles.map((title, index) =>
    runOf(
      {
        id: `t${index}`,
        title,
        message: title,
        agent: title,
        model: title,
        provider: title === "" ? "claude" : title,
        state: (["interrupted", "failed", "running", "completed", "cancelled"] as const)[index % 5] ?? "failed",
        openTool: index % 2 === 0 ? title : "Bash"
      },
      decisionOf(idOf(`t${index}`), { detail: title, warnings: [title], loses: [title] })
    )
  )

/** Every screen and dialog, from one model. */
const screens: ReadonlyArray<readonly [string, (model: Model) => Model]> = [
  ["list", (model) => model],
  ["moved", (model) => press(model, "down", "down", "down", "pagedown")],
  ["marked", (model) => press(model, "space", "space")],
  ["details", (model) => press(model, "enter")],
  ["details, end", (model) => press(model, "enter", "G")],
  ["pane", (model) => press(model, "tab", "down", "down")],
  ["log", (model) => press(model, "l")],
  ["log, find", (model) => press(model, "l", "/", "修", "x")],
  ["help", (model) => press(model, "?")],
  ["help, search", (model) => press(model, "?", "r", "e", "s")],
  ["palette", (model) => press(model, ":", "down", "down")],
  ["filter", (model) => press(model, "/", "s", ":", "f", "space", "q", ":", "z", "space", "修")],
  ["filter, nothing", (model) => press(model, "/", "q", "q", "q", "enter")],
  ["here", (model) => press(model, "A")],
  ["run", (model) => press(model, "n", "修", "a", "tab")],
  ["rename", (model) => press(apply(model, { _tag: "Pressed", key: ":" }), "r", "e", "n", "a", "m", "e", "enter")],
  ["cancel", (model) => press(model, "3", "c")],
  ["resume many", (model) => press(model, "*", "r")],
  ["deciding", (model) => press(model, "r")],
  ["same", (model) => answered(model, decisionOf)],
  ["fresh", (model) => answered(model, freshDecision)],
  ["stale", (model) => press(answered(model, staleDecision), "tab", "a", "修")],
  ["held", (model) => answered(model, (id) => heldDecision(id, "ckpt_2b7wt5ej0000"))],
  [
    "not live",
    (model) =>
      apply(model, { _tag: "ConnectionLost", why: "the run store is locked 修复", attempt: 3, retryAt: now + 4000 })
  ],
  ["toast", (model) => apply(model, { _tag: "Told", text: "Copied 修复登录流程", tone: "good" })],
  ["by folder", (model) => press(model, "v")],
  ["without preview", (model) => press(model, "p", "p", "p")]
]

const answered = (model: Model, decide: (id: string) => ReturnType<typeof decisionOf>): Model => {
  const open = press(model, "r")
  return apply(open, {
    _tag: "Decided",
    token: open.questions,
    decision: decide(open.dialog?.kind === "resume" ? open.dialog.id : "")
  })
}

const withDetail = (model: Model): Model => {
  const id = model.detail?.id ?? ""
  return apply(model, {
    _tag: "DetailRead",
    id,
    lineage: [checkpointOf({ id: "a1" }), checkpointOf({ id: "a2" })],
    entries: hardTitles.map((title, index) =>
      entryOf({
        ...eventOf(
          "a1",
          index + 1,
          (["message", "tool_started", "created", "notice", "state_changed"] as const)[index % 5] ?? "notice",
          title,
          {
            payload: { text: `${title}\n${title}`, to: "failed" }
          }
        )
      })
    )
  })
}

describe("a frame", () => {
  it("is as wide and one row less high than the terminal, at every size, on every screen, whatever it shows", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 220 }),
        fc.integer({ min: 1, max: 60 }),
        fc.constantFrom(...screens),
        fc.boolean(),
        fc.boolean(),
        (columns, rows, [, change], ascii, hard) => {
          const model = modelOf(hard ? withHardTitles() : busyEvening(), { columns, rows }, { settings: { ascii } })
          expectFrame(change(withDetail(model)))
        }
      ),
      { numRuns: 200 }
    )
  })

  it.each(screens)("keeps its size through a hundred resizes, and the selection its run: %s", (name, change) => {
    let model = change(withDetail(modelOf(withHardTitles(), { columns: 120, rows: 36 })))
    const selected = model.selected
    const sizes: ReadonlyArray<Size> = [
      { columns: 200, rows: 50 },
      { columns: 80, rows: 10 },
      { columns: 40, rows: 12 },
      { columns: 20, rows: 3 },
      { columns: 1, rows: 1 }
    ]
    for (let round = 0; round < (name === "list" ? 20 : 2); round++) {
      for (const size of sizes) {
        model = apply(model, { _tag: "Resized", size })
        expectFrame(model)
      }
    }
    expect(model.selected).toBe(selected)
  })

  it.each([
    [200, 50],
    [120, 36],
    [100, 30],
    [80, 24],
    [60, 20],
    [40, 12]
  ])("lines up the state column and the borders at %i columns", (columns, rows) => {
    const bottom = modelOf(
      withHardTitles(),
      { columns, rows },
      { preferences: { preview: columns >= 110 ? "off" : "auto" } }
    )
    const words = /(interrupted|failed|completed|cancelled|running|idle \w+) +\d+\w $/
    const places = text(bottom).flatMap((line) => {
      const found = words.exec(line)
      return found === null ? [] : [cells(line.slice(0, found.index))]
    })
    expect(places.length).toBeGreaterThan(1)
    expect(new Set(places).size).toBe(1)
    if (columns < 110) return
    const split = modelOf(withHardTitles(), { columns, rows })
    const walls = text(split)
      .slice(3, -2)
      .map((line) => cells(line.slice(0, line.indexOf("│"))))
    expect(new Set(walls).size).toBe(1)
  })

  it.each(screens)("shows the times of each moment, whatever it keeps of the frame before: %s", (_, change) => {
    const other = modelOf([])
    const minute = 60_000
    const fresh = runOf({ id: "fresh", state: "failed", ago: 58_000 })
    const soonSilent = runOf({ id: "silent", state: "running", ago: 118_000, ranMs: 600_000 })
    for (const time of ["relative", "absolute"] as const) {
      for (const columns of [120, 80, 60]) {
        let model = change(
          withDetail(modelOf([...busyEvening(), fresh, soonSilent], { columns, rows: 30 }, { preferences: { time } }))
        )
        for (const step of [1000, 1000, 1000, 57_000, minute, 59 * minute, 24 * 60 * minute, -5000]) {
          model = apply(model, { _tag: "Ticked", now: model.now + step })
          const kept = text(model)
          // A frame of something else makes it forget.
          frameOf(other)
          expect(kept).toEqual(text(model))
        }
      }
    }
  })

  it("never cuts a character in two", () => {
    const family = "👨‍👩‍👧‍👦"
    for (let columns = 40; columns <= 80; columns++) {
      const shown = text(
        modelOf([runOf({ id: "a", title: `${"a".repeat(columns % 17)}${family.repeat(20)}` })], { columns, rows: 20 })
      ).join("\n")
      expect(shown.replaceAll(family, "").match(/[👨👩👧👦\u200d]/u)).toBeNull()
    }
  })

  it("says so, where a terminal is too small for anything else", () => {
    expect(text(modelOf(busyEvening(), { columns: 38, rows: 10 }))[0]).toContain("Terminal 38x10 is too small")
    expect(text(modelOf(busyEvening(), { columns: 60, rows: 10 }))[0]).toContain(
      "Terminal 60x10 is too small (need 40x12)"
    )
  })

  it.each(screens)("is 7-bit with --ascii as long as the runs are: %s", (_, change) => {
    const plainRuns = busyEvening().map((run) => ({ ...run, folder: "~/src/shop" }))
    const model = modelOf(plainRuns, { columns: 120, rows: 36 }, { settings: { ascii: true } })
    // Keys that type something else than ASCII are the person's own text.
    const shown = text(change(model))
      .join("\n")
      .replace(/\p{Script=Han}/gu, "")
    expect(shown).toMatch(/^[\x20-\x7e\n]*$/)
  })

  it("has no colour in mono, whatever the theme, and all of its 16 colours else", () => {
    const frame = frameOf(modelOf())
    for (const name of themeNames) {
      const without = frame.map((line) => painted(line, themeOf(name, false))).join("\n")
      expect(without).not.toMatch(/\u001b\[[0-9;]*3[0-7]/)
      const colours = frame.map((line) => painted(line, themeOf(name, true))).join("\n")
      expect(colours).not.toMatch(/\u001b\[[0-9;]*(38|48);/)
    }
  })

  it("tells the selected row by a sign besides its looks", () => {
    const rows = text(modelOf()).filter((line) => line.startsWith("›"))
    expect(rows.length).toBe(1)
  })

  it("names every state with a word, also where there is no colour", () => {
    const shown = text(modelOf(busyEvening(), { columns: 80, rows: 30 })).join("\n")
    for (const word of ["interrupted", "failed", "running", "completed", "cancelled"]) expect(shown).toContain(word)
  })
})
