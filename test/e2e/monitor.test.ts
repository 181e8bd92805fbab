/** The monitor as a newcomer meets it. */
import { symlinkSync } from "node:fs"
import { expect, test } from "vitest"
import { openTerminal, openTerminalWith } from "../support/terminal.js"
import { openWorld, program } from "../support/world.js"

test("the monitor opens on a terminal, and q leaves it with the terminal as it was", async () => {
  const world = openWorld()
  const terminal = openTerminal(world, [])
  await terminal.shows("\u001b[?1049h")
  await terminal.shows(/demo|no runs/i)
  terminal.write("q")
  expect((await terminal.ended()).exitCode).toBe(0)
  expect(terminal.output().lastIndexOf("\u001b[?1049l")).toBeGreaterThan(terminal.output().lastIndexOf("\u001b[?1049h"))
})

test("the monitor opens when the program is called through a link, as an installed one is", async () => {
  const world = openWorld()
  const link = world.path("link")
  symlinkSync(program, link)
  const terminal = openTerminalWith(world, [process.execPath, link])
  await terminal.shows("\u001b[?1049h")
  await terminal.shows(/demo|no runs/i)
  terminal.write("q")
  expect((await terminal.ended()).exitCode).toBe(0)
})
