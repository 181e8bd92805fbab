/** The list in a real terminal, at the three sizes: what is on it, what keys do, what nothing may do. */
import { describe, expect, it } from "vitest"
import { type StoryRun, tellStory } from "../support/story.js"
import * as claude from "../support/stub/claudeStream.js"
import { openWorld, type World } from "../support/world.js"
import { claudeStub } from "../trials/stubs.js"
import { damage, detached, hostile } from "./runs.js"
import { key, openScreen, paste, quiet, settledScreen, sizes } from "./screen.js"

const lost: StoryRun = {
  title: "Migrate orders",
  state: "interrupted",
  session: "5f53e40a-4788-5258-a9cb-03c05266a3d9",
  turn: 14,
  tool: "Edit",
  reason: { code: "host_restarted", message: "the machine was restarted" },
  said: [{ text: "three call sites left" }]
}
const pricing: StoryRun = { title: "Rewrite pricing docs", state: "running", turn: 6, agoMs: 60_000 }
const inbox: StoryRun = {
  title: "Triage inbox",
  state: "running",
  turn: 2,
  agoMs: 9000,
  said: [{ text: "Still working." }]
}

/** Two that run, one that was interrupted. */
const busy = async (): Promise<World> => {
  const world = openWorld()
  world.stub("claude", { fresh: claudeStub.working })
  await tellStory(world, [lost, pricing, inbox])
  return world
}

/** States of the runs that lists show. */
const states = async (world: World): Promise<ReadonlyArray<string>> =>
  (
    await world.json<{ kind: string; version: number; items: ReadonlyArray<{ state: string }> }>(["runs", "list"])
  ).items.map(({ state }) => state)

describe.each(sizes)("at %ix%i", (columns, rows) => {
  it("shows every run with its state as a word, moves, filters, opens everything, and quits while the runs go on", async () => {
    const world = await busy()
    const screen = openScreen(world, [], { columns, rows, env: quiet })
    await screen.shows("Migrate orders")
    await screen.shows(/NEEDS ATTENTION +1/)
    await screen.shows(/LIVE +2/)
    await screen.shows(columns === 120 ? /INTERRUPTED/ : /interrupted/)
    await screen.shows("SAME SESSION")
    expect((await screen.rows()).at(-1)).toBe("")
    expect((await screen.rows()).at(-2)).toContain("quit")
    await screen.keys("j")
    await screen.shows(/› LIVE/)
    await screen.keys("j")
    await screen.shows(/› . Triage inbox/)
    expect((await screen.inverse()).length).toBe(1)

    await screen.keys("/")
    await screen.shows(/enter keep|s: state/)
    screen.terminal.write("zzz\r")
    await screen.shows("No run matches")
    await screen.shows(/3 runs hidden/)
    await screen.keys(key.escape)
    await screen.shows("Migrate orders")
    await screen.keys("/")
    await screen.shows(/enter keep|s: state/)
    screen.terminal.write("s:interrupted\r")
    await screen.shows(/2 runs hidden/)
    await screen.hides("Triage inbox")
    await screen.keys(key.escape)
    await screen.shows("Triage inbox")

    await screen.keys("g")
    await screen.shows(/› NEEDS/)
    await screen.keys("j")
    await screen.shows(/› . Migrate/)
    await screen.keys(key.enter)
    await screen.shows("FACTS")
    await screen.hides("NEEDS ATTENTION")
    await screen.keys(key.escape)
    await screen.shows("NEEDS ATTENTION")
    await screen.keys("l")
    await screen.shows("three call sites left")
    await screen.hides("NEEDS ATTENTION")
    await screen.keys(key.escape)
    await screen.shows("NEEDS ATTENTION")
    await screen.keys("?")
    await screen.shows("type to search")
    await screen.keys(key.escape)
    await screen.hides("type to search")
    await screen.keys(":")
    await screen.shows("Commands")
    screen.terminal.write("quit")
    await screen.shows(/› .*quit/)
    await screen.keys(key.enter)
    expect(await screen.terminal.ended()).toMatchObject({ exitCode: 0 })
    expect(await screen.alternate()).toBe(false)
    await screen.shows("2 runs keep going")
    expect((await states(world)).filter((state) => state === "running").length).toBe(2)
    expect(screen.terminal.output()).not.toContain("\u001b[3J")
  })

  it("lets nothing that is pasted, or typed all at once, be a command; asks before it cancels, and takes only y for yes", async () => {
    const world = openWorld()
    world.stub("claude", { fresh: claudeStub.working })
    await tellStory(world, [lost, pricing])
    await detached(world, "Triage inbox")
    const screen = openScreen(world, [], { columns, rows, env: quiet })
    await screen.shows("Triage inbox")
    const selected = async (): Promise<ReadonlyArray<string>> => (await screen.inverse()).map((row) => row.slice(0, 20))
    const before = await selected()
    screen.terminal.write(paste("q"))
    screen.terminal.write(paste("cy\nq\nx"))
    screen.terminal.write("quit, cancel and dismiss\rcy")
    await screen.keys("/")
    await screen.shows(" / ")
    await screen.keys(key.escape)
    await screen.hides(/enter keep|s: state/)
    expect(await selected()).toEqual(before)
    expect((await states(world)).filter((state) => state === "running").length).toBe(2)

    await screen.keys("3")
    await screen.hides("Migrate orders")
    await screen.shows(/› . Triage/)
    await screen.keys("c")
    await screen.shows("Cancel run?")
    await screen.keys("n")
    await screen.hides("Cancel run?")
    await screen.shows(/LIVE +2/)
    await screen.keys("c")
    await screen.shows("Cancel run?")
    await screen.keys(key.enter)
    await screen.hides("Cancel run?")
    await screen.keys("c")
    await screen.shows("Cancel run?")
    await screen.keys("y")
    await screen.shows(/LIVE +1/)
    await screen.keys("4")
    await screen.shows(/cancelled|⊘/)
    await screen.shows("Triage inbox")
  })

  it("keeps its size right through resizes, and leaves nothing of another size behind", async () => {
    const world = await busy()
    const screen = openScreen(world, [], {
      columns,
      rows,
      env: { ...quiet, ALLUKA_NOW: new Date(Date.now() + 1000).toISOString() }
    })
    await screen.shows("SAME SESSION")
    await screen.hides("looking at the world")
    const before = await settledScreen(screen)
    for (const [wide, high] of [
      [160, 50],
      [60, 20],
      [80, 10],
      [40, 12],
      [20, 3],
      [columns, rows]
    ] as const) {
      await screen.resize(wide, high)
      await screen.fits(wide, high)
    }
    expect(await settledScreen(screen)).toBe(before)
    await screen.keys(key.ctrlL)
    expect(await settledScreen(screen)).toBe(before)
    expect(screen.terminal.output()).not.toContain("\u001b[3J")
  })
})

