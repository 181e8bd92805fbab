/** The process of a run that was left alone: takes its order from stdin, answers once, then runs to the end. */
import { closeSync, writeSync } from "node:fs"
import { text as readAll } from "node:stream/consumers"
import * as Effect from "effect/Effect"
import { withApp } from "../app.js"
import { parse } from "../arguments/parse.js"
import { commandTable, globalOptions, groups } from "../commandTable.js"
import { problem, usage } from "../errors.js"
import type { Launch } from "../launch.js"
import { answerDescriptor, decodeOrder, encodeAnswer, failedAnswer, type LaunchAnswer } from "../launchedProtocol.js"
import type { Io } from "../output/Io.js"
import { resumeCommand } from "./resume.js"
import { runCommand } from "./run.js"
import { taskRun } from "./task/run.js"

export const launched = async (processIo: Io): Promise<number> => {
  const io: Io = { ...processIo, out: async () => {}, err: async () => {}, columns: null }
  const tell = answerOnce()
  const order = decodeOrder(await readAll(process.stdin))
  if (order === null) {
    tell(failedAnswer(problem(1, "launch_failed", "the order of a launched run could not be read")))
    return 1
  }
  const table = { commands: commandTable, groups, globals: globalOptions }
  const parsed = parse(order.argv, table, { program: io.program, now: Date.now(), width: 100 })
  const command = parsed._tag === "Call" ? commands.get(parsed.spec.path.join(" ")) : undefined
  if (parsed._tag !== "Call" || command === undefined) {
    const fault = usage(parsed._tag === "Usage" ? parsed.message : "only run, resume and task run can be launched")
    tell(failedAnswer(fault))
    return fault.exitCode
  }
  const launch: Launch = {
    id: order.id,
    prompt: order.prompt,
    started: ({ checkpoint }) => Effect.sync(() => tell({ type: "started", id: checkpoint.id })),
    waiting: (id, until) => Effect.sync(() => tell({ type: "waiting", id, until })),
    refused: (decision) => Effect.sync(() => tell({ type: "refused", decision }))
  }
  return withApp(
    parsed.invocation,
    io,
    {
      open: "reconcile",
      onProblem: async (what) => tell(failedAnswer(what))
    },
    (setting) => command(parsed.invocation, setting, launch)
  )
}

const commands: ReadonlyMap<string, typeof runCommand> = new Map([
  ["run", runCommand],
  ["resume", resumeCommand],
  ["task run one", (invocation, setting, launch) => taskRun(invocation, setting, "one", launch)],
  ["task run loop", (invocation, setting, launch) => taskRun(invocation, setting, "loop", launch)],
  ["task run resume", (invocation, setting, launch) => taskRun(invocation, setting, "resume", launch)]
])

/** Writes the one answer and closes the descriptor, so that the launcher goes on; later ones have no reader. */
const answerOnce = (): ((answer: LaunchAnswer) => void) => {
  let answered = false
  return (answer) => {
    if (answered) return
    answered = true
    try {
      writeSync(answerDescriptor, encodeAnswer(answer))
      closeSync(answerDescriptor)
    } catch {
      // The launcher is gone; the run goes on without it.
    }
  }
}
