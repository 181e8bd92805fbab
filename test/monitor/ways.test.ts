/** Ways of looking at the same runs: order, groups, folders, filters, places of the preview, themes; several at once; the mouse. */
import { mkdirSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { eventually } from "../support/eventually.js"
import { type StoryRun, tellStory } from "../support/story.js"
import { openWorld, type World } from "../support/world.js"
import { claudeStub } from "../trials/stubs.js"
import { detached, orphaned, talkative } from "./runs.js"
import { openScreen, quiet, sizes } from "./screen.js"

const minute = 60_000

const evening = (world: World): ReadonlyArray<StoryRun> => {
  const elsewhere = world.path("elsewhere")
  mkdirSync(elsewhere, { recursive: true })
  const session = (number: number) => `5f53e40a-4788-5258-a9cb-03c05266a3d${number}`
  const reason = { code: "owner_lost", message: "its owner is gone" }
  return [
    { title: "alpha", state: "interrupted", agent: "zoe", session: session(1), agoMs: 30 * minute, reason },
    { title: "bravo", state: "interrupted", agent: "adam", session: session(2), agoMs: 20 * minute, reason },
    { title: "charlie", state: "interrupted", agent: "mia", folder: elsewhere, agoMs: 10 * minute, reason },
    { title: "delta 修复登录 🚀", state: "completed", provider: "codex", labels: { team: "shop" }, agoMs: 5 * minute },
    { title: "echo", state: "completed", session: session(5), labels: { team: "docs" }, agoMs: 6 * minute }
  ]
}

/** The titles in the order in which the list shows them. */
const order = (text: string): string =>
  ["alpha", "bravo", "charlie", "delta", "echo"]
    .map((title) => [text.search(new RegExp(`^[› ].{2,3}${title}`, "m")), title] as const)
    .filter(([at]) => at >= 0)
    .sort(([a], [b]) => a - b)
    .map(([, title]) => title)
    .join(" ")

describe.each(sizes)("at %ix%i", (columns, rows) => {
  it("sorts, groups, narrows to a folder or a label, and always says what is hidden", async () => {
    const world = openWorld()
    world.stub("claude", { fresh: claudeStub.working })
    await tellStory(world, evening(world))
    const screen = openScreen(world, [], { columns, rows, env: quiet })
    const shown = (wanted: string): Promise<unknown> =>
      eventually(async () => {
        const now = order(await screen.text())
        if (now === wanted) return true
        throw new Error(await screen.text())
      })
    await screen.shows("echo")
    await shown("charlie bravo alpha delta echo")
    await screen.keys("s")
    await screen.shows("Sorted by age.")
    await screen.keys("s")
    await screen.shows("Sorted by started.")
    await screen.keys("s")
    await screen.shows("Sorted by agent.")
    await shown("bravo charlie alpha delta echo")
    await screen.keys("S")
    await screen.shows("Reversed order.")
    await shown("alpha charlie bravo echo delta")
    await screen.keys("S")
    await screen.shows("Usual order.")
    await screen.keys("s")
    await screen.shows("Sorted by provider.")
    await shown("charlie bravo alpha echo delta")
    await screen.keys("s")
    await screen.shows("Sorted by attention.")

    await screen.keys("v")
    await screen.shows("Grouped by folder.")
    await screen.shows(/▾? ?\S*elsewhere +1/)
    await screen.keys("v")
    await screen.shows("Grouped by provider.")
    await screen.shows(/codex +1/)
    await screen.keys("v")
    await screen.shows(/HISTORY +2/)

    await screen.keys("A")
    await screen.shows(/1 run hidden · A shows all/)
    await screen.hides("charlie")
    await screen.keys("A")
    await screen.shows("charlie")
    for (const [filter, there] of [
      ["d:elsewhere", "charlie"],
      ["l:team=docs", "echo"]
    ] as const) {
      await screen.keys("/")
      await screen.shows(" / ")
      screen.terminal.write(`${filter}\r`)
      await screen.shows(/4 runs hidden · esc clears/)
      await shown(there)
      await screen.keys("\u001b")
      await screen.shows("bravo")
    }

    await screen.keys("p")
    await screen.shows("Preview: right.")
    await screen.keys("p")
    await screen.shows("Preview: bottom.")
    await screen.shows("WILL NOT RESUME")
    await screen.keys("p")
    await screen.shows("Preview: off.")
    await screen.hides("WILL NOT RESUME")
    await screen.keys("p")
    await screen.shows("Preview: auto.")
    expect(screen.terminal.output()).not.toContain("\u001b[3J")
  })
})

it("resumes all that are marked and can simply go on, in one answer, and leaves the others alone", async () => {
  const world = openWorld()
  world.stub("claude", { fresh: claudeStub.working, resume: claudeStub.working })
  await tellStory(world, evening(world))
  const screen = openScreen(world, [], { columns: 160, rows: 36, env: quiet })
  await screen.shows("charlie")
  await screen.keys("2")
  await screen.hides("HISTORY")
  await screen.keys("*")
  await screen.shows(/clear 3 marked/)
  await screen.keys("r")
  await screen.shows("Resume 2 runs in the same session?")
  await screen.shows(/! charlie +fresh_start_requires_confirmation/)
  await screen.shows("Same from a script, for each:")
  await screen.keys("y")
  await screen.shows(/2 resumed · same as, for each: .* resume ID/)
  await screen.keys("3")
  await screen.shows(/LIVE +2/)
  await screen.keys("*")
  await screen.shows(/clear 2 marked/)
  await screen.keys("c")
  await screen.shows("Cancel 2 runs?")
  await screen.keys("y")
  await screen.shows(/Told 2 runs to stop/)
  await screen.shows(/Live 0/)
})

it("starts a new run in the session of a completed one", async () => {
  const world = openWorld()
  world.stub("claude", { fresh: claudeStub.working, resume: claudeStub.working })
  await tellStory(world, evening(world))
  const screen = openScreen(world, [], { columns: 60, rows: 20, env: quiet })
  await screen.shows("echo")
  await screen.keys("4", "j")
  await screen.shows(/› . echo/)
  await screen.keys("r")
  await screen.shows(/not resumable. N starts a new run/)
  await screen.keys("N")
  await screen.shows("What should the agent do?")
  screen.terminal.write("and now the other one")
  await screen.shows("and now the other one")
  await screen.keys("\r")
  expect(await world.stubStart(1)).toMatchObject({ resumed: true, session: "5f53e40a-4788-5258-a9cb-03c05266a3d5" })
})

it("leaves the mouse to the terminal until it is asked for, and the bell to who is not looking", async () => {
  const world = openWorld()
  world.stub("claude", { fresh: talkative(2000, 300) })
  const run = await detached(world, "Migrate orders")
  const other = await detached(world, "Triage inbox")
  const screen = openScreen(world, [], { env: {} })
  await screen.shows("Triage inbox")
  const written = (): string => screen.terminal.output()
  expect(written()).not.toMatch(/\u001b\[\?100[0236]h/)
  const click = (row: number): void => screen.terminal.write(`\u001b[<0;5;${row}M\u001b[<0;5;${row}m`)
  const rowOf = async (title: string): Promise<number> =>
    (await screen.rows()).findIndex((line) => line.slice(0, 40).includes(title)) + 1
  click(await rowOf("Migrate orders"))
  await screen.keys("m")
  await screen.shows("Mouse on: wheel and click.")
  await screen.shows(/› . Triage inbox/)
  click(await rowOf("Migrate orders"))
  await screen.shows(/› . Migrate orders/)
  await screen.keys("m")
  await screen.shows("Mouse off")
  expect(written()).toContain("\u001b[?1006l")

  // Whoever looks at it sees it.
  screen.terminal.write("\u001b[I")
  await orphaned(world, run)
  await screen.shows(/NEEDS ATTENTION +1/)
  expect(written()).not.toContain("\u001b]9;")
  screen.terminal.write("\u001b[O")
  await orphaned(world, other)
  await screen.shows(/NEEDS ATTENTION +2/)
  await eventually(() => /\u0007\u001b\]9;alluka: Triage inbox: interrupted\u0007/.test(written()))
  await eventually(() => screen.title() === "alluka · 2 need you")
})

it("moves nothing that need not move with reduced motion, and tells states apart in every theme", async () => {
  const world = openWorld()
  await tellStory(world, [
    ...evening(world),
    { title: "foxtrot", state: "running", agoMs: 1000 },
    { title: "golf", state: "failed", reason: { code: "provider_error", message: "it broke" } },
    { title: "hotel", state: "cancelled", reason: { code: "cancelled_by_user", message: "enough" } }
  ])
  const colours = async (theme: string): Promise<ReadonlyArray<string>> => {
    const screen = openScreen(world, ["--theme", theme, "--reduced-motion"], { columns: 80, rows: 36 })
    await screen.shows("hotel")
    for (const word of ["interrupted", "failed", "running", "completed", "cancelled"]) await screen.shows(word)
    const output = screen.terminal.output()
    expect(output).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/u)
    expect(output).not.toMatch(/\u001b\[[0-9;]*(38|48);/)
    await screen.keys("q")
    await screen.terminal.ended()
    const codes = Array.from(output.matchAll(/\u001b\[([0-9;]*)m/g), ([, code = ""]) => code.split(";")).flat()
    return [...new Set(codes)].filter((code) => /^3[0-7]$/.test(code)).sort()
  }
  expect(await colours("mono")).toEqual([])
  const deuteranopia = await colours("deuteranopia")
  expect(deuteranopia).not.toContain("32")
  expect(deuteranopia).not.toContain("31")
  expect((await colours("high-contrast")).length).toBeGreaterThan(2)
})
