/** Several task runs in one folder at once: one of them has it, the others say who. */
import { describe, expect, test } from "vitest"
import { size } from "../reliability/size.js"
import { describeEnd } from "../support/command.js"
import type { StreamLine } from "../support/documents.js"
import * as claude from "../support/stub/claudeStream.js"
import { exit, until, wait } from "../support/stub/script.js"
import { openWorld } from "../support/world.js"
import { addTasks, decisionsOf, query, statuses, summaryOf, taskRun } from "./support.js"

const quick = { fresh: [claude.init(), claude.text("Working."), wait(30), claude.success(), exit(0)] }

test("a second loop is told who has the folder, starts nothing, and waits for nothing", async () => {
  const world = openWorld()
  world.stub("claude", {
    fresh: [claude.init(), claude.text("Working."), until(world.path("go")), claude.success(), exit(0)]
  })
  await addTasks(world, ["one", "two"])
  const first = world.start(["task", "run", "loop", "--max-tasks", "all", "--json"])
  await world.stubStart(1)
  await first.event<StreamLine>("message")
  // A living owner is not taken for dead on anybody's word, and nothing that it started is ended.
  for (const [kind, ...flags] of [
    ["loop"],
    ["one", "--assume-owner-dead", "--stop-survivor"],
    ["resume", "--assume-owner-dead", "--stop-survivor"]
  ] as const) {
    const second = await taskRun(world, kind, flags)
    expect(second.code, describeEnd(second)).toBe(6)
    expect(decisionsOf(second)[0]).toMatchObject({
      status: "refusing_to_resume",
      reason: "already_running",
      task_id: "T-0001",
      facts: { owner: { pid: first.pid } }
    })
    expect(summaryOf(second)).toMatchObject({ state: null, exit_code: 6 })
    expect(second.elapsedMs).toBeLessThan(20_000)
  }
  expect(world.stubStarts()).toHaveLength(1)
  world.touch(world.path("go"))
  expect((await first.ended()).code).toBe(0)
  expect(await statuses(world)).toEqual(["done", "done"])
})

describe("many at once", () => {
  test("do every task once", async () => {
    for (let round = 0; round < size({ short: 2, full: 20 }); round++) {
      const world = openWorld()
      world.stub("claude", quick)
      await addTasks(world, ["one", "two", "three"])
      const all = await Promise.all(
        Array.from({ length: 5 }, () =>
          world.start(["task", "run", "loop", "--max-tasks", "all", "--json"]).ended(90_000)
        )
      )
      for (const ended of all) expect([0, 6], describeEnd(ended)).toContain(ended.code)
      expect(all.some(({ code }) => code === 0)).toBe(true)
      expect(await statuses(world)).toEqual(["done", "done", "done"])
      expect(world.stubStarts()).toHaveLength(3)
      expect(query(world, "SELECT count(*) AS n FROM checkpoint")[0]?.n).toBe(3)
    }
  }, 600_000)

  test("go on with an interrupted loop once, after its owner was killed", async () => {
    const world = openWorld()
    world.stub("claude", { fresh: [claude.init(), claude.text("Working."), { forever: true }] })
    await addTasks(world, ["one", "two"])
    const first = world.start(["task", "run", "loop", "--max-tasks", "all", "--json"])
    await first.event<StreamLine>("message")
    first.kill("SIGKILL")
    await first.ended()
    world.stub("claude", quick)
    const all = await Promise.all(
      Array.from({ length: 5 }, () =>
        world.start(["task", "run", "resume", "--json", "--stop-survivor", "--on-lost-session", "fresh"]).ended(90_000)
      )
    )
    expect(all.filter(({ code }) => code === 0).length, all.map(describeEnd).join("\n")).toBeGreaterThan(0)
    for (const ended of all) expect([0, 6], describeEnd(ended)).toContain(ended.code)
    expect(await statuses(world)).toEqual(["done", "done"])
    const attempts = query(world, "SELECT state FROM checkpoint WHERE task_id = 'T-0001' ORDER BY seq")
    expect(attempts.map(({ state }) => state)).toEqual(["interrupted", "completed"])
  }, 120_000)
})
