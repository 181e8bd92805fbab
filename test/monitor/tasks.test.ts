/** Task lists in the monitor, with a real loop behind them. */
import { expect, it } from "vitest"
import { eventually } from "../support/eventually.js"
import { success } from "../support/stub/claudeStream.js"
import { exit } from "../support/stub/script.js"
import { openWorld } from "../support/world.js"
import { claudeStub } from "../trials/stubs.js"
import { key, openScreen, quiet, sizes } from "./screen.js"

interface Listed {
  readonly kind: string
  readonly version: number
  readonly items: ReadonlyArray<{ readonly id: string; readonly title: string; readonly status: string }>
}

it("adds, edits, reorders, starts, watches and stops tasks, and leaving it stops nothing", async () => {
  const world = openWorld()
  const goOn = world.path("go-on")
  world.stub("claude", {
    fresh: [...claudeStub.opening, claudeStub.message("On it."), { until: goOn }, success(), exit(0)]
  })
  await world.run(["config", "set", "run.provider", "claude"])
  const screen = openScreen(world, [], { env: quiet })
  await screen.shows("No runs here yet.")
  await screen.keys("t")
  await screen.shows("No tasks here yet.")
  for (const prompt of ["paint the fence", "mow the lawn"]) {
    await screen.keys("n")
    await screen.shows("What is to be done?")
    screen.terminal.write(prompt)
    await screen.shows(prompt)
    await screen.keys(key.enter)
    await screen.shows(new RegExp(`○ T-\\d+ +${prompt}`))
  }
  await screen.shows(/› ○ T-0002 +mow the lawn/)
  await screen.keys("e")
  await screen.shows("What is to be done?")
  screen.terminal.write(", all of it")
  await screen.shows("mow the lawn, all of it")
  await screen.keys(key.enter)
  await screen.shows(/Changed T-0002 · same as: .*task edit T-0002/)
  await screen.keys("K")
  await screen.shows(/T-0002 +mow the lawn[\s\S]*T-0001 +paint the fence/)

  for (const [columns, rows] of sizes.toReversed()) {
    await screen.resize(columns, rows)
    await screen.fits(columns, rows)
    await screen.shows(/› ○ T-0002 +mow the lawn +todo/)
    await screen.shows("quit")
  }

  await screen.keys("r")
  await screen.shows("Do all open tasks of this folder")
  await screen.keys("2")
  const start = await world.stubStart(1)
  expect(start.stdin).toContain("mow the lawn, all of it")
  await screen.shows(/being worked on \(pid \d+/)
  await screen.shows(/T-0002 .* doing +running/)
  await screen.keys(key.enter)
  await screen.shows("On it.")
  await screen.keys(key.escape)
  await screen.shows("TASKS")
  await screen.keys("c")
  await screen.shows("stops after its present task")
  await screen.keys("q")
  expect(await screen.terminal.ended()).toMatchObject({ exitCode: 0 })

  world.touch(goOn)
  const tasks = await eventually(async () => {
    const { items } = await world.json<Listed>(["task", "list"])
    return items.some(({ status }) => status === "done") ? items : null
  })
  expect(tasks).toMatchObject([
    { id: "T-0002", status: "done" },
    { id: "T-0001", status: "todo" }
  ])
  expect(world.stubStarts().length).toBe(1)
})
