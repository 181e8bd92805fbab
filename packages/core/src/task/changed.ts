/** What of a task is not as it was when its run began: told at a resume, a sentence each. Pure. */
import type { Checkpoint } from "../checkpoint/Checkpoint.js"
import { type GateCommand, gateLine } from "../checkpoint/GateCommand.js"
import type { Task } from "./Task.js"

/** `gate`: as it would be run now. */
export const changedSince = (
  { spec }: Pick<Checkpoint, "spec">,
  task: Pick<Task, "prompt">,
  gate: GateCommand | null
): ReadonlyArray<string> => [
  ...(task.prompt === spec.prompt || spec.promptTruncated
    ? []
    : ["The task's text was changed since its run began; the run goes on with the text that it was given."]),
  ...checkChanged(spec.gate ?? null, gate)
]

const checkChanged = (before: GateCommand | null, now: GateCommand | null): ReadonlyArray<string> => {
  const [was, is] = [before, now].map((gate) => (gate === null ? null : gateLine(gate)))
  if (was === is) return []
  return [`The check is ${is == null ? "none" : `"${is}"`} now; it was ${was == null ? "none" : `"${was}"`}.`]
}
