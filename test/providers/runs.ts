/** Runs that the suite begins with, for any provider. */
import { expect } from "vitest"
import { describeEnd, type Ended } from "../support/command.js"
import type { CheckpointDocument, DecisionDocument, Document, RunSummary, StreamLine } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import type { StartOptions } from "../support/world.js"
import { type Begun, type Heard, isNamedEarly, type Plan, type Stage, type Subject } from "./subject.js"

export const task = "ORIGINAL-TASK: tidy the garden"
export const instruction = "GO-ON-NOW"

/** Runs to its end with a plan. */
export const ran = (
  { id }: Subject,
  stage: Stage,
  plan: Plan,
  flags: ReadonlyArray<string> = [],
  prompt = task
): Promise<Ended> =>
  stage.world.run(["run", "--json", "--provider", id, ...flags, "-p", "-"], { ...stage.plan(plan), input: prompt })

/** A run whose agent has announced its conversation and works, and would for ever. */
export const working = async (subject: Subject, stage: Stage, flags: ReadonlyArray<string> = []): Promise<Begun> => {
  const { id } = subject
  const options: StartOptions = stage.plan({ do: "work" })
  const before = stage.heard().length
  const alluka = stage.world.start(["run", "--json", "--provider", id, ...flags, "-p", "-"], {
    ...options,
    input: task
  })
  const created = await alluka.event<StreamLine>("created")
  await eventually(() => stage.heard().length > before, { what: `the start of ${id}`, withinMs: 20_000 })
  await alluka.event(isNamedEarly(subject) ? "provider_session" : "message")
  return { alluka, id: created.checkpoint_id ?? "" }
}

/** The same, shut down: interrupted, and nothing of it alive. */
export const interrupted = async (
  subject: Subject,
  stage: Stage,
  flags: ReadonlyArray<string> = []
): Promise<CheckpointDocument> => stopped(stage, await working(subject, stage, flags))

/** Shuts a run down. */
export const stopped = async (stage: Stage, { alluka, id }: Begun): Promise<CheckpointDocument> => {
  alluka.kill("SIGTERM")
  const ended = await alluka.ended()
  expect(ended.code, describeEnd(ended)).toBe(143)
  await stage.world.noneMarked(id)
  return stage.world.show(id)
}

export const resumed = (stage: Stage, id: string, plan: Plan, flags: ReadonlyArray<string> = []): Promise<Ended> =>
  stage.world.run(["resume", id, "--json", "-p", instruction, ...flags], stage.plan(plan))

export const preview = async (
  stage: Stage,
  id: string,
  flags: ReadonlyArray<string> = []
): Promise<{ readonly code: number | null; readonly decision: DecisionDocument & Document }> => {
  const ended = await stage.world.run(["resume", id, "--preview", "--json", ...flags])
  return { code: ended.code, decision: ended.document() }
}

export const decisionOf = (ended: Ended): DecisionDocument =>
  ended.last<StreamLine>("resume_decision").payload as unknown as DecisionDocument

/** The last line of a run's stream. */
export const summaryOf = (ended: Ended): RunSummary & Document => ended.last("run_summary")

export const endOf = async (stage: Stage, ended: Ended): Promise<CheckpointDocument> =>
  stage.world.show(ended.last<RunSummary & Document>("run_summary").checkpoint_id ?? "")

export const lastHeard = (stage: Stage): Heard => {
  const heard = stage.heard().at(-1)
  if (heard === undefined) throw new Error("nothing reached the agent")
  return heard
}
