/** `alluka` alone: the monitor on a terminal, else the list of runs. */
import type { Command } from "../Command.js"
import { mayAsk } from "../interactive.js"
import { openMonitor } from "../monitor.js"
import { runsList } from "./runsList.js"

export const monitor: Command = async (invocation, io) => {
  const terminal = mayAsk({
    stdinTerminal: io.stdinTerminal,
    stdoutTerminal: io.stdoutTerminal,
    env: io.env,
    noInput: invocation.options.refused("input"),
    json: invocation.options.flag("json")
  })
  const code = terminal ? await openMonitor(invocation, io) : null
  return code ?? runsList({ ...invocation, path: ["runs", "list"] }, io)
}
