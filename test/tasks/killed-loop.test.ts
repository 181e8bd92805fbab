/**
 * A loop that is killed at every commit of its store, just before it and just after: whatever was reached, one
 * `task run resume` brings the list to its end; no task is lost, none is done twice, and none stays `doing`.
 */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { size } from "../reliability/size.js"
import { describeEnd, type Ended } from "../support/command.js"
import * as claude from "../support/stub/claudeStream.js"
import { exit, wait } from "../support/stub/script.js"
import { openWorld, type World } from "../support/world.js"
import { addTasks, query, summaryOf, type TaskSettings } from "./support.js"

const script = { fresh: [claude.init(), claude.text("Working."), wait(15), claude.success("Done."), exit(0)] }
const killer = fileURLToPath(new URL("../support/killAtCommit.cjs", import.meta.url))

interface KillPoint {
  /** Counted from 1; 0: it is not killed. */
  readonly commit: number
  readonly when: "before" | "after"
}

const never: KillPoint = { commit: 0, when: "after" }

/** Runs `task run ARGS`, killed there, and says how it ended and how many commits it made, if it was not killed. */
const taskRun = async (
  world: World,
  args: ReadonlyArray<string>,
  { commit, when }: KillPoint = never
): Promise<{ readonly ended: Ended; readonly killed: boolean; readonly commits: number }> => {
  const report = world.path("commits")
  const ended = await world
    .start(["task", "run", ...args, "--json"], {
      env: {
        NODE_OPTIONS: `--require=${killer}`,
        ALLUKA_TEST_COMMIT: String(commit),
        ALLUKA_TEST_WHEN: when,
        ALLUKA_TEST_COMMITS: report
      }
    })
    .ended()
  return {
    ended,
    killed: ended.signal === "SIGKILL",
    commits: existsSync(report) ? Number(readFileSync(report, "utf8")) : 0
  }
}

const loop = ["loop", "--max-tasks", "all"]
/** As a cron job would: nobody is asked, and what the killed owner left behind is ended first. */
const resume = ["resume", "--on-lost-session", "fresh", "--stop-survivor"]

const prepared = async (settings: TaskSettings): Promise<World> => {
  const world = openWorld()
  world.stub("claude", script)
  await addTasks(world, ["one", "two", "three"], settings)
  return world
}

/** Looked at in the database itself: nobody has put anything right by looking. */
const expectWhole = (world: World, kills: number, where: string): void => {
  expect(query(world, "SELECT prompt, status FROM task ORDER BY position"), where).toEqual(
    ["one", "two", "three"].map((prompt) => ({ prompt, status: "done" }))
  )
  const runs = query(world, "SELECT id, task_id, state, root_id FROM checkpoint ORDER BY seq")
  for (const task of ["T-0001", "T-0002", "T-0003"]) {
    const own = runs.filter(({ task_id }) => task_id === task)
    const states = own.map(({ state }) => state)
    // Done once, by the last of its attempts, of one lineage; every other was cut off by a kill.
    expect(states.at(-1), `${task} ${where}`).toBe("completed")
    expect(
      states.slice(0, -1).every((state) => state === "interrupted"),
      `${task} ${where}: ${states.join(" ")}`
    ).toBe(true)
    expect(new Set(own.map(({ root_id }) => root_id)).size, `${task} ${where}`).toBe(1)
  }
  expect(runs.length, where).toBeLessThanOrEqual(3 + kills)
  expect(query(world, "SELECT id FROM task_loop WHERE ended_at IS NULL"), where).toEqual([])
}

/** All kill points of a process that makes so many commits; in the short form a few, from the first to the last. */
const points = (commits: number): ReadonlyArray<KillPoint> => {
  const all = Array.from(
    { length: commits * 2 },
    (_, index): KillPoint => ({
      commit: 1 + Math.floor(index / 2),
      when: index % 2 === 0 ? "before" : "after"
    })
  )
  const wanted = Math.min(all.length, size({ short: 3, full: all.length }))
  return Array.from({ length: wanted }, (_, at) => all[Math.floor(((at + 0.5) * all.length) / wanted)] ?? never)
}

/** Kills at every point, each in a world of its own, and lets one resume end what is left. */
const killEverywhere = async (
  settings: TaskSettings,
  args: ReadonlyArray<string>,
  before: (world: World) => Promise<number>
): Promise<void> => {
  const reference = await prepared(settings)
  const kills = await before(reference)
  const whole = await taskRun(reference, args)
  expect(whole.ended.code, describeEnd(whole.ended)).toBe(0)
  expectWhole(reference, kills, "killed no more")
  expect(whole.commits).toBeGreaterThan(12)

  let killed = 0
  const chosen = points(whole.commits)
  for (const point of chosen) {
    const where = `killed ${point.when} commit ${point.commit} of ${whole.commits}`
    const world = await prepared(settings)
    const earlier = await before(world)
    const cut = await taskRun(world, args, point)
    if (cut.killed) killed += 1
    const { ended } = await taskRun(world, resume)
    expect(ended.code, `${where}\n${describeEnd(ended)}`).toBe(0)
    expect(summaryOf(ended), where).toMatchObject({ outcome: "done", exit_code: 0, blocked: null })
    expectWhole(world, earlier + 1, where)
  }
  // Progress is written as often as time allows: now and then there is a commit less than in the reference.
  expect(killed).toBeGreaterThanOrEqual(chosen.length * 0.9)
}

const unkilled = (): Promise<number> => Promise.resolve(0)

describe("killed at every commit", () => {
  test.each([
    ["of a loop in one pass", {}],
    ["of a loop in two phases with a gate", { phases: 2, gate: { argv: ["true"] } }]
  ] satisfies ReadonlyArray<readonly [string, TaskSettings]>)(
    "%s",
    async (_, settings) => {
      await killEverywhere(settings, loop, unkilled)
    },
    1_800_000
  )

  test("of the resume of a loop that was killed in its second task", async () => {
    await killEverywhere({}, resume, async (world) => {
      const { killed } = await taskRun(world, loop, { commit: 13, when: "after" })
      expect(killed).toBe(true)
      return 1
    })
  }, 1_800_000)
})

test("killed again and again, also while it resumes, it comes to its end", async () => {
  const world = await prepared({})
  await taskRun(world, loop, { commit: 5, when: "after" })
  const again = [...resume, "--more-attempts"]
  const rounds = size({ short: 3, full: 20 })
  for (let round = 0; round < rounds; round++) {
    await taskRun(world, again, { commit: 3 + (round % 7), when: round % 2 === 0 ? "before" : "after" })
  }
  const { ended } = await taskRun(world, again)
  expect(ended.code, describeEnd(ended)).toBe(0)
  expect(summaryOf(ended).loop).toMatchObject({ tasks_completed: 3 })
  expectWhole(world, rounds + 1, `after ${rounds} kills`)
}, 600_000)
