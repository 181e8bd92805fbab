/** The monitor as a newcomer meets it. */
import { expect, test } from "vitest"
import { openTerminal } from "../support/terminal.js"
import { openWorld } from "../support/world.js"

test("the monitor opens on a terminal, and q leaves it with the terminal as it was", async () => {
  const world = openWorld()
  const terminal = openTerminal(world, [])
  await terminal.shows("\u001b[?1049h")
  await terminal.shows(/demo|no runs/i)
  terminal.write("q")
  expect((await terminal.ended()).exitCode).toBe(0)
  expect(terminal.output().lastIndexOf("\u001b[?1049l")).toBeGreaterThan(terminal.output().lastIndexOf("\u001b[?1049h"))
})
