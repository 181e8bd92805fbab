/** What the monitor sees without a key, and how fast. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import { describe, expect, it } from "vitest"
import { eventually } from "../support/eventually.js"
import { seedRuns } from "../support/seed.js"
import { tellStory } from "../support/story.js"
import { openTerminalWith, type Terminal } from "../support/terminal.js"
import { openWorld } from "../support/world.js"
import { detached, talkative } from "./runs.js"
import { openScreen, quiet } from "./screen.js"

/** Processor time that a process has used, ms; a busy machine takes longer, but not more of it. */
const cpuMs = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ")
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const p95 = (times: ReadonlyArray<number>): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0

/** A program that does nothing but answer: what a key costs on this machine, whatever else is going on. */
const echo = "process.stdin.setRawMode(true); process.stdin.on('data', (keys) => process.stdout.write(keys))"

/** How long a terminal takes to write something after a key, ms. */
const answerMs = async (terminal: Terminal, typed: string, wanted: string): Promise<number> => {
  const written = terminal.output().length
  const at = performance.now()
  terminal.write(typed)
  await eventually(() => terminal.output().slice(written).includes(wanted), { withinMs: 5000, what: "an answer" })
  return performance.now() - at
}

describe("without a key", () => {
  it("shows a new run, what it says, and that its owner was killed", async () => {
    const world = openWorld()
    world.stub("claude", { fresh: talkative(2000, 300) })
    const screen = openScreen(world, [], { env: quiet })
    await screen.shows("No runs here yet.")
    const run = await detached(world, "Migrate orders")
    await screen.shows(/LIVE +1/)
    await screen.shows(/message number \d+/)
    process.kill(run.owner.pid, "SIGKILL")
    await screen.shows(/NEEDS ATTENTION +1/)
    await screen.shows("INTERRUPTED")
    await eventually(async () => (await world.show(run.id)).state === "interrupted")
    expect(screen.title()).toContain("1 need you")
  })

  it("says that it is not live while the store cannot be read, and is live again afterwards", async () => {
    const world = openWorld()
    await tellStory(world, [{ title: "Migrate orders", state: "running" }])
    const screen = openScreen(world, [], { env: quiet })
    await screen.shows("Migrate orders")
    await screen.shows("live · updated")
    const rename = (from: string, to: string): void => {
      const database = new Database(join(world.store, "alluka.db"))
      database.exec(`ALTER TABLE ${from} RENAME TO ${to}`)
      database.close()
    }
    rename("event", "elsewhere")
    await screen.shows(/! Not live, retry \d+ in \d+s, showing \d\d:\d\d:\d\d: .*R retry now/)
    await screen.shows(/not live · showing \d\d:\d\d:\d\d/)
    await screen.shows("Migrate orders")
    rename("elsewhere", "event")
    await screen.keys("R")
    await screen.shows("live · updated")
    await screen.hides("Not live")
  })
})

describe("with five thousand runs", () => {
  it("paints its first screen at once, and moves without delay while runs print", async () => {
    const world = openWorld()
    await seedRuns(world, 5000)
    world.stub("claude", { fresh: talkative(5000, 100) })
    await detached(world, "Talkative")

    const screen = openScreen(world, [], { env: quiet })
    await screen.shows("seeded run 5000")
    expect(cpuMs(screen.terminal.pid)).toBeLessThan(1000)
    await screen.shows(/HISTORY +5000/)
    await screen.keys("4", "j")
    await screen.shows(/› . seeded run 4999/)

    const nothing = openTerminalWith(world, [process.execPath, "-e", echo])
    await eventually(() => answerMs(nothing, "ready", "ready"), { what: "the program that answers" })
    const times: Array<number> = []
    const least: Array<number> = []
    for (let step = 0; step < 40; step++) {
      least.push(await answerMs(nothing, `${step};`, `${step};`))
      const down = step % 2 === 0
      times.push(await answerMs(screen.terminal, down ? "j" : "k", down ? "seeded run 4998" : "seeded run 4999"))
    }
    expect(p95(times)).toBeLessThan(100 + 3 * p95(least))

    await screen.keys("G")
    await screen.shows("seeded run 1", 30_000)
    await screen.keys("g")
    await screen.shows("seeded run 5000")
    await screen.keys("q")
    expect(await screen.terminal.ended()).toMatchObject({ exitCode: 0 })
  })
})
