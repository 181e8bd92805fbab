import { State } from "@alluka/core"
import { endedCheckpoint, noon, sampleCheckpoint, samplePhase, sampleProgress } from "@alluka/core/testing"
import * as fc from "fast-check"
import stringWidth from "string-width"
import { describe, expect, it } from "vitest"
import {
  age,
  type ColumnName,
  columnSpecs,
  headingLine,
  joined,
  layout,
  looks,
  type RunRow,
  rowLine,
  rowOf
} from "./index.js"

const wanted = Object.keys(columnSpecs) as ReadonlyArray<ColumnName>
const now = noon + 3_600_000

const anyRow: fc.Arbitrary<RunRow> = fc.record({
  id: fc.constant("ckpt_7k3m9x2qw4t1"),
  state: fc.constantFrom(...State.State.literals),
  title: fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.constantFrom("修复登录流程", "👨‍👩‍👧‍👦", "x".repeat(500))
  ),
  provider: fc.constantFrom("claude", "codex", "a-provider-with-a-long-name"),
  model: fc.constantFrom("", "opus[1m]", "M-1[1m] → M-2"),
  agent: fc.constantFrom("default", "backend"),
  attempt: fc.integer({ min: 1, max: 12 }),
  at: fc.integer({ min: noon - 10 ** 10, max: now }),
  note: fc.constantFrom("", "the process that owned this run ended unexpectedly")
})

describe("layout", () => {
  it("makes every line exactly as wide as the others and never wider than the terminal", () => {
    fc.assert(
      fc.property(
        fc.array(anyRow, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 240 }),
        fc.boolean(),
        (rows, width, ascii) => {
          const columns = layout(rows, { width, wanted, now })
          const lines = [headingLine(columns), ...rows.map((row) => joined(rowLine(row, columns, { now, ascii })))]
          const widths = new Set(lines.map((line) => stringWidth(line)))
          expect(widths.size).toBe(1)
          for (const each of widths) expect(each).toBeLessThanOrEqual(width)
        }
      )
    )
  })

  it("keeps the state longest, and its word whole wherever there is space for it", () => {
    fc.assert(
      fc.property(fc.array(anyRow, { minLength: 1 }), fc.integer({ min: 11, max: 240 }), (rows, width) => {
        const columns = layout(rows, { width, wanted, now })
        expect(columns.map(({ name }) => name)).toContain("state")
        for (const row of rows)
          expect(joined(rowLine(row, columns, { now, ascii: false }))).toContain(looks[row.state].word)
      })
    )
  })

  it("cuts nothing where there is no width", () => {
    const row = rowOf(endedCheckpoint("owner_lost", { title: "a title of some length ".repeat(4).trim() }))
    const columns = layout([row], { width: null, wanted, now })
    expect(joined(rowLine(row, columns, { now, ascii: false }))).toContain(row.title)
  })

  it("leaves out columns that nothing fills, and the agent where it is always the default", () => {
    const row = rowOf(sampleCheckpoint({ agent: "default" }))
    expect(layout([row], { width: 200, wanted, now }).map(({ name }) => name)).not.toContain("agent")
    expect(layout([row], { width: 200, wanted, now }).map(({ name }) => name)).not.toContain("attempt")
    expect(
      layout([{ ...row, agent: "backend", attempt: 2 }], { width: 200, wanted, now }).map(({ name }) => name)
    ).toEqual(expect.arrayContaining(["agent", "attempt"]))
  })
})

describe("rows", () => {
  it("say why a run stopped", () => {
    expect(rowOf(endedCheckpoint("usage_limit"))).toMatchObject({
      state: "interrupted",
      note: expect.stringContaining("usage limit")
    })
  })

  it("flag a model that is not the one asked for", () => {
    const phases = [{ ...samplePhase, model: { requested: "M-1[1m]", actual: "M-2" } }]
    const row = rowOf(endedCheckpoint("owner_lost", { progress: { ...sampleProgress, phases } }))
    expect(row.model).toBe("M-1[1m] → M-2")
    expect(row.note).toContain("requested M-1[1m], actual M-2")
  })

  it("are one line each, without anything that a terminal acts on", () => {
    const row = rowOf(
      sampleCheckpoint({ title: "a\u001b[31mred\u001b]0;title\u0007\nb\u202ec\r\nd", agent: "x\u0000y" })
    )
    for (const text of [row.title, row.agent]) {
      expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/)
    }
    expect(rowOf(sampleCheckpoint({ title: "\u200b\n" })).title).not.toBe("")
  })

  it("show a run that has no title as one", () =>
    expect(rowOf(sampleCheckpoint({ title: " " })).title).toBe("(no title)"))
})

it("has a glyph of one cell and one ASCII sign for every state", () => {
  for (const state of State.State.literals) {
    expect(stringWidth(looks[state].glyph)).toBe(1)
    expect(looks[state].ascii).toMatch(/^[\x21-\x7e]$/)
  }
  expect(new Set(Object.values(looks).map(({ glyph }) => glyph)).size).toBe(State.State.literals.length)
})

it.each([
  [0, "0s"],
  [9_000, "9s"],
  [60_000, "1m"],
  [3_599_000, "59m"],
  [47 * 3_600_000, "47h"],
  [49 * 3_600_000, "2d"],
  [99 * 86_400_000, "99d"],
  [101 * 86_400_000, "14w"],
  [-5000, "0s"]
])("%d ms ago is %s", (ms, text) => expect(age(now - ms, now)).toBe(text))
