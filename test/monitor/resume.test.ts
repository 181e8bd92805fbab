/** Each kind of decision, from its preview through the dialog to what comes of it. */
import { describe, expect, it } from "vitest"
import type { CheckpointDocument } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import { finished } from "../support/stub/claudeStream.js"
import { openWorld, type World } from "../support/world.js"
import { claudeStub } from "../trials/stubs.js"
import { detached, orphaned } from "./runs.js"
import { key, openScreen, paste } from "./screen.js"

const sizes = [
  [120, 36],
  [80, 24],
  [60, 20]
] as const

const quiet = { ALLUKA_REDUCED_MOTION: "1" }

interface Interrupted {
  readonly world: World
  readonly run: CheckpointDocument
}

const interrupted = async (): Promise<Interrupted> => {
  const world = openWorld()
  world.stub("claude", { fresh: claudeStub.working })
  const run = await orphaned(
    world,
    await detached(world, "Migrate orders", { flags: ["--model", "M-1[1m]", "--thinking", "high"] })
  )
  return { world, run }
}

describe.each(sizes)("at %ix%i", (columns, rows) => {
  it("goes on in the same session, with a follow-up that was pasted and typed, none of it lost", async () => {
    const { run, world } = await interrupted()
    const screen = openScreen(world, [], { columns, rows, env: quiet })
    await screen.shows("SAME SESSION")
    await screen.keys("r")
    await screen.shows("Follow-up")
    await screen.shows(/session_valid|transcript_replayed/)
    const typed = "abcdefghij".repeat(20)
    for (const character of typed) screen.terminal.write(character)
    screen.terminal.write(paste(" one\ntwo\nthree"))
    await screen.shows("three")
    world.stub("claude", { fresh: claudeStub.working, resume: claudeStub.working })
    await screen.keys(key.enter)
    const start = await world.stubStart(2)
    expect(start.resumed).toBe(true)
    expect(start.stdin).toContain(`${typed} one\ntwo\nthree`)
    expect(start.argv.join(" ")).not.toContain("abcdefghij")
    expect(start.argv).toContain("M-1[1m]")
    await screen.shows(/LIVE +1/)
    await screen.shows(/› . Migrate orders .*2/)
    const shown = await world.show(run.id)
    expect(shown).toMatchObject({ state: "interrupted" })
  })

  it("never starts fresh by Enter alone, says what is lost, and does it when it is chosen", async () => {
    const world = openWorld()
    // Codex names its conversation itself; here it never came to that.
    world.stub("codex", { fresh: [{ forever: true }] })
    const run = await orphaned(world, await detached(world, "Fix the flaky test", { provider: "codex" }))
    const screen = openScreen(world, [], { columns, rows, env: quiet })
    await screen.shows("WILL NOT RESUME")
    await screen.keys("r")
    await screen.shows("fresh_start_requires_confirmation")
    await screen.shows("LOST")
    await screen.keys(key.enter)
    await screen.hides("Keep as is")
    expect(world.stubStarts().length).toBe(1)
    await screen.keys("r")
    await screen.shows("Keep as is")
    await screen.keys("F")
    const start = await world.stubStart(2)
    expect(start.resumed).toBe(false)
    await screen.shows(/LIVE +1/)
    expect((await world.show(run.id)).state).toBe("interrupted")
  })

  it("refuses a cancelled run until a person says yes to exactly that", async () => {
    const world = openWorld()
    world.stub("claude", { fresh: claudeStub.working, resume: finished })
    const run = await detached(world, "Spike: gateway")
    await eventually(() => world.stubStarts().length === 1)
    await world.run(["cancel", run.id])
    const screen = openScreen(world, [], { columns, rows, env: quiet })
    await screen.shows("Spike: gateway")
    await screen.shows("WILL NOT RESUME")
    await screen.keys("r")
    await screen.shows("cancelled_requires_confirmation")
    await screen.keys(key.enter)
    await screen.hides("cancelled_requires_confirmation (")
    expect(world.stubStarts().length).toBe(1)
    await screen.keys("r")
    await screen.shows("Confirm and resume the cancelled run")
    await screen.keys("1")
    expect((await world.stubStart(2)).resumed).toBe(true)
    await screen.shows(/completed|✓/)
  })
})

it("starts nothing when the run was resumed elsewhere between the dialog and its answer", async () => {
  const { run, world } = await interrupted()
  const screen = openScreen(world, [], { env: quiet })
  await screen.shows("SAME SESSION")
  await screen.keys("r")
  await screen.shows("[ Resume ]")
  world.stub("claude", { fresh: claudeStub.working, resume: claudeStub.working })
  const elsewhere = await world.json<CheckpointDocument>(["resume", run.id, "--detach"])
  await world.stubStart(2)
  await screen.keys(key.enter)
  await screen.shows("Changed: was SAME SESSION")
  await screen.shows("WILL NOT RESUME")
  expect(world.stubStarts().length).toBe(2)
  expect((await world.show(elsewhere.id)).state).toBe("running")
  await screen.keys(key.escape)
})

it("answers the command line and the older checkpoint while it runs as they would (T05 from the monitor)", async () => {
  const { run, world } = await interrupted()
  world.stub("claude", { fresh: claudeStub.working, resume: claudeStub.working })
  const screen = openScreen(world, [], { env: quiet })
  await screen.shows("SAME SESSION")
  await screen.keys("r")
  await screen.shows("[ Resume ]")
  await screen.keys(key.enter)
  await world.stubStart(2)
  const refused = await world.run(["resume", run.id, "--json", "--no-input"])
  expect(refused.code).not.toBe(0)
  expect(refused.stdout).toContain("already_running")
  expect(world.stubStarts().length).toBe(2)
})

it("keeps what was typed when a person leaves the dialog", async () => {
  const { world } = await interrupted()
  const screen = openScreen(world, [], { env: quiet })
  await screen.shows("SAME SESSION")
  await screen.keys("r")
  await screen.shows("[ Resume ]")
  screen.terminal.write("run the tests")
  await screen.shows("run the tests")
  await screen.keys(key.escape)
  await screen.hides("[ Resume ]")
  await screen.keys("r")
  await screen.shows("run the tests")
})

it("lets a person write the follow-up in their own editor", async () => {
  const { world } = await interrupted()
  const screen = openScreen(world, [], { env: { ...quiet, VISUAL: "sh -c 'echo from the editor > \"$1\"' sh" } })
  await screen.shows("SAME SESSION")
  await screen.keys("r")
  await screen.shows("[ Resume ]")
  await screen.keys("\u0007")
  await screen.shows("from the editor")
  await screen.shows("[ Resume ]")
})

it("starts a new run with its prompt on stdin", async () => {
  const world = openWorld()
  world.stub("claude", { fresh: claudeStub.working })
  const screen = openScreen(world, [], { columns: 80, rows: 24, env: quiet })
  await screen.shows("No runs here yet.")
  await screen.keys("n")
  await screen.shows("What should the agent do?")
  await screen.shows("claude")
  screen.terminal.write("tidy the garden")
  await screen.shows("tidy the garden")
  await screen.keys(key.enter)
  const start = await world.stubStart(1)
  expect(start.stdin).toContain("tidy the garden")
  expect(start.argv.join(" ")).not.toContain("tidy")
  await screen.shows(/LIVE +1/)
})