describe("what the monitor shows", () => {
  it("has no colour with NO_COLOR, and still tells the selected row", async () => {
    const world = await busy()
    const screen = openScreen(world, [], { env: { ...quiet, NO_COLOR: "1" } })
    await screen.shows("Triage inbox")
    await screen.shows("SAME SESSION")
    expect(screen.terminal.output()).not.toMatch(/\u001b\[[0-9;]*(3[0-7]|4[0-7]|9[0-7])m/)
    expect((await screen.inverse()).length).toBe(1)
    expect((await screen.text()).match(/›/g)?.length).toBe(1)
  })

  it("is 7-bit with --ascii", async () => {
    const world = await busy()
    const screen = openScreen(world, ["--ascii"], { env: quiet })
    await screen.shows("Triage inbox")
    await screen.shows("SAME SESSION")
    await screen.keys("?")
    await screen.shows("type to search")
    await screen.keys(key.escape)
    await screen.hides("type to search")
    await screen.keys("r")
    await screen.shows("[ Resume ]")
    await screen.resize(60, 20)
    await screen.fits(60, 20)
    expect(screen.terminal.output().replaceAll(/\u001b|[\r\n\u0007]/g, "")).toMatch(/^[\x20-\x7e]*$/)
  })

  it("reads in order for a screen reader, on the ordinary screen", async () => {
    const world = await busy()
    const screen = openScreen(world, [], { env: { INK_SCREEN_READER: "true" } })
    await screen.shows(/Alluka runs\. 2 live, 1 need you/)
    await screen.shows(/interrupted, can resume: Migrate orders/)
    expect(await screen.alternate()).toBe(false)
    const text = await screen.text()
    expect(text.indexOf("Alluka runs.")).toBeLessThan(text.indexOf("needs attention"))
    expect(text.indexOf("needs attention")).toBeLessThan(text.indexOf("live: 2"))
    await screen.keys("q")
    expect(await screen.terminal.ended()).toMatchObject({ exitCode: 0 })
  })

  it("gives nothing that an agent printed to the terminal as it is, and no secret", async () => {
    const world = openWorld({ env: { MY_SERVICE_TOKEN: "very-secret-value-1234567890" } })
    const secret = `sk-ant-api03-${"a1B2".repeat(24)}`
    world.stub("claude", {
      fresh: [
        ...hostile.slice(0, -1),
        claude.text(`the key is ${secret} and very-secret-value-1234567890`, "s1"),
        { forever: true }
      ]
    })
    await detached(world, `title ${secret}`)
    const screen = openScreen(world, [], { env: quiet })
    await screen.shows(/title/)
    await screen.shows("after")
    await screen.keys("l")
    await screen.shows("the key is")
    await screen.keys("v")
    await screen.shows("plain words")
    const written = screen.terminal.output()
    // In raw output the agent's own JSON stands as text; a sequence that a terminal would obey never does.
    expect(written).not.toContain("\u001b]52")
    expect(written).not.toContain("stolen title\u0007")
    expect(written).not.toContain("\u202e")
    expect(written).not.toContain("\u009b")
    expect(written).not.toContain("\u001b[3J")
    expect(written.lastIndexOf("\u001b[2J")).toBe(written.indexOf("\u001b[2J\u001b[H\u001b[1;1H"))
    expect(written).not.toContain(secret)
    expect(written).not.toContain("very-secret-value-1234567890")
    expect(screen.clipboard()).toEqual([])
    expect(screen.title()).not.toContain("stolen")
  })

  it("copies by the terminal, and says so", async () => {
    const world = await busy()
    const screen = openScreen(world, [], { env: quiet })
    await screen.shows("Triage inbox")
    await screen.keys("y")
    await screen.shows(/Copied ckpt_\w+ \(by the terminal\)/)
    expect(screen.clipboard().at(-1)).toMatch(/^ckpt_\w{12}$/)
    await screen.keys("Y")
    await screen.shows("Copied the resume command")
    expect(screen.clipboard().at(-1)).toMatch(/resume ckpt_\w{12}$/)
  })

  it("helps a newcomer, and runs the demo on request", async () => {
    const world = openWorld()
    const screen = openScreen(world, [], { columns: 80, rows: 24, env: quiet })
    await screen.shows("No runs here yet.")
    await screen.shows("No provider's program was found")
    await screen.keys("d")
    await screen.shows(/Started ckpt_/)
    await screen.shows(/LIVE +1|HISTORY +1/)
    await screen.shows(/Survey this folder/)
  })

  it("remembers how a person likes it, but no filter", async () => {
    const world = await busy()
    const first = openScreen(world, ["--filter", "s:interrupted"], { env: quiet })
    await first.shows(/2 runs hidden/)
    await first.keys("T")
    await first.shows("Times: absolute.")
    await first.keys("s")
    await first.shows("Sorted by age.")
    await first.keys(key.escape)
    await first.shows("Triage inbox")
    await first.keys("q")
    await first.terminal.ended()
    const second = openScreen(world, [], { env: quiet })
    await second.shows("sort: age")
    await second.shows("time: absolute")
    await second.shows("filter: none")
  })

  it("keeps a dismissed run in the history, and says which command does the same", async () => {
    const world = await busy()
    const screen = openScreen(world, [], { env: quiet })
    await screen.shows(/› . Migrate orders/)
    await screen.keys("x")
    await screen.shows(/Dismissed; it stays in history · same as: .*runs dismiss ckpt_/)
    await screen.hides("NEEDS ATTENTION")
    await screen.keys("4")
    await screen.shows(/HISTORY +1/)
    await screen.shows("Migrate orders")
  })

  it("tells of damaged records, and shows the others", async () => {
    const world = await busy()
    damage(world, "Rewrite pricing docs")
    const screen = openScreen(world, [], { env: quiet })
    await screen.shows("1 record is damaged and not shown: ")
    await screen.shows("Triage inbox")
    await screen.hides("Rewrite pricing docs")
  })

  it("opens where the folder it was started in is gone, and says so where it matters", async () => {
    const world = await busy()
    const screen = openScreen(world, [], {
      command: ["/bin/sh", "-c", 'mkdir gone; cd gone; rmdir "$PWD"; exec alluka'],
      env: quiet
    })
    await screen.shows("Triage inbox")
    await screen.keys("n")
    await screen.shows("What should the agent do?")
    await screen.shows(/provider +claude/)
    screen.terminal.write("tidy the garden")
    await screen.shows("tidy the garden")
    await screen.keys(key.enter)
    await screen.shows(/is not there any more/)
    await screen.keys(key.escape)
    await screen.hides("What should the agent do?")
    await screen.keys("q")
    expect(await screen.terminal.ended()).toMatchObject({ exitCode: 0 })
  })
})
