/** The command line of a `claude` run. Pure; checked against 2.1.332. */
import type { Provider } from "@alluka/core"
import type { Command } from "../processProvider.js"
import { capabilities } from "./capabilities.js"

/**
 * Arguments and stdin of one start. The prompt goes by stdin: unlike an argument it is not visible to other users, has
 * no limit, and cannot be taken for an option. `--add-dir` takes every word up to the next option, so options follow it.
 * Effort, permission and folders are not kept by claude and are given at every start; the model is kept, but given too.
 */
export const command = (request: Provider.StartRequest): Command => {
  const { conversation } = request
  const mode = capabilities.permissions[request.permission]
  return {
    args: [
      ...request.addDirs.flatMap((dir) => ["--add-dir", dir]),
      ...["-p", "--output-format", "stream-json", "--verbose"],
      ...session(conversation),
      ...(request.model === null ? [] : ["--model", request.model]),
      ...(request.thinking === null ? [] : ["--effort", request.thinking]),
      ...(mode === null ? [] : ["--permission-mode", mode]),
      ...request.args
    ],
    stdin: request.prompt
  }
}

const session = (conversation: Provider.Conversation): ReadonlyArray<string> => {
  switch (conversation._tag) {
    case "New":
      return conversation.id === null ? [] : ["--session-id", conversation.id]
    case "Continue":
      return ["--resume", conversation.id]
    case "Fork":
      return [
        ...["--resume", conversation.from, "--fork-session"],
        ...(conversation.id === null ? [] : ["--session-id", conversation.id])
      ]
  }
}

/** Arguments that open a conversation in claude's own screen. */
export const screen = (request: Provider.StartRequest, session: string): ReadonlyArray<string> => {
  const mode = capabilities.permissions[request.permission]
  return [
    ...request.addDirs.flatMap((dir) => ["--add-dir", dir]),
    ...["--resume", session],
    ...(request.model === null ? [] : ["--model", request.model]),
    ...(request.thinking === null ? [] : ["--effort", request.thinking]),
    ...(mode === null ? [] : ["--permission-mode", mode]),
    ...request.args
  ]
}
