/**
 * `alluka completion SHELL` prints a script for a shell, which asks `alluka complete -- WORDS` for what can be typed next.
 * Both print through the completion library, whose form the script reads.
 */

import { providerFacts } from "alluka:provider-facts"
import { resolve } from "node:path"
import { Checkpoints, Scope } from "@alluka/core"
import * as Effect from "effect/Effect"
import { Options } from "../arguments/Option.js"
import type { Command } from "../Command.js"
import { commandTable, globalOptions, groups } from "../commandTable.js"
import { commandTree, type Known, type Suggestion, shells } from "../completion/commandTree.js"
import { usage } from "../errors.js"
import { shellLine } from "../invocation.js"
import { line } from "../output/human/safe.js"
import type { Io } from "../output/Io.js"
import { outputOf } from "../output/Output.js"
import { withView } from "../view.js"

/** Runs that are offered, newest first. */
const offeredRuns = 30

const providers: ReadonlyArray<Suggestion> = providerFacts.map(({ id, title }) => ({ value: id, about: title }))

export const completion: Command = async ({ args: [shell], options }, io) => {
  if (shell === undefined || !(shells as ReadonlyArray<string>).includes(shell)) {
    const problem = usage(`which shell? Alluka completes in ${shells.join(", ")}`)
    await outputOf(io, options).problem(problem)
    return problem.exitCode
  }
  commandTree(commandTable, groups, globalOptions, { runs: [], providers }).setup("alluka", executable(io), shell)
  await flush(io)
  return 0
}

/** How the program is called from any folder. */
const executable = (io: Io): string =>
  io.program === "alluka" ? io.program : shellLine([process.execPath, resolve(io.cwd, io.script)])

/** The hidden counterpart: what fits the words so far; the last is the one that is being typed. Never fails aloud. */
export const complete = async (words: ReadonlyArray<string>, io: Io): Promise<number> => {
  const known: Known = { runs: await newestRuns(io), providers }
  commandTree(commandTable, groups, globalOptions, known).parse([...words])
  await flush(io)
  return 0
}

/** The library prints by itself; what is written behind it is out when that is. */
const flush = (io: Io): Promise<void> => io.out("")

/** Nobody who presses Tab wants to read why there is no list of runs. */
const newestRuns = async (io: Io): Promise<ReadonlyArray<Suggestion>> => {
  const found: Array<Suggestion> = []
  const quiet: Io = { ...io, out: async () => {}, err: async () => {} }
  const invocation = { path: ["complete"], args: [], passThrough: [], options: new Options({ quiet: true }) }
  await withView(invocation, quiet, { open: "nothing", onProblem: async () => {} }, ({ output }) =>
    Effect.gen(function* () {
      const checkpoints = yield* Checkpoints.Checkpoints
      const { items } = yield* checkpoints.list(Scope.operator, { ...Checkpoints.everything, limit: offeredRuns })
      for (const { id, state, title } of items) {
        found.push({ value: id, about: `${state}: ${line(output.redact(title), 60)}` })
      }
      return 0
    })
  )
  return [{ value: "latest", about: "the newest run" }, ...found]
}
