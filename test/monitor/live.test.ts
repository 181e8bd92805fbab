/** What the monitor sees without a key, and how fast. */
import { describe, expect, it } from "vitest"
import { eventually } from "../support/eventually.js"
import { seedRuns } from "../support/seed.js"
import { openWorld } from "../support/world.js"
import { claudeStub } from "../trials/stubs.js"
import { detached, talkative } from "./runs.js"
import { key, openScreen } from "./screen.js"

const quiet = { ALLUKA_REDUCED_MOTION: "1" }

/** How much slower this machine is now than a quiet one: the start of node, which takes 60 ms there. */
const slowness = async (): Promise<number> => {
  const world = openWorld()
  const times: Array<number> = []
  for (let round = 0; round < 3; round++) times.push((await world.run(["--version"])).elapsedMs)
  return Math.max(1, Math.min(...times) / 100)
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
    world.stub("claude", { fresh: claudeStub.working })
    await detached(world, "Migrate orders")
    const screen = openScreen(world, [], { env: quiet })
    await screen.shows("Migrate orders")
    await screen.shows("live · updated")
  })
})

describe("with five thousand runs", () => {
  it("paints its first screen at once, and moves without delay while runs print", async () => {
    const slow = await slowness()
    const world = openWorld()
    await seedRuns(world, 5000)
    world.stub("claude", { fresh: talkative(5000, 100) })
    await detached(world, "Talkative")

    const begun = performance.now()
    const screen = openScreen(world, [], { env: quiet })
    await screen.shows("seeded run 5000")
    expect(performance.now() - begun).toBeLessThan(1000 * slow)
    await screen.shows(/HISTORY +5000/)
    await screen.keys("4", "j")
    await screen.shows(/› . seeded run 4999/)

    const times: Array<number> = []
    for (let step = 0; step < 40; step++) {
      const written = screen.terminal.output().length
      const at = performance.now()
      screen.terminal.write(step % 2 === 0 ? "j" : "k")
      const wanted = step % 2 === 0 ? "seeded run 4998" : "seeded run 4999"
      await eventually(() => screen.terminal.output().slice(written).includes(wanted), {
        withinMs: 5000,
        what: "the key to be painted"
      })
      times.push(performance.now() - at)
    }
    const p95 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0
    expect(p95).toBeLessThan(100 * slow)

    await screen.keys("G")
    await screen.shows("seeded run 1", 30_000)
    await screen.keys("g")
    await screen.shows("seeded run 5000")
    await screen.keys(key.escape, "q")
    expect(await screen.terminal.ended()).toMatchObject({ exitCode: 0 })
  })
})
