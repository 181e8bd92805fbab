/** The terminal is given back as it was, on every way out. */
import { writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { eventually } from "../support/eventually.js"
import { tellStory } from "../support/story.js"
import { openWorld, program, type World } from "../support/world.js"
import { key, openScreen, quiet, type Screen } from "./screen.js"

/** The monitor in a shell, so that what it leaves behind can be looked at. */
const inShell = async (world: World, env: Readonly<Record<string, string>> = {}): Promise<Screen> => {
  const screen = openScreen(world, [], {
    command: ["/bin/bash", "--norc", "--noprofile", "-i"],
    env: { ...quiet, PS1: "shell> ", ...env }
  })
  await screen.shows("shell>")
  screen.terminal.write("stty -a | grep -v rows > ../before\r")
  screen.terminal.write(`clear; node ${program}; echo "ended with $?"\r`)
  await screen.shows("live ·")
  expect(await screen.alternate()).toBe(true)
  return screen
}

const settings = async (world: World, screen: Screen): Promise<void> => {
  await screen.keys("stty -a | grep -v rows > ../after; cmp ../before ../after && echo same-settings\r")
  await screen.shows(/^same-settings/m)
  expect(await screen.alternate()).toBe(false)
  // Bracketed paste is the shell's own again once it prompts; everything else must have been switched off.
  const written = screen.terminal.output()
  for (const mode of ["1049", "1004", "1006"]) {
    expect(written.lastIndexOf(`\u001b[?${mode}l`)).toBeGreaterThan(written.lastIndexOf(`\u001b[?${mode}h`))
  }
  for (const mode of ["25", "7"])
    expect(written.lastIndexOf(`\u001b[?${mode}h`)).toBeGreaterThan(written.lastIndexOf(`\u001b[?${mode}l`))
  const { items } = await world.json<{ kind: string; version: number; items: ReadonlyArray<{ state: string }> }>([
    "runs",
    "list"
  ])
  expect(items.map(({ state }) => state)).toEqual(["running"])
}

const running = async (): Promise<World> => {
  const world = openWorld()
  await tellStory(world, [{ title: "Migrate orders", state: "running" }])
  return world
}

/** The monitor's own process, among those of the world. */
const monitorPid = async (world: World, screen: Screen): Promise<number> => {
  const children = await eventually(async () => {
    const { stdout } = await world.shell(`pgrep -P ${screen.terminal.pid} node || true`)
    const pids = stdout
      .trim()
      .split("\n")
      .filter((line) => line !== "")
      .map(Number)
    return pids.length > 0 ? pids : null
  })
  return children[0] ?? 0
}

describe("the terminal is as it was", () => {
  it.each([
    ["q", 0],
    [key.ctrlC, 0]
  ] as const)("after %j", async (pressed, code) => {
    const world = await running()
    const screen = await inShell(world)
    await screen.keys(pressed)
    await screen.shows(`ended with ${code}`)
    await settings(world, screen)
  })

  it.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 130]
  ] as const)("after %s", async (signal, code) => {
    const world = await running()
    const screen = await inShell(world)
    process.kill(await monitorPid(world, screen), signal)
    await screen.shows(`ended with ${code}`)
    await settings(world, screen)
  })

  it("after an error that nobody caught, which is told in a sentence", async () => {
    const world = await running()
    writeFileSync(world.path("fault.cjs"), 'process.on("SIGUSR2", () => { throw new Error("planted fault") })\n')
    const screen = await inShell(world, { NODE_OPTIONS: `--require ${world.path("fault.cjs")}` })
    process.kill(await monitorPid(world, screen), "SIGUSR2")
    await screen.shows("ended with 70")
    await screen.shows("planted fault")
    expect(await screen.text()).not.toMatch(/^\s+at /m)
    await screen.keys("unset NODE_OPTIONS; clear\r")
    await settings(world, screen)
  })

  it("after Ctrl+Z, and the monitor is as it was after fg", async () => {
    const world = await running()
    const screen = await inShell(world)
    await screen.keys(key.ctrlZ)
    await screen.shows(/Stopped/)
    expect(await screen.alternate()).toBe(false)
    await screen.keys("echo in-between\r")
    await screen.shows(/^in-between/m)
    await screen.keys("fg\r")
    await screen.shows("Migrate orders")
    expect(await screen.alternate()).toBe(true)
    await screen.keys("?")
    await screen.shows("type to search")
    await screen.keys(key.escape)
    await screen.hides("type to search")
    await screen.keys("q")
    await screen.shows("1 run keeps going")
    // The shell has said long ago how the command line was stopped; how it ended is asked for now.
    await screen.keys('echo "then $?"\r')
    await screen.shows(/^then 0/m)
    await settings(world, screen)
  })
})

it("is no monitor where there is no terminal to show it on", async () => {
  const world = await running()
  const piped = await world.shell("alluka | cat")
  expect(piped.code).toBe(0)
  expect(piped.stdout).toContain("Migrate orders")
  expect(piped.stdout).not.toContain("\u001b")
})
