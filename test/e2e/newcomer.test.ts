/** What a person on a fresh machine meets first: no agent installed, no store, no configuration. */
import { expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import type { CheckpointDocument, Document } from "../support/documents.js"
import { openWorld } from "../support/world.js"
import { decisionOf, endedCheckpoint, resume } from "../trials/runs.js"

interface List extends Document {
  readonly items: ReadonlyArray<CheckpointDocument>
}

test("alluka demo: a run is killed for real, found, previewed and resumed", async () => {
  const world = openWorld()
  const ended = await world.run(["demo"], { withinMs: 60_000 })
  expect(ended.code, describeEnd(ended)).toBe(0)
  const { items } = await world.json<List>(["runs", "list", "--all"])
  const [second, first] = items
  expect(items).toHaveLength(2)
  expect(first).toMatchObject({
    provider: "demo",
    state: "interrupted",
    reason: { code: "owner_lost" },
    attempt: 1,
    resumed_by: second?.id
  })
  expect(second).toMatchObject({ provider: "demo", state: "completed", attempt: 2, resumed_from: first?.id })
  expect(second?.provider_session?.id).toBe(first?.provider_session?.id)
  const told = `${ended.stdout}${ended.stderr}`
  expect(told).toContain(first?.id)
  expect(told).toContain("Resume: ")
  expect(told).toMatch(/demo/i)
  expect(world.marked()).toEqual([])
})

test("a demo run goes on where it stopped, and does not begin again", async () => {
  const world = openWorld()
  const running = world.start(["run", "--json", "--provider", "demo", "-p", "survey this folder"])
  await running.event("tool_finished")
  running.kill("SIGTERM")
  const first = await endedCheckpoint(world, await running.ended())
  expect(first).toMatchObject({ state: "interrupted", reason: { code: "shutdown" } })
  const ended = await resume(world, first.id)
  expect(ended.code, describeEnd(ended)).toBe(0)
  expect(decisionOf(ended)).toMatchObject({ status: "resuming_same_session" })
  const second = await endedCheckpoint(world, ended)
  expect(second).toMatchObject({ state: "completed", provider_session: { id: first.provider_session?.id } })
})

test("a run without any agent on the machine starts nothing and says what could be installed", async () => {
  const world = openWorld()
  const ended = await world.run(["run", "-p", "task"])
  expect([2, 4], describeEnd(ended)).toContain(ended.code)
  expect(ended.stderr).toMatch(/demo|install/i)
  expect((await world.json<List>(["runs", "list", "--all"])).items).toEqual([])
})

test("an agent that is named and not installed is exit 4", async () => {
  const world = openWorld()
  const ended = await world.run(["run", "--provider", "claude", "-p", "task"])
  expect(ended.code, describeEnd(ended)).toBe(4)
  expect(ended.stderr).toMatch(/claude/)
  expect((await world.json<List>(["runs", "list", "--all"])).items).toEqual([])
})

test("the empty list, help and version work without a store", async () => {
  const world = openWorld()
  for (const args of [
    [],
    ["runs", "list"],
    ["help"],
    ["--help"],
    ["help", "exit-codes"],
    ["help", "reasons"],
    ["help", "json"],
    ["help", "environment"],
    ["version"],
    ["--version"],
    ["providers", "list"]
  ]) {
    const ended = await world.run(args)
    expect(ended.code, describeEnd(ended)).toBe(0)
    expect(ended.stdout, args.join(" ")).not.toBe("")
  }
})
