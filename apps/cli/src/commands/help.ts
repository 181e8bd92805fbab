/** `alluka help [TOPIC]`: a command's own help, or what no command's help has the place for. */
import { helpOf } from "../arguments/parse.js"
import type { Command } from "../Command.js"
import { commandTable, globalOptions, groups } from "../commandTable.js"
import { usage } from "../errors.js"
import { topics } from "../help/topics.js"
import { outputOf } from "../output/Output.js"

export const help: Command = async ({ args, options }, io) => {
  const output = outputOf(io, options)
  const [topic] = args
  const written = args.length === 1 && topic !== undefined ? topics.get(topic) : undefined
  const text =
    written?.text() ??
    helpOf(
      args,
      { commands: commandTable, groups, globals: globalOptions },
      { program: io.program, now: Date.now(), width: io.columns ?? 100 }
    )
  if (text === null) {
    const problem = usage(`there is no help on "${args.join(" ")}"; topics besides the commands are ${[...topics.keys()].join(", ")}`, [
      { argv: ["help"], why: "lists the commands" }
    ])
    await output.problem(problem)
    return problem.exitCode
  }
  const more = args.length === 0 ? `\nFurther topics: ${[...topics.keys()].join(", ")} (${io.program} help TOPIC)\n` : ""
  await output.text(`${text}${more}`)
  return 0
}
