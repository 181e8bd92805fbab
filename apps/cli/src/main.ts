/**
 * The program: reads the command line, calls one command, ends with its exit code. Whatever happens, a person sees a
 * sentence and never a trace.
 */

import { Options } from "./arguments/Option.js"
import { parse } from "./arguments/parse.js"
import { commandTable, globalOptions, groups } from "./commandTable.js"
import { demoAgentName } from "./demo/command.js"
import { usage } from "./errors.js"
import { programName } from "./invocation.js"
import { launchedName } from "./launchedName.js"
import { processIo } from "./output/Io.js"

const io = processIo(programName)

/** Ends the process when everything written has left it. */
const end = async (code: number): Promise<never> => {
  await io.flushed()
  process.exit(code)
}

const bug = async (cause: unknown): Promise<never> => {
  const { uncaughtProblem } = await import("./crash.js")
  const { outputOf } = await import("./output/Output.js")
  await outputOf(io, new Options({ json: argv.includes("--json") })).problem(uncaughtProblem(cause, io))
  return end(70)
}

const argv = process.argv.slice(2)

const main = async (): Promise<number> => {
  if (argv[0] === demoAgentName) return (await import("./commands/demoAgent.js")).demoAgent(argv.slice(1))
  if (argv[0] === launchedName) return (await import("./commands/launched.js")).launched(io)
  if (argv[0] === "complete" && argv[1] === "--") {
    return (await import("./commands/completion.js")).complete(argv.slice(2), io)
  }
  const table = { commands: commandTable, groups, globals: globalOptions }
  const parsed = parse(argv, table, { program: io.program, now: Date.now(), width: io.columns ?? 100 })
  switch (parsed._tag) {
    case "Call": {
      const command = await parsed.spec.load()
      return command(parsed.invocation, io)
    }
    case "Version": {
      const { version } = await import("./commands/version.js")
      return version({ path: ["version"], args: [], passThrough: [], options: parsed.options }, io)
    }
    case "Text":
      await io.out(parsed.text)
      return 0
    case "Usage": {
      const { outputOf } = await import("./output/Output.js")
      const dashes = argv.indexOf("--")
      const json = (dashes === -1 ? argv : argv.slice(0, dashes)).includes("--json")
      const problem = usage(parsed.message, [{ argv: ["help", ...parsed.command], why: "shows how it is called" }])
      await outputOf(io, new Options({ json })).problem(problem)
      return problem.exitCode
    }
  }
}

process.on("uncaughtException", (cause) => void bug(cause))
process.on("unhandledRejection", (cause) => void bug(cause))
void main().then(end, bug)
