/** A detached start, of which one of the two processes dies somewhere on the way: nothing started, or a true checkpoint. */
import { setTimeout as delay } from "node:timers/promises"
import { expect, test } from "vitest"
import { size } from "../reliability/size.js"
import { describeEnd } from "../support/command.js"
import type { CheckpointDocument, Document } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import { isRunning, signal } from "../support/processes.js"
import { openWorld, type World } from "../support/world.js"
import { task } from "../trials/runs.js"
import { claudeStub as provider } from "../trials/stubs.js"

interface List extends Document {
  readonly items: ReadonlyArray<CheckpointDocument>
}

const detach = ["run", "--json", "--detach", "--provider", provider.name, "-p", task]

/** Every start so far, once nothing of it goes on. */
const atRest = (world: World): Promise<ReadonlyArray<CheckpointDocument>> =>
  eventually(
    async () => {
      if (world.running().length > 0) return null
      const { items } = await world.json<List>(["runs", "list", "--all"])
      return items
    },
    { withinMs: 30_000, what: "the end of everything that was started" }
  )

const rounds = size({ short: 12, full: 60 })
/** Somewhat more than the whole handshake takes, ms. */
const handshakeMs = 1500

test("whose starter is killed goes on to its end, or has not begun", async () => {
  const world = openWorld()
  world.stub(provider.name, { fresh: provider.finished })
  await world.run(["runs", "list"])
  let began = 0
  for (let round = 0; round < rounds; round++) {
    const starter = world.start(detach)
    await delay((handshakeMs * round) / rounds)
    starter.kill("SIGKILL")
    await starter.ended()
    const runs = await atRest(world)
    expect(runs.length - began, "checkpoints of one start").toBeLessThanOrEqual(1)
    began = runs.length
    expect(world.stubStarts()).toHaveLength(began)
    for (const run of runs) expect(run).toMatchObject({ state: "completed", reason: null })
    // What was answered before the kill is there.
    if (starter.stdout().endsWith("\n")) {
      const answered = JSON.parse(starter.stdout()) as CheckpointDocument
      expect(runs.map(({ id }) => id)).toContain(answered.id)
    }
  }
  // Both sides of the handshake were met, or the kills prove nothing.
  expect(began).toBeGreaterThan(0)
  expect(began).toBeLessThan(rounds)
}, 300_000)

test("whose own process is killed says that nothing began, or has a checkpoint with its true end", async () => {
  const world = openWorld()
  world.stub(provider.name, { fresh: provider.working })
  await world.run(["runs", "list"])
  const answers = { nothing: 0, checkpoint: 0 }
  for (let round = 0; round < rounds; round++) {
    const starter = world.start(detach)
    const launched = await eventually(() => world.running().find(({ command }) => command.includes("__launched")))
    await delay((handshakeMs * round) / rounds)
    signal(launched.pid, "SIGKILL")
    const ended = await starter.ended()
    await eventually(() => !isRunning(launched.pid))
    const { items } = await world.json<List>(["runs", "list", "--all"])
    expect(items).toHaveLength(answers.checkpoint + (ended.code === 0 ? 1 : 0))
    if (ended.code === 0) {
      answers.checkpoint++
      const { id } = ended.document<CheckpointDocument>()
      expect(await world.show(id)).toMatchObject({ state: "interrupted", reason: { code: "owner_lost" } })
      // Its agent outlived it, and is found by its mark.
      await world.run(["cancel", id, "--json"])
      await world.noneMarked(id)
    } else {
      answers.nothing++
      expect(ended.code, describeEnd(ended)).toBe(1)
      expect(ended.stderr).toContain("nothing was started")
      expect(ended.stdout).toBe("")
    }
    expect(world.stubStarts().length).toBeLessThanOrEqual(answers.checkpoint)
  }
  expect(answers.nothing).toBeGreaterThan(0)
  expect(answers.checkpoint).toBeGreaterThan(0)
}, 300_000)
