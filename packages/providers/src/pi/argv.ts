/** The command line of a `pi` run. Pure; the same for 0.73.1 and 1.6.0. */
import type { Provider } from "@alluka/core"
import type { Command } from "../processProvider.js"
import { capabilities } from "./capabilities.js"

/** No MCP server has this name: an entry that begins with `mcp__` makes 1.6.0 leave out the tools of all others. */
const noMcpTools = "mcp__none"

/**
 * Arguments and stdin of one start. The prompt goes by stdin: as an argument, one that begins with `@` is taken for a file.
 * pi keeps the model of a session and (1.6.0) its level, but both are given at every start.
 */
export const command = (request: Provider.StartRequest): Command => {
  const tools = toolsOf(request)
  return {
    args: [
      ...["--mode", "json", "-p"],
      ...session(request.conversation),
      ...(request.model === null ? [] : ["--model", request.model]),
      ...(request.thinking === null ? [] : ["--thinking", request.thinking]),
      ...(tools === null ? [] : ["--tools", tools]),
      ...request.args
    ],
    stdin: request.prompt
  }
}

/** The tools that a permission leaves; `null`: all of them. */
const toolsOf = ({ permission }: Provider.StartRequest): string | null =>
  permission === "full" ? null : `${capabilities.permissions[permission]},${noMcpTools}`

/** Never a path: pi makes a new session of a path that is not there, and says nothing. */
const session = (conversation: Provider.Conversation): ReadonlyArray<string> => {
  switch (conversation._tag) {
    case "New":
      return []
    case "Continue":
      return ["--session", conversation.id]
    case "Fork":
      return ["--fork", conversation.from]
  }
}

/** Arguments that open a session in pi's own screen. */
export const screen = (request: Provider.StartRequest, session: string): ReadonlyArray<string> => [
  ...["--session", session],
  ...(request.model === null ? [] : ["--model", request.model]),
  ...(request.thinking === null ? [] : ["--thinking", request.thinking]),
  ...(toolsOf(request) === null ? [] : ["--tools", `${toolsOf(request)}`]),
  ...request.args
]
