/** The command line of a headless `gemini` run. Pure; checked against 0.61.0. */
import type { Provider } from "@alluka/core"
import type { Command } from "../processProvider.js"
import { capabilities } from "./capabilities.js"

/**
 * Arguments and stdin of one start. With text on stdin and no terminal, gemini runs headless without `-p`. The model is
 * given at every start: gemini goes on with today's default otherwise, and without one asks a model which model to use.
 */
export const command = (request: Provider.StartRequest): Command => {
  const mode = capabilities.permissions[request.permission]
  return {
    args: [
      ...["-o", "stream-json"],
      ...session(request.conversation),
      ...(request.model === null ? [] : ["-m", request.model]),
      ...(mode === null ? [] : ["--approval-mode", mode]),
      ...request.addDirs.flatMap((dir) => ["--include-directories", dir]),
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
      // Never asked for: `fork` is declared as not supported.
      return ["--resume", conversation.from]
  }
}

/** Arguments that open a session in gemini's own screen: on a terminal it is interactive by itself. */
export const screen = (request: Provider.StartRequest, session: string): ReadonlyArray<string> => {
  const mode = capabilities.permissions[request.permission]
  return [
    ...["--resume", session],
    ...(request.model === null ? [] : ["-m", request.model]),
    ...(mode === null ? [] : ["--approval-mode", mode]),
    ...request.addDirs.flatMap((dir) => ["--include-directories", dir]),
    ...request.args
  ]
}
