/** The life of a run seen from other processes: detached starts, keys, sessions, cancels, survivors, frozen owners. */
import { expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import type { CheckpointDocument, Document, StreamLine } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import { exit, forever, until } from "../support/stub/script.js"
import { openWorld } from "../support/world.js"
import { decisionOf, endedCheckpoint, interrupted, summaryOf, task, underWay } from "../trials/runs.js"
import { claudeStub as provider } from "../trials/stubs.js"

interface List extends Document {
  readonly items: ReadonlyArray<CheckpointDocument>
}

const provided = ["--provider", provider.name]

const ended = (world: ReturnType<typeof openWorld>, id: string): Promise<CheckpointDocument> =>
  eventually(
    async () => {
      const shown = await world.show(id)
      return shown.state === "running" ? null : shown
    },
    { what: `the end of ${id}` }
  )

test("a detached run outlives its starter, and ends by itself", async () => {
  const world = openWorld()
  const gate = world.path("gate")
  world.stub(provider.name, {
    fresh: [...provider.opening, provider.message("Working."), until(gate), provider.success, exit(0)]
  })
  const start = await world.run(["run", "--json", "--detach", ...provided, "-p", task])
  expect(start.code, describeEnd(start)).toBe(0)
  const checkpoint = start.document<CheckpointDocument>()
  expect(checkpoint).toMatchObject({ kind: "checkpoint", state: "running" })
  expect((await world.show(checkpoint.id)).state).toBe("running")
  // The prompt went along without being put where every user of the machine can read it.
  expect((await world.stubStart(1)).stdin).toBe(task)
  world.touch(gate)
  expect(await ended(world, checkpoint.id)).toMatchObject({ state: "completed" })
})

test("a detached start that is refused starts nothing, and its starter says why", async () => {
  const world = openWorld()
  const run = await underWay(world, provider)
  const again = await world.run(["resume", run.id, "--detach", "--json"])
  expect(again.code, describeEnd(again)).toBe(6)
  expect(world.stubStarts()).toHaveLength(1)
})

test("a detached resume goes on from where it stopped", async () => {
  const world = openWorld()
  const source = await interrupted(world, provider)
  world.stub(provider.name, { fresh: provider.finished })
  const start = await world.run(["resume", source.id, "--detach", "--json", "-p", "go on"])
  expect(start.code, describeEnd(start)).toBe(0)
  const { id } = start.document<CheckpointDocument>()
  expect(await ended(world, id)).toMatchObject({ state: "completed", resumed_from: source.id })
  expect(world.stubStarts().at(-1)).toMatchObject({ resumed: true, session: source.provider_session?.id })
})

test("a key: what is live or completed is answered instead of started again", async () => {
  const world = openWorld()
  const gate = world.path("gate")
  world.stub(provider.name, {
    fresh: [...provider.opening, provider.message("Working."), until(gate), provider.success, exit(0)]
  })
  const first = world.start(["run", "--json", ...provided, "--key", "nightly", "-p", task])
  const created = await first.event<StreamLine>("created")
  await world.stubStart(1)
  const second = world.start(["run", "--json", ...provided, "--key", "nightly", "-p", task])
  await eventually(() => second.stdout() !== "" || second.stderr() !== "", { what: "an answer" })
  expect(world.stubStarts()).toHaveLength(1)
  world.touch(gate)
  expect((await first.ended()).code).toBe(0)
  expect(await second.ended()).toBeDefined()
  const third = await world.run(["run", "--json", ...provided, "--key", "nightly", "-p", task])
  expect(third.code, describeEnd(third)).toBe(0)
  expect(third.stdout).toContain(created.checkpoint_id)
  expect(world.stubStarts()).toHaveLength(1)
  expect((await world.json<List>(["runs", "list", "--all"])).items).toHaveLength(1)
})

test("a follow-up to a completed run is a new run in its session, in the same conversation", async () => {
  const world = openWorld()
  world.stub(provider.name, { fresh: provider.finished })
  const first = await endedCheckpoint(world, await world.run(["run", "--json", ...provided, "-p", task]))
  const next = await world.run(["run", "--json", "--session", first.session_id, "-p", "and now this"])
  expect(next.code, describeEnd(next)).toBe(0)
  const second = await endedCheckpoint(world, next)
  expect(second).toMatchObject({
    session_id: first.session_id,
    resumed_from: null,
    provider_session: { id: first.provider_session?.id }
  })
  expect(world.stubStarts().at(-1)).toMatchObject({ resumed: true, session: first.provider_session?.id })
  expect(world.stubStarts().at(-1)?.stdin).not.toContain(task)
})

test("a cancel waits for the end, ends everything, and leaves the owner to store it", async () => {
  const world = openWorld()
  world.stub(provider.name, {
    fresh: [
      ...provider.opening,
      provider.message("Working."),
      { grandchild: { seconds: 300 } },
      { ignore: ["SIGINT", "SIGTERM", "SIGHUP"] },
      forever
    ]
  })
  const run = world.start(["run", "--json", ...provided, "-p", task])
  const { checkpoint_id: id } = await run.event<StreamLine>("created")
  await run.event("message")
  await eventually(() => world.marked(id ?? "").some((one) => one.command === "sleep 300"), { what: "the grandchild" })
  const cancel = await world.run(["cancel", id ?? "", "--grace", "1s"])
  expect(cancel.code, describeEnd(cancel)).toBe(0)
  expect(await world.show(id ?? "")).toMatchObject({ state: "cancelled" })
  await world.noneMarked(id ?? "")
  expect((await run.ended()).code).toBe(9)
})

test("a cancel whose owner died before it acted is a cancel all the same", async () => {
  const world = openWorld()
  const run = await underWay(world, provider)
  run.alluka.kill("SIGSTOP")
  const cancel = world.start(["cancel", run.id])
  await eventually(
    async () => (await world.run(["runs", "show", run.id, "--json"])).stdout.includes('"cancel_requested":{'),
    { what: "the stored intent" }
  )
  run.alluka.kill("SIGKILL")
  await run.alluka.ended()
  expect(await world.show(run.id)).toMatchObject({ state: "cancelled" })
  await cancel.ended()
})

test("an owner that is frozen is alive: nothing takes its run, and it goes on when it wakes", async () => {
  const world = openWorld()
  const gate = world.path("gate")
  world.stub(provider.name, {
    fresh: [...provider.opening, provider.message("Working."), until(gate), provider.success, exit(0)]
  })
  const run = world.start(["run", "--json", ...provided, "-p", task])
  const { checkpoint_id: id } = await run.event<StreamLine>("created")
  await run.event("message")
  run.kill("SIGSTOP")
  expect(await world.show(id ?? "")).toMatchObject({ state: "running", ended_at: null })
  const refused = await world.run(["resume", id ?? "", "--json"])
  expect(refused.code, describeEnd(refused)).toBe(6)
  expect(decisionOf(refused)).toMatchObject({ reason: "already_running" })
  run.kill("SIGCONT")
  world.touch(gate)
  expect((await run.ended()).code).toBe(0)
  expect(await world.show(id ?? "")).toMatchObject({ state: "completed" })
})

test("cancel of an ended run stops its survivors and leaves its state", async () => {
  const world = openWorld()
  const run = await underWay(world, provider)
  run.alluka.kill("SIGKILL")
  await run.alluka.ended()
  const before = await world.show(run.id)
  expect(world.marked(run.id)).not.toEqual([])
  const cancel = await world.run(["cancel", run.id])
  expect(cancel.code, describeEnd(cancel)).toBe(0)
  await world.noneMarked(run.id)
  const after = await world.show(run.id)
  expect({ state: after.state, reason: after.reason }).toEqual({ state: before.state, reason: before.reason })
})

test("an agent that leaves a process behind and ends well leaves nothing alive", async () => {
  const world = openWorld()
  world.stub(provider.name, {
    fresh: [...provider.opening, { grandchild: { seconds: 300 } }, provider.success, exit(0)]
  })
  const end = await world.run(["run", "--json", ...provided, "-p", task])
  expect(end.code, describeEnd(end)).toBe(0)
  await world.noneMarked(summaryOf(end).checkpoint_id ?? "")
})

test("a conversation that answers with another id is ended, and both ids are recorded", async () => {
  const world = openWorld()
  const source = await interrupted(world, provider)
  const other = "11111111-2222-4333-8444-555555555555"
  world.stub(provider.name, {
    fresh: provider.working.map((step) => ("out" in step ? { out: step.out.replaceAll("$SESSION", other) } : step))
  })
  const end = await world.run(["resume", source.id, "--json", "-p", "go on"])
  expect(end.code, describeEnd(end)).toBe(7)
  const attempt = await endedCheckpoint(world, end)
  expect(attempt).toMatchObject({ state: "failed", reason: { code: "session_mismatch" } })
  expect(JSON.stringify(attempt.reason)).toContain(other)
  expect(JSON.stringify(attempt.reason)).toContain(source.provider_session?.id)
  await world.noneMarked(attempt.id)
  expect(await world.show(source.id)).toMatchObject({ resumed_by: null })
})
