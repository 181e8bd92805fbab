/**
 * A loop that is killed at every commit of its store: whatever was reached, no task is lost, none is done twice, and none
 * stays `doing` for ever.
 */
import { join } from "node:path"
import Sqlite from "better-sqlite3"
import { describe, expect, test } from "vitest"
import { size } from "../reliability/size.js"
import type { Running } from "../support/command.js"
import * as claude from "../support/stub/claudeStream.js"
import { exit, wait } from "../support/stub/script.js"
import { openWorld, type World } from "../support/world.js"
import { addTasks, query, summaryOf, type TaskSettings, taskRun, tasksOf } from "./support.js"

const script = { fresh: [claude.init(), claude.text("Working."), wait(15), claude.success("Done."), exit(0)] }

/** Kills the process as soon as the store holds `seq` events; says whether it came to that. */
const killAt = async (world: World, running: Running, seq: number): Promise<boolean> => {
  const database = new Sqlite(join(world.store, "alluka.db"), { readonly: true })
  const last = database.prepare("SELECT max(seq) AS seq FROM event")
  try {
    let ended = false
    void running.ended(60_000).then(() => {
      ended = true
    })
    while (!ended) {
      if (Number((last.get() as { seq: number | null }).seq ?? 0) >= seq) {
        running.kill("SIGKILL")
        return true
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
    return false
  } finally {
    database.close()
  }
}

/** Goes on until nothing is left to go on with, as a person or a cron job would. */
const finish = async (world: World): Promise<number> => {
  for (let tries = 1; tries <= 6; tries++) {
    const ended = await taskRun(world, "resume", ["--on-lost-session", "fresh", "--stop-survivor"])
    if (ended.code === 0) return tries
  }
  throw new Error("the loop never came to an end")
}

const expectWhole = async (world: World): Promise<void> => {
  expect((await tasksOf(world)).map(({ prompt, status }) => [prompt, status])).toEqual([
    ["one", "done"],
    ["two", "done"],
    ["three", "done"]
  ])
  const runs = query(world, "SELECT task_id, state, root_id FROM checkpoint")
  expect(runs.filter(({ state }) => state === "running")).toEqual([])
  for (const task of ["T-0001", "T-0002", "T-0003"]) {
    const own = runs.filter(({ task_id }) => task_id === task)
    expect(
      own.filter(({ state }) => state === "completed"),
      task
    ).toHaveLength(1)
    expect(new Set(own.map(({ root_id }) => root_id)).size, task).toBe(1)
  }
  expect(query(world, "SELECT id FROM task_loop WHERE ended_at IS NULL")).toEqual([])
}

const rounds = size({ short: 6, full: 100 })

describe.each([
  ["in one pass", {}],
  ["in two phases with a gate", { phases: 2, gate: { argv: ["true"] } }]
] as ReadonlyArray<readonly [string, TaskSettings]>)("%s", (_, settings) => {
  test(`killed at ${rounds} commits, each in a world of its own`, async () => {
    // Where a loop that nobody kills commits: the points to kill at.
    const reference = openWorld()
    reference.stub("claude", script)
    await addTasks(reference, ["one", "two", "three"], settings)
    const whole = await taskRun(reference, "loop", ["--max-tasks", "all"])
    expect(whole.code, whole.stderr).toBe(0)
    await expectWhole(reference)
    const events = Number(query(reference, "SELECT max(seq) AS seq FROM event")[0]?.seq)
    expect(events).toBeGreaterThan(20)

    let killed = 0
    for (let round = 0; round < rounds; round++) {
      const world = openWorld()
      world.stub("claude", script)
      await addTasks(world, ["one", "two", "three"], settings)
      const running = world.start(["task", "run", "loop", "--max-tasks", "all", "--json"])
      if (await killAt(world, running, 1 + Math.floor((round * events) / rounds))) killed += 1
      await running.ended()
      await finish(world)
      await expectWhole(world)
    }
    expect(killed).toBeGreaterThan(rounds * 0.8)
  }, 1_800_000)
})

test("killed again and again, also while it resumes, it comes to its end", async () => {
  const world = openWorld()
  world.stub("claude", script)
  await addTasks(world, ["one", "two", "three"])
  const first = world.start(["task", "run", "loop", "--max-tasks", "all", "--json"])
  await killAt(world, first, 5)
  await first.ended()
  for (let round = 0; round < size({ short: 4, full: 20 }); round++) {
    const before = Number(query(world, "SELECT max(seq) AS seq FROM event")[0]?.seq)
    const again = world.start([
      "task",
      "run",
      "resume",
      "--json",
      "--on-lost-session",
      "fresh",
      "--stop-survivor",
      "--more-attempts"
    ])
    await killAt(world, again, before + 2 + (round % 7))
    await again.ended()
  }
  const ended = await taskRun(world, "resume", ["--on-lost-session", "fresh", "--stop-survivor", "--more-attempts"])
  expect(ended.code, ended.stdout + ended.stderr).toBe(0)
  expect(summaryOf(ended).loop).toMatchObject({ tasks_completed: 3 })
  await expectWhole(world)
}, 600_000)
