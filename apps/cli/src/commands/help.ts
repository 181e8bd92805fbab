/** `alluka help [TOPIC]`: a command's own help, or what no command's help has the place for. */
import { helpOf } from "../arguments/parse.js"
import type { Command } from "../Command.js"
import { commandTable, globalOptions, groups } from "../commandTable.js"
import { usage } from "../errors.js"
import { topicNames } from "../help/names.js"

export const help: Command = async ({ args, options }, io) => {
  const [topic] = args
  if (args.length === 1 && topic !== undefined && topicNames.includes(topic)) {
    const { topics } = await import("../help/topics.js")
    await io.out(`${topics.get(topic)?.() ?? ""}\n`)
    return 0
  }
  const table = { commands: commandTable, groups, globals: globalOptions }
  const text = helpOf(args, table, { program: io.program, now: Date.now(), width: io.columns ?? 100 })
  if (text === null) {
    const { outputOf } = await import("../output/Output.js")
    const problem = usage(
      `there is no help on "${args.join(" ")}"; topics besides the commands are ${topicNames.join(", ")}`,
      [{ argv: ["help"], why: "lists the commands" }]
    )
    await outputOf(io, options).problem(problem)
    return problem.exitCode
  }
  const more = args.length === 0 ? `\nFurther topics: ${topicNames.join(", ")} (${io.program} help TOPIC)\n` : ""
  await io.out(`${text}${more}`)
  return 0
}
