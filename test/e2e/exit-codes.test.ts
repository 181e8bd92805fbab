/** The exit codes that scripts rely on, one row for each way to end without a run. */
import { mkdirSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import type { Document, ErrorDocument } from "../support/documents.js"
import { exit } from "../support/stub/script.js"
import { openWorld } from "../support/world.js"
import { decisionOf, endedCheckpoint, interrupted, resume, summaryOf } from "../trials/runs.js"
import { claudeStub as provider } from "../trials/stubs.js"

describe("nothing is created, and the code says why", () => {
  test.each([
    { args: ["no-such-command"], code: 2 },
    { args: ["run", "--no-such-flag"], code: 2 },
    { args: ["runs", "show", "ckpt_000000000000"], code: 3 },
    { args: ["runs", "show", "zzzz"], code: 3 },
    { args: ["runs", "show", "not an id"], code: 3 },
    { args: ["cancel", "ckpt_000000000000"], code: 3 },
    { args: ["resume", "ckpt_000000000000", "--preview"], code: 3 },
    { args: ["resume", "ckpt_000000000000"], code: 3 },
    { args: ["run", "--provider", "no-such-provider", "-p", "x"], code: 4 },
    { args: ["run", "--provider", "codex", "-p", "x"], code: 4 },
    { args: ["run", "--provider", "claude", "--thinking", "bogus", "-p", "x"], code: 2 },
    { args: ["run", "--provider", "claude", "--permission", "bogus", "-p", "x"], code: 2 },
    { args: ["run", "--provider", "claude", "--timeout", "bogus", "-p", "x"], code: 2 },
    { args: ["run", "--provider", "claude"], code: 2 },
    { args: ["runs", "list", "--state", "bogus"], code: 2 }
  ])("$args is exit $code", async ({ args, code }) => {
    const world = openWorld()
    world.stub("claude", { fresh: provider.finished })
    const plain = await world.run([...args, "--no-input"])
    expect(plain.code, describeEnd(plain)).toBe(code)
    expect(plain.stderr).not.toBe("")
    const json = await world.run([...args, "--no-input", "--json"])
    expect(json.code, describeEnd(json)).toBe(code)
    if (args[0] !== "resume") {
      expect(json.stdout).toBe("")
      const error = json.error<ErrorDocument & Document>()
      expect(error.message).not.toBe("")
      expect(error.try.length).toBeGreaterThan(0)
    }
    expect(world.stubStarts()).toEqual([])
    expect((await world.json<Document & { items: ReadonlyArray<unknown> }>(["runs", "list", "--all"])).items).toEqual(
      []
    )
  })
})

test("a completed run is a record: exit 11", async () => {
  const world = openWorld()
  world.stub(provider.name, { fresh: provider.finished })
  const { id } = await endedCheckpoint(
    world,
    await world.run(["run", "--json", "--provider", provider.name, "-p", "x"])
  )
  const ended = await resume(world, id)
  expect(ended.code, describeEnd(ended)).toBe(11)
  expect(decisionOf(ended)).toMatchObject({ reason: "checkpoint_completed" })
  expect(summaryOf(ended)).toMatchObject({ state: null, exit_code: 11 })
  expect(world.stubStarts()).toHaveLength(1)
})

test("a failed run is exit 7", async () => {
  const world = openWorld()
  world.stub(provider.name, { fresh: [...provider.opening, provider.message("Hm."), exit(3)] })
  const ended = await world.run(["run", "--json", "--provider", provider.name, "-p", "x"])
  expect(ended.code, describeEnd(ended)).toBe(7)
  expect(summaryOf(ended)).toMatchObject({ state: "failed", exit_code: 7, reason: { exit_code: 3 } })
})

test("--timeout ends the run as interrupted: exit 8, nothing left", async () => {
  const world = openWorld()
  world.stub(provider.name, { fresh: provider.working })
  const ended = await world.run(["run", "--json", "--provider", provider.name, "--timeout", "1s", "-p", "x"])
  expect(ended.code, describeEnd(ended)).toBe(8)
  expect(summaryOf(ended)).toMatchObject({ state: "interrupted", reason: { code: "timed_out" } })
  await world.noneMarked(summaryOf(ended).checkpoint_id ?? "")
})

test("--idle-timeout ends a silent agent as stalled", async () => {
  const world = openWorld()
  world.stub(provider.name, { fresh: provider.working })
  const ended = await world.run(["run", "--json", "--provider", provider.name, "--idle-timeout", "1s", "-p", "x"])
  expect(ended.code, describeEnd(ended)).toBe(8)
  expect(summaryOf(ended)).toMatchObject({ state: "interrupted", reason: { code: "stalled" } })
})

test("ids: any unique prefix, and latest, which says which it was", async () => {
  const world = openWorld()
  const { id } = await interrupted(world, provider)
  const random = id.slice("ckpt_".length)
  for (const typed of [id, random, random.slice(0, 6), `ckpt_${random.slice(0, 6)}`, "latest"]) {
    const ended = await world.run(["runs", "show", typed, "--json"])
    expect(ended.code, describeEnd(ended)).toBe(0)
    expect(ended.document<Document & { id: string }>().id).toBe(id)
  }
  expect((await world.run(["resume", "latest", "--preview"])).stderr).toContain(id)
})

test("resume --preview changes nothing, and starts nothing", async () => {
  const world = openWorld()
  const source = await interrupted(world, provider)
  const other = world.path("other")
  mkdirSync(other)
  const ended = await world.run(["resume", source.id, "--preview", "--json"], { cwd: other })
  expect(ended.code, describeEnd(ended)).toBe(0)
  expect(ended.document()).toMatchObject({
    kind: "resume_preview",
    status: "resuming_same_session",
    checkpoint_id: source.id,
    basis: "probed"
  })
  expect(world.stubStarts()).toHaveLength(1)
  expect(await world.show(source.id)).toEqual(source)
})

test("a question that cannot be asked is a code with the flag that answers it", async () => {
  const world = openWorld()
  world.stub(provider.name, { fresh: provider.working })
  const running = world.start(["run", "--json", "--provider", provider.name, "-p", "x"])
  await running.event("message")
  running.kill("SIGINT")
  const { id } = await endedCheckpoint(world, await running.ended())
  const ended = await world.run(["resume", id, "-y"])
  expect(ended.code, describeEnd(ended)).toBe(5)
  expect(`${ended.stdout}${ended.stderr}`).toContain("--confirm-cancelled")
  expect(world.stubStarts()).toHaveLength(1)
})
