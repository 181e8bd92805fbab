/** T12: another process holds the run store's lock. */
import { setTimeout as delay } from "node:timers/promises"
import { expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import type { CheckpointDocument, Document, ErrorDocument } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import { isRunning } from "../support/processes.js"
import { holdStore } from "../support/storeLock.js"
import { exit, type Step, until } from "../support/stub/script.js"
import { openWorld } from "../support/world.js"
import { started, summaryOf } from "./runs.js"
import { claudeStub as provider } from "./stubs.js"

interface List extends Document {
  readonly items: ReadonlyArray<CheckpointDocument>
}

test("(a) locked for 2 s: the run waits, and then is normal", async () => {
  const world = openWorld()
  await world.run(["runs", "list", "--json"])
  world.stub(provider.name, { fresh: provider.finished })
  const release = await holdStore(world)
  const running = world.start(["run", "--json", "--provider", provider.name, "-p", "task"])
  await delay(2000)
  expect(world.stubStarts()).toEqual([])
  await release()
  const ended = await running.ended()
  expect(ended.code, describeEnd(ended)).toBe(0)
  expect(summaryOf(ended)).toMatchObject({ state: "completed" })
})

test("(b) locked for longer than the bound: it gives up, says so and where, and the agent was never started", async () => {
  const world = openWorld()
  await world.run(["runs", "list", "--json"])
  world.stub(provider.name, { fresh: provider.finished })
  const release = await holdStore(world)
  const ended = await world.run(["run", "--json", "--provider", provider.name, "-p", "task"])
  expect(ended.code, describeEnd(ended)).toBe(6)
  const error = ended.error<ErrorDocument & Document>()
  expect(error).toMatchObject({ kind: "error", code: "store_locked", retryable: true })
  expect(`${error.message} ${error.detail}`).toContain(world.store)
  expect(ended.elapsedMs).toBeGreaterThan(8_000)
  expect(ended.elapsedMs).toBeLessThan(20_000)
  await release()
  expect(world.stubStarts()).toEqual([])
  expect((await world.json<List>(["runs", "list", "--all"])).items).toEqual([])
})

test("(c) locked for 10 s as the agent finishes: the end is stored afterwards, with the right time", async () => {
  const world = openWorld()
  const gate = world.path("gate")
  world.stub(provider.name, {
    fresh: [...provider.opening, provider.message("Nearly done."), until(gate), provider.success, exit(0)]
  })
  const run = await started(world, provider.name)
  await run.alluka.event("message")
  const release = await holdStore(world)
  world.touch(gate)
  await eventually(() => !isRunning(run.stub.pid), { what: "the end of the agent" })
  const agentEnded = Date.now()
  await delay(10_000)
  await release()
  const ended = await run.alluka.ended()
  expect(ended.code, describeEnd(ended)).toBe(0)
  const checkpoint = await world.show(run.id)
  expect(checkpoint.state).toBe("completed")
  expect(Math.abs(Date.parse(checkpoint.ended_at ?? "") - agentEnded)).toBeLessThan(2_000)
})

test("(d) 30 runs at once, each with 200 updates: 30 right ends and no word of a lock", async () => {
  const world = openWorld()
  const updates: ReadonlyArray<Step> = Array.from({ length: 200 }, (_, index) => provider.message(`update ${index}`))
  world.stub(provider.name, { fresh: [...provider.opening, ...updates, provider.success, exit(0)] })
  const ends = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      world.run(["run", "--json", "--provider", provider.name, "--label", `n=${index}`, "-p", "task"], {
        withinMs: 90_000
      })
    )
  )
  for (const ended of ends) {
    expect(ended.code, describeEnd(ended)).toBe(0)
    expect(`${ended.stdout}\n${ended.stderr}`.split("\n").filter((line) => /locked|busy/i.test(line))).toEqual([])
    expect(summaryOf(ended)).toMatchObject({ state: "completed" })
  }
  const { items } = await world.json<List>(["runs", "list", "--all"])
  expect(items.map((one) => one.state)).toEqual(Array.from({ length: 30 }, () => "completed"))
  expect(items.map((one) => one.position.messages)).toEqual(Array.from({ length: 30 }, () => 200))
  expect(new Set(ends.map((ended) => summaryOf(ended).checkpoint_id)).size).toBe(30)
}, 120_000)

test("(e) a list during the lock does not wait for it, and shows no dead run as running", async () => {
  const world = openWorld()
  world.stub(provider.name, { fresh: provider.working })
  const run = await started(world, provider.name)
  const release = await holdStore(world)
  run.alluka.kill("SIGKILL")
  await run.alluka.ended()
  const listed = await world.run(["runs", "list", "--json"])
  expect(listed.code, describeEnd(listed)).toBe(0)
  expect(listed.elapsedMs).toBeLessThan(5_000)
  expect(listed.document<List>().items).toMatchObject([
    { id: run.id, state: "interrupted", reason: { code: "owner_lost" } }
  ])
  expect(listed.stderr).not.toBe("")
  await release()
  expect(await world.show(run.id)).toMatchObject({ state: "interrupted", reason: { code: "owner_lost" } })
})
