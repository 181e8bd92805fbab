/** Each kind of decision, from its preview through the dialog to what comes of it. */
import { describe, expect, it } from "vitest"
import type { CheckpointDocument } from "../support/documents.js"
import { type StoryRun, tellStory } from "../support/story.js"
import { finished } from "../support/stub/claudeStream.js"
import { openWorld, type World } from "../support/world.js"
import { claudeStub } from "../trials/stubs.js"
import { key, openScreen, paste, quiet, sizes } from "./screen.js"

const runId = "ckpt_7k3m9x2q0001"

/** A run of claude that was interrupted in its conversation. */
const lost: StoryRun = {
  title: "Migrate orders",
  state: "interrupted",
  session: "5f53e40a-4788-5258-a9cb-03c05266a3d9",
  model: "M-1[1m]",
  thinking: "high",
  turn: 3,
  reason: { code: "owner_lost", message: "the process that owned this run ended unexpectedly" },
  id: runId
}

const interrupted = async (): Promise<World> => {
  const world = openWorld()
  world.stub("claude", { fresh: claudeStub.working, resume: claudeStub.working })
  await tellStory(world, [lost])
  return world
}

describe.each(sizes)("at %ix%i", (columns, rows) => {
  it("goes on in the same session, with a follow-up that was pasted and typed, none of it lost", async () => {
    const world = await interrupted()
    const screen = openScreen(world, [], { columns, rows, env: quiet })
    await screen.shows("SAME SESSION")
    await screen.keys("r")
    await screen.shows("Follow-up")
    await screen.shows(/session_valid|transcript_replayed/)
    const typed = "abcdefghij".repeat(20)
    for (const character of typed) screen.terminal.write(character)
    screen.terminal.write(paste(" one\ntwo\nthree"))
    await screen.shows("three")
    await screen.keys(key.enter)
    const start = await world.stubStart(1)
    expect(start.resumed).toBe(true)
    expect(start.stdin).toContain(`${typed} one\ntwo\nthree`)
    expect(start.argv.join(" ")).not.toContain("abcdefghij")
    expect(start.argv).toContain("M-1[1m]")
    await screen.shows(/LIVE +1/)
    await screen.shows(/› . Migrate orders .*2/)
    expect(await world.show(runId)).toMatchObject({ state: "interrupted" })
  })

  it("never starts fresh by Enter alone, says what is lost, and does it when it is chosen", async () => {
    const world = openWorld()
    world.stub("codex", { fresh: [{ forever: true }] })
    // Codex names its conversation itself; here it never came to that.
    await tellStory(world, [{ ...lost, title: "Fix the flaky test", provider: "codex", session: undefined, turn: 9 }])
    const screen = openScreen(world, [], { columns, rows, env: quiet })
    await screen.shows("WILL NOT RESUME")
    await screen.keys("r")
    await screen.shows("fresh_start_requires_confirmation")
    await screen.shows("LOST")
    await screen.keys(key.enter)
    await screen.hides("Keep as is")
    expect(world.stubStarts().length).toBe(0)
    await screen.keys("r")
    await screen.shows("Keep as is")
    await screen.keys("F")
    const start = await world.stubStart(1)
    expect(start.resumed).toBe(false)
    await screen.shows(/LIVE +1/)
    expect((await world.show(runId)).state).toBe("interrupted")
  })

  it("refuses a cancelled run until a person says yes to exactly that", async () => {
    const world = openWorld()
    world.stub("claude", { fresh: claudeStub.working, resume: finished })
    const reason = { code: "cancelled_by_user", message: "cancelled by a person" }
    await tellStory(world, [{ ...lost, title: "Spike: gateway", state: "cancelled", reason }])
    const screen = openScreen(world, [], { columns, rows, env: quiet })
    await screen.shows("Spike: gateway")
    await screen.shows("WILL NOT RESUME")
    await screen.keys("r")
    await screen.shows("cancelled_requires_confirmation")
    await screen.keys(key.enter)
    await screen.hides("cancelled_requires_confirmation (")
    expect(world.stubStarts().length).toBe(0)
    await screen.keys("r")
    await screen.shows("Confirm and resume the cancelled run")
    await screen.keys("1")
    expect((await world.stubStart(1)).resumed).toBe(true)
    await screen.shows(/completed|✓/)
  })
})

it("starts nothing when the run was resumed elsewhere between the dialog and its answer", async () => {
  const world = await interrupted()
  const screen = openScreen(world, [], { env: quiet })
  await screen.shows("SAME SESSION")
  await screen.keys("r")
  await screen.shows("[ Resume ]")
  const elsewhere = await world.json<CheckpointDocument>(["resume", runId, "--detach"])
  await world.stubStart(1)
  await screen.keys(key.enter)
  await screen.shows("Changed: was SAME SESSION")
  await screen.shows("WILL NOT RESUME")
  expect(world.stubStarts().length).toBe(1)
  expect((await world.show(elsewhere.id)).state).toBe("running")
  await screen.keys(key.escape)
})

it("answers the command line and the older checkpoint while it runs as they would (T05 from the monitor)", async () => {
  const world = await interrupted()
  const screen = openScreen(world, [], { env: quiet })
  await screen.shows("SAME SESSION")
  await screen.keys("r")
  await screen.shows("[ Resume ]")
  await screen.keys(key.enter)
  await world.stubStart(1)
  const refused = await world.run(["resume", runId, "--json", "--no-input"])
  expect(refused.code).not.toBe(0)
  expect(refused.stdout).toContain("already_running")
  expect(world.stubStarts().length).toBe(1)
})

it("keeps what was typed when a person leaves the dialog", async () => {
  const world = await interrupted()
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
  const world = await interrupted()
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

it("waits for a usage limit's reset in the background, and says so at once", async () => {
  const world = openWorld()
  world.stub("claude", { fresh: claudeStub.working, resume: claudeStub.working })
  const resetsAt = Date.now() + 3_600_000
  await tellStory(world, [{ ...lost, reason: { code: "usage_limit", message: "You have hit your limit", resetsAt } }])
  const screen = openScreen(world, [], { env: quiet })
  await screen.shows("usage_limit_not_reset")
  await screen.keys("r")
  await screen.shows("What you can do")
  const row = (await screen.rows()).find((line) => /Wait for the reset, then resume/.test(line)) ?? ""
  await screen.keys(/\((\d)\)/.exec(row)?.[1] ?? "")
  await screen.shows(/Goes on after the reset, [\d:]+ · same as: /)
  await screen.hides("What you can do")
  await screen.shows(/waiting .* for the usage limit/)
  expect(world.stubStarts().length).toBe(0)
  await screen.keys("c")
  await screen.shows("Stop waiting?")
  await screen.keys("y")
  await screen.shows(/the wait for the reset was cancelled/)
  await screen.hides("Stop waiting?")
})
