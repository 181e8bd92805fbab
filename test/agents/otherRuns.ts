/** Runs of a real agent, whichever it is: started, cut off, and gone on with. */
import { expect } from "vitest"
import { describeEnd, type Ended, type Running } from "../support/command.js"
import type { CheckpointDocument, DecisionDocument, Document, RunSummary, StreamLine } from "../support/documents.js"
import type { ModelRequest } from "../support/modelServer/ModelServer.js"
import { signal } from "../support/processes.js"
import type { OtherAgent, OtherRig } from "./others.js"
import { instruction, task } from "./rig.js"

/** Starts a run with an agent's settings; `permission` instead of its own. */
export const start = (
  { model, permission: own, provider, thinking }: OtherAgent,
  { world }: OtherRig,
  prompt: string,
  permission: OtherAgent["permission"] = own
): Running =>
  world.start(
    [
      ...["run", "--json", "--provider", provider, "--permission", permission],
      ...(model === null ? [] : ["--model", model.asked]),
      ...(thinking === null ? [] : ["--thinking", thinking]),
      ...["-p", "-"]
    ],
    { input: prompt }
  )

/** A run that finishes, for agents that need one; `words`: whether the model says something in the run that follows. */
export const useBefore = async (
  agent: OtherAgent,
  rig: OtherRig,
  { words }: { readonly words: boolean } = { words: true }
): Promise<void> => {
  if (agent.usedBefore === undefined || (agent.usedBefore === "before words" && words)) return
  const before = await start(agent, rig, "hello {{text}}").ended(90_000)
  expect(before.code, describeEnd(before)).toBe(0)
}

/** The requests that hold the task. Some agents ask another model for a title besides. */
export const ofTask = ({ model }: OtherAgent, { server }: OtherRig): ReadonlyArray<ModelRequest> =>
  server.requests.filter(
    (request) =>
      request.userTexts.some((text) => text.includes("TASK-ORIGINAL")) &&
      (model === null || request.model === model.sent)
  )

/** Kills every process that a run has started. */
export const killAgent = async ({ world }: OtherRig, id: string): Promise<void> => {
  for (const { pid } of world.marked(id)) signal(pid, "SIGKILL")
  await world.noneMarked(id)
}

export const resume = ({ world }: OtherRig, id: string, flags: ReadonlyArray<string> = []): Promise<Ended> =>
  world.run(["resume", id, "--json", "-p", `${instruction} {{text}}`, ...flags], { withinMs: 120_000 })

export const decisionOf = (ended: Ended): DecisionDocument =>
  ended.last<StreamLine>("resume_decision").payload as unknown as DecisionDocument

export const endOf = ({ world }: OtherRig, ended: Ended): Promise<CheckpointDocument> =>
  world.show(ended.last<RunSummary & Document>("run_summary").checkpoint_id ?? "")

/**
 * Holds what the model was sent by a resume against what a conversation that went on must hold: the task once, the
 * instruction once, the same model and level; and the record against it.
 */
export const expectWentOn = async (
  agent: OtherAgent,
  rig: OtherRig,
  {
    ended,
    requests,
    stopped,
    attempt = 2,
    copied = false
  }: {
    readonly ended: Ended
    readonly requests: number
    readonly stopped: CheckpointDocument
    /** Which one this is; `null`: some were refused by the agent itself before, and count too. */
    readonly attempt?: number | null
    /** It went on in a copy, under an id of its own. */
    readonly copied?: boolean
  }
): Promise<ModelRequest> => {
  expect(ended.code, describeEnd(ended)).toBe(0)
  expect(decisionOf(ended)).toMatchObject({ status: "resuming_same_session" })
  const first = ofTask(agent, rig)[0]
  const asked = rig.server.requests
    .slice(requests)
    .find(({ userTexts }) => userTexts.at(-1)?.includes("INSTRUCTION-NEW"))
  if (asked === undefined) throw new Error(`the resume made no model request\n${describeEnd(ended)}`)
  const said = asked.userTexts.join("\n")
  expect(said.split(task), said).toHaveLength(2)
  expect(said.split(instruction), said).toHaveLength(2)
  // A run that was cut off before its first request had none to compare with.
  if (first !== asked) {
    expect(asked.model).toBe(first?.model)
    expect(asked.effort).toBe(first?.effort)
  }
  if (agent.model !== null) expect(asked.model).toBe(agent.model.sent)
  const next = await endOf(rig, ended)
  expect(next).toMatchObject({
    state: "completed",
    ...(copied ? {} : { attempt: attempt ?? expect.any(Number), resumed_from: stopped.id })
  })
  expect(next.provider_session?.id === stopped.provider_session?.id, "in the same conversation").toBe(!copied)
  await rig.world.noneMarked(next.id)
  return asked
}
