/** T01: Alluka is killed before, or after, the agent said anything. */
import { mkdirSync } from "node:fs"
import { setTimeout as delay } from "node:timers/promises"
import { describe, expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import type { CheckpointDocument, Document } from "../support/documents.js"
import { forever } from "../support/stub/script.js"
import { openWorld, program, type World } from "../support/world.js"
import { type Started, started, underWay } from "./runs.js"
import { claudeStub, stubs } from "./stubs.js"

interface List extends Document {
  readonly items: ReadonlyArray<CheckpointDocument>
}

const killed = async (world: World, run: Started): Promise<void> => {
  run.alluka.kill("SIGKILL")
  await run.alluka.ended()
  expect(world.marked(run.id).map((one) => one.pid)).toContain(run.stub.pid)
}

const expectFoundDead = (checkpoint: CheckpointDocument | undefined): void => {
  expect(checkpoint).toMatchObject({ state: "interrupted", reason: { code: "owner_lost" }, resumable: true })
  expect(checkpoint?.reason?.message).toMatch(/ended unexpectedly/)
  expect(Date.parse(checkpoint?.ended_at ?? "")).toBeGreaterThanOrEqual(Date.parse(checkpoint?.started_at ?? ""))
}

describe.each(stubs)("$name", (provider) => {
  test("(a) killed 50 ms after the start of an agent that says nothing", async () => {
    const world = openWorld()
    world.stub(provider.name, { fresh: [forever] })
    const run = await started(world, provider.name)
    await delay(50)
    await killed(world, run)

    const first = await world.run(["runs", "list", "--json"])
    expectFoundDead(first.document<List>().items.find((one) => one.id === run.id))
    const second = await world.run(["runs", "list", "--json"])
    expect(second.stdout).toBe(first.stdout)
    expectFoundDead(await world.show(run.id))

    world.stub(provider.name, { fresh: provider.finished })
    const next = await world.run(["run", "--json", "--provider", provider.name, "-p", "another task"])
    expect(next.code, describeEnd(next)).toBe(0)
  })

  test("(b) killed after a session id and two messages", async () => {
    const world = openWorld()
    const run = await underWay(world, provider)
    await killed(world, run)

    const first = await world.run(["runs", "list", "--json"])
    const listed = first.document<List>().items.find((one) => one.id === run.id)
    expectFoundDead(listed)
    expect(listed?.provider_session?.id).toBe(run.stub.session)
    expect((await world.run(["runs", "list", "--json"])).stdout).toBe(first.stdout)
    const shown = await world.show(run.id)
    expectFoundDead(shown)
    expect(shown.provider_session?.id).toBe(run.stub.session)
    expect(shown.position.messages).toBe(2)
  })

  test("(c) a row that the filter of the list hides is corrected too", async () => {
    const world = openWorld()
    const run = await underWay(world, provider)
    await killed(world, run)
    const elsewhere = world.path("elsewhere")
    mkdirSync(elsewhere)
    const listed = await world.run(["runs", "list", "--here", "--json"], { cwd: elsewhere })
    expect(listed.document<List>().items).toEqual([])
    const afterList = Date.now()
    const shown = await world.show(run.id)
    expectFoundDead(shown)
    expect(Date.parse(shown.reconciled_at ?? "")).toBeLessThanOrEqual(afterList)
  })
})

test("the checkpoint can be read by the time the agent's program starts", async () => {
  const world = openWorld()
  world.stub("claude", {
    fresh: [{ ask: [process.execPath, program, "runs", "show", "$RUN", "--json"] }, ...claudeStub.finished]
  })
  const ended = await world.run(["run", "--json", "--provider", "claude", "-p", "task"])
  expect(ended.code, describeEnd(ended)).toBe(0)
  const [answer] = world.stubAnswers()
  expect(answer?.code, answer?.stderr).toBe(0)
  const seen = JSON.parse(answer?.stdout ?? "null") as CheckpointDocument
  expect(seen).toMatchObject({ kind: "checkpoint", state: "running", id: world.stubStarts()[0]?.run })
})
