/** Trial 11: titles of every kind, at widths and heights down to one. */
import stringWidth from "string-width"
import { expect, it } from "vitest"
import { tellStory } from "../support/story.js"
import { openWorld } from "../support/world.js"
import { framesIn, openScreen, quiet } from "./screen.js"

const titles = [
  "修复登录流程",
  "🔥🚀 deploy",
  "the 👨‍👩‍👧‍👦 family",
  "cafe\u0301 e\u0301",
  "flag 🇩🇪 flies",
  "עברית וגם العربية",
  "x".repeat(500),
  ""
]

const widths = [200, 80, 40, 20, 1]
const heights = [50, 10, 3]

/** A hundred sizes: all pairs, and back and forth between them. */
const walk = Array.from({ length: 100 }, (_, index) => index + 1).map((step) => ({
  columns: widths[(step * 2) % widths.length] ?? 80,
  rows: heights[Math.floor(step / 5) % heights.length] ?? 24
}))

it("never writes a line wider than the terminal, breaks nothing, and keeps the selected run", async () => {
  expect(new Set(walk.map(({ columns, rows }) => `${columns}x${rows}`)).size).toBe(widths.length * heights.length)
  const world = openWorld()
  await tellStory(
    world,
    titles.map((title) => ({ title, state: "completed" as const }))
  )
  const screen = openScreen(world, [], { columns: 200, rows: 50, env: quiet })
  await screen.shows(/HISTORY +8/)
  await screen.keys("j", "j")
  const selected = (await screen.inverse())[0]?.slice(0, 12)
  expect(selected).toMatch(/^› +✓/)

  for (const { columns, rows } of walk) {
    await screen.resize(columns, rows)
    await screen.fits(columns, rows)
    for (const line of framesIn(screen.terminal.output()).at(-1) ?? [])
      expect(stringWidth(line)).toBeLessThanOrEqual(columns)
  }

  // From 40 cells on, words stand under each other: the state ends in the same cell of every row.
  for (const [columns, rows] of [
    [80, 24],
    [40, 24]
  ] as const) {
    await screen.resize(columns, rows)
    await screen.fits(columns, rows)
    const drawn = (await screen.rows()).filter((row) => /^[› ] ✓ .*completed/u.test(row))
    expect(drawn.length).toBe(titles.length)
    const places = drawn.map((row) => stringWidth(row.slice(0, row.indexOf("completed"))))
    expect(new Set(places).size, drawn.join("\n")).toBe(1)
    expect(drawn.join("\n")).not.toContain("\ufffd")
  }
  await screen.resize(38, 20)
  await screen.shows("too small")
  await screen.resize(200, 50)
  await screen.fits(200, 50)
  await screen.shows(/HISTORY +8/)
  expect((await screen.inverse())[0]?.slice(0, 12)).toBe(selected)
  await screen.keys("q")
  expect(await screen.terminal.ended()).toMatchObject({ exitCode: 0 })
})
