/** The list in a real terminal, at the three sizes: what is on it, what keys do, what nothing may do. */
import { describe, expect, it } from "vitest"
import * as claude from "../support/stub/claudeStream.js"
import { openWorld, type World } from "../support/world.js"
import { claudeStub } from "../trials/stubs.js"
import { detached, hostile, orphaned } from "./runs.js"
import { key, openScreen, paste } from "./screen.js"

const sizes = [
  [120, 36],
  [80, 24],
  [60, 20]
] as const

const quiet = { ALLUKA_REDUCED_MOTION: "1" }

/** Two that run, one that was interrupted. */
const busy = async (): Promise<World> => {
  const world = openWorld()
  world.stub("claude", { fresh: claudeStub.working })
  const lost = await detached(world, "Migrate orders")
  await orphaned(world, lost)
  await detached(world, "Rewrite pricing docs")
  await detached(world, "Triage inbox")
  return world
}

describe.each(sizes)("at %ix%i", (columns, rows) => {
  it("shows every run with its state as a word, moves, and quits while the runs go on", async () => {
    const world = await busy()
    const screen = openScreen(world, [], { columns, rows, env: quiet })
    await screen.shows("Migrate orders")
    await screen.shows(/NEEDS ATTENTION +1/)
    await screen.shows(/LIVE +2/)
    await screen.shows(columns === 120 ? /INTERRUPTED/ : /interrupted/)
    expect((await screen.rows()).at(-1)).toBe("")
    expect((await screen.rows()).at(-2)).toContain("quit")
    await screen.keys("j")
    await screen.shows(/› LIVE/)
    await screen.keys("j")
    await screen.shows(/› . Triage inbox/)
    expect((await screen.inverse()).length).toBe(1)
    await screen.keys("q")
    expect(await screen.terminal.ended()).toMatchObject({ exitCode: 0 })
    expect(await screen.alternate()).toBe(false)
    await screen.shows("2 runs keep going")
    expect(world.marked().length).toBeGreaterThanOrEqual(2)
    expect(screen.terminal.output()).not.toContain("\u001b[3J")
  })

  it("lets nothing that is pasted, or typed all at once, be a command", async () => {
    const world = await busy()
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
    expect(
      (
        await world.json<{ kind: string; version: number; items: ReadonlyArray<{ state: string }> }>(["runs", "list"])
      ).items.filter(({ state }) => state === "running").length
    ).toBe(2)
  })

  it("asks before it cancels, keeps running on n, and cancels on y", async () => {
    const world = await busy()
    const screen = openScreen(world, [], { columns, rows, env: quiet })
    await screen.shows("Triage inbox")
    await screen.keys("3")
    await screen.hides("Migrate orders")
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
  })

  it("filters, says how many runs that hides, and shows them again", async () => {
    const world = await busy()
    const screen = openScreen(world, [], { columns, rows, env: quiet })
    await screen.shows("Triage inbox")
    await screen.keys("/")
    await screen.shows(/enter keep|s: state/)
    screen.terminal.write("zzz\r")
    await screen.shows("No run matches")
    await screen.shows(/3 runs hidden/)
    await screen.keys(key.escape)
    await screen.shows("Triage inbox")
    await screen.shows("Migrate orders")
    await screen.keys("/")
    await screen.shows(/enter keep|s: state/)
    screen.terminal.write("s:interrupted\r")
    await screen.shows(/2 runs hidden/)
    await screen.hides("Triage inbox")
  })

  it("opens details, the log, help and the palette, and comes back from each", async () => {
    const world = await busy()
    const screen = openScreen(world, [], { columns, rows, env: quiet })
    await screen.shows("Triage inbox")
    await screen.keys(key.enter)
    await screen.shows("FACTS")
    await screen.hides("NEEDS ATTENTION")
    await screen.keys(key.escape)
    await screen.shows("NEEDS ATTENTION")
    await screen.keys("j")
    await screen.shows(/› LIVE/)
    await screen.keys("j")
    await screen.shows(/› . Triage/)
    await screen.keys("l")
    await screen.shows("Still working.")
    await screen.keys("v")
    await screen.shows('"type":"assistant"')
    await screen.keys(key.escape)
    await screen.hides('"type":"assistant"')
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
  })

  it("keeps its size right through resizes, and leaves nothing of another size behind", async () => {
    const world = await busy()
    const screen = openScreen(world, [], {
      columns,
      rows,
      env: { ...quiet, ALLUKA_NOW: new Date(Date.now() + 1000).toISOString() }
    })
    await screen.shows("Triage inbox")
    await screen.shows(/SAME SESSION|WILL NOT RESUME/)
    await screen.shows(/live/)
    const settled = async (): Promise<string> => {
      let last = ""
      for (let same = 0; same < 5; ) {
        const now = await screen.text()
        same = now === last ? same + 1 : 0
        last = now
        await new Promise((resolve) => setTimeout(resolve, 60))
      }
      return last
    }
    const before = await settled()
    for (const [wide, high] of [
      [60, 20],
      [160, 50],
      [80, 10],
      [40, 12],
      [20, 3],
      [columns, rows]
    ] as const) {
      await screen.resize(wide, high)
      await new Promise((resolve) => setTimeout(resolve, 150))
    }
    expect(await settled()).toBe(before)
    await screen.keys(key.ctrlL)
    expect(await settled()).toBe(before)
    expect(screen.terminal.output()).not.toContain("\u001b[3J")
  })
})

describe("what the monitor shows", () => {
  it("has no colour with NO_COLOR, and still tells the selected row", async () => {
    const world = await busy()
    const screen = openScreen(world, [], { env: { ...quiet, NO_COLOR: "1" } })
    await screen.shows("Triage inbox")
    expect(screen.terminal.output()).not.toMatch(/\u001b\[[0-9;]*(3[0-7]|4[0-7]|9[0-7])m/)
    expect((await screen.inverse()).length).toBe(1)
    expect((await screen.text()).match(/›/g)?.length).toBe(1)
  })

  it("is 7-bit with --ascii", async () => {
    const world = await busy()
    const screen = openScreen(world, ["--ascii"], { env: quiet })
    await screen.shows("Triage inbox")
    await screen.keys("?")
    await screen.shows("type to search")
    expect(await screen.text()).toMatch(/^[\x20-\x7e\n]*$/)
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
    expect(written).not.toContain("aGFja2Vk")
    expect(written).not.toContain("stolen title\u0007")
    expect(written).not.toContain("\u202e")
    expect(written).not.toContain("\u009b")
    expect(written).not.toContain("\u001b[3J")
    expect(written).not.toContain(secret)
    expect(written).not.toContain("very-secret-value-1234567890")
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
    await screen.shows(/HISTORY +1/, 40_000)
  })

  it("remembers how a person likes it, but no filter", async () => {
    const world = await busy()
    const first = openScreen(world, ["--filter", "s:interrupted"], { env: quiet })
    await first.shows(/2 runs hidden/)
    await first.keys("T", "s", key.escape)
    await first.shows("Triage inbox")
    await first.keys("q")
    await first.terminal.ended()
    const second = openScreen(world, [], { env: quiet })
    await second.shows("sort: age")
    await second.shows("time: absolute")
    await second.shows("filter: none")
  })
})
