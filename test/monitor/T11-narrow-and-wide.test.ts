/** Trial 11: titles of every kind, at widths and heights down to one. */
import stringWidth from "string-width"
import { expect, it } from "vitest"
import { openWorld } from "../support/world.js"
import { claudeStub } from "../trials/stubs.js"
import { detached } from "./runs.js"
import { openScreen } from "./screen.js"

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

it("never writes a line wider than the terminal, breaks nothing, and keeps the selected run", async () => {
  const world = openWorld()
  world.stub("claude", { fresh: claudeStub.finished })
  for (const title of titles) await detached(world, title)
  const screen = openScreen(world, [], { columns: 200, rows: 50, env: { ALLUKA_REDUCED_MOTION: "1" } })
  await screen.shows(/HISTORY +8/)
  await screen.keys("j", "j")
  const selected = (await screen.inverse())[0]?.slice(0, 12)

  const written = (from: number): ReadonlyArray<string> =>
    screen.terminal
      .output()
      .slice(from)
      .split(/\u001b\[\d+;1H/)
      .map((line) => line.replace(/\u001b\[[0-9;?]*[a-zA-Z]/g, ""))
  let columns = 200
  for (let round = 0; round < 20; round++) {
    for (const [wide, high] of [
      [200, 50],
      [80, 24],
      [40, 12],
      [20, 10],
      [1, 3]
    ] as const) {
      const from = screen.terminal.output().length
      const widest = Math.max(columns, wide)
      await screen.resize(wide, high)
      columns = wide
      await new Promise((resolve) => setTimeout(resolve, 40))
      for (const line of written(from)) {
        if (!/[\u001b\r\n]/.test(line)) expect(stringWidth(line)).toBeLessThanOrEqual(widest)
      }
    }
  }
  await screen.resize(38, 20)
  await screen.shows("too small")
  await screen.resize(80, 24)
  await screen.shows(/HISTORY +8/)
  const rows = (await screen.rows()).filter((row) => row.includes("completed"))
  expect(rows.length).toBeGreaterThan(4)
  await screen.resize(200, 50)
  await screen.shows(/HISTORY +8/)
  expect((await screen.inverse())[0]?.slice(0, 12)).toBe(selected)
  await screen.keys("q")
  expect(await screen.terminal.ended()).toMatchObject({ exitCode: 0 })
})
