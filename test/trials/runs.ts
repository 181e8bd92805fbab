/** Runs that the trials begin with. */
import { expect } from "vitest"
import { describeEnd, type Ended, type Running } from "../support/command.js"
import type { CheckpointDocument, DecisionDocument, Document, RunSummary, StreamLine } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import type { StubStart } from "../support/stub/script.js"
import type { StartOptions, World } from "../support/world.js"
import type { StubProvider } from "./stubs.js"

export interface Started {
  readonly alluka: Running
  readonly stub: StubStart
  readonly id: string
}

/** The first prompt of a run in the trials. */
export const task = "ORIGINAL-TASK: tidy the garden"

/** Starts a run, and waits until the stub was called. */
export const started = async (
  world: World,
  provider: string,
  flags: ReadonlyArray<string> = [],
  options: StartOptions = {}
): Promise<Started> => {
  const before = world.stubStarts().length
  const alluka = world.start(["run", "--json", "--provider", provider, ...flags, "-p", task], options)
  const created = await alluka.event<StreamLine>("created")
  const stub = await world.stubStart(before + 1)
  return { alluka, stub, id: created.checkpoint_id ?? "" }
}

/** A run that is under way: the stub's two messages are in the record. */
export const underWay = async (
  world: World,
  provider: StubProvider,
  flags: ReadonlyArray<string> = [],
  options: StartOptions = {}
): Promise<Started> => {
  world.stub(provider.name, { fresh: provider.working })
  const run = await started(world, provider.name, flags, options)
  await eventually(() => run.alluka.stdout().split('"kind":"message"').length > 2, { what: "the stub's two messages" })
  return run
}

/** A run that was shut down in the middle of its work: interrupted, nothing of it alive. */
export const interrupted = async (
  world: World,
  provider: StubProvider,
  flags: ReadonlyArray<string> = [],
  options: StartOptions = {}
): Promise<CheckpointDocument> => {
  const run = await underWay(world, provider, flags, options)
  run.alluka.kill("SIGTERM")
  const ended = await run.alluka.ended()
  expect(ended.code, describeEnd(ended)).toBe(143)
  await world.noneMarked(run.id)
  const checkpoint = await world.show(run.id)
  expect(checkpoint).toMatchObject({ state: "interrupted", reason: { code: "shutdown" }, resumable: true })
  return checkpoint
}

export const resume = (
  world: World,
  id: string,
  flags: ReadonlyArray<string> = [],
  options: StartOptions = {}
): Promise<Ended> => world.run(["resume", id, "--json", "-p", "go on", ...flags], options)

/** The last decision that a stream tells. */
export const decisionOf = (ended: Ended): DecisionDocument =>
  ended.last<StreamLine>("resume_decision").payload as unknown as DecisionDocument

export const summaryOf = (ended: Ended): RunSummary => {
  const lines = ended.lines()
  expect(lines.at(-1)?.kind, describeEnd(ended)).toBe("run_summary")
  return lines.at(-1) as RunSummary & Document
}

/** The checkpoint that a stream ended with. */
export const endedCheckpoint = (world: World, ended: Ended): Promise<CheckpointDocument> =>
  world.show(summaryOf(ended).checkpoint_id ?? "")
