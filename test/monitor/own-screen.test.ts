/** `o`: the terminal goes to the provider's own screen, and comes back. */
import { expect, it } from "vitest"
import { type StoryRun, tellStory } from "../support/story.js"
import { exit, stdout, until } from "../support/stub/script.js"
import { openWorld } from "../support/world.js"
import { key, openScreen, quiet } from "./screen.js"

const session = "5f53e40a-4788-5258-a9cb-03c05266a3d9"

const lost: StoryRun = {
  title: "Migrate orders",
  state: "interrupted",
  session,
  turn: 3,
  reason: { code: "owner_lost", message: "the process that owned this run ended unexpectedly" }
}

it("hands the terminal over, keys and Ctrl-C too, and is there again with what became of the run", async () => {
  const world = openWorld()
  world.stub("claude", {
    fresh: [{ ignore: ["SIGINT"] }, stdout("SCREEN OF $SESSION\r\n"), until(world.path("closed")), exit(0)]
  })
  await tellStory(world, [lost])
  const screen = openScreen(world, [], { columns: 160, rows: 24, env: quiet })
  await screen.shows("SAME SESSION")
  await screen.keys("?")
  await screen.shows("type to search")
  screen.terminal.write("own screen")
  await screen.shows(/o +open in the provider's/)
  await screen.keys(key.escape, key.escape)
  await screen.hides("type to search")
  await screen.keys("o")
  await screen.shows(`SCREEN OF ${session}`)
  expect(await screen.alternate()).toBe(false)
  screen.terminal.write("q")
  screen.terminal.write(key.ctrlC)
  world.touch(world.path("closed"))
  await screen.shows(/Back · same as: .*alluka\S* open ckpt_/)
  expect(await screen.alternate()).toBe(true)
  await screen.shows(/› . Migrate orders ×2/)
  await screen.keys("j", "k")
  await screen.keys("q")
  expect(await screen.terminal.ended()).toMatchObject({ exitCode: 0 })
})

it("lets a person read why the screen did not open before it comes back", async () => {
  const world = openWorld()
  world.stub("claude", { fresh: [stdout("cannot open it\r\n"), exit(1)] })
  await tellStory(world, [lost])
  const screen = openScreen(world, [], { env: quiet })
  await screen.shows("SAME SESSION")
  await screen.keys("o")
  await screen.shows("continuing")
  // The stub waits for the end of its input, which a terminal has only when it is typed.
  screen.terminal.write("\u0004")
  await screen.shows("enter goes back to the monitor")
  expect(await screen.text()).toContain("ended at once with 1")
  await screen.keys(key.enter)
  await screen.shows(/It ended with 7 · same as: .* open ckpt_/)
  await screen.shows("Migrate orders")
})
