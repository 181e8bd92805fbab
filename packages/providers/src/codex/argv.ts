/** The command line of a `codex exec` run. Pure; checked against 0.171.0. */
import type { Provider } from "@alluka/core"
import type { Command } from "../processProvider.js"
import { capabilities } from "./capabilities.js"

/**
 * Arguments and stdin of one start. Everything stands before the subcommand, which knows neither `-s` nor `--add-dir`;
 * `-` makes codex read the prompt from stdin. Nothing is kept over a resume, so everything is given at every start.
 */
export const command = (request: Provider.StartRequest): Command => {
  const mode = capabilities.permissions[request.permission]
  return {
    args: [
      ...["exec", "--json", "--skip-git-repo-check"],
      ...(mode === null ? [] : ["-s", mode]),
      ...(request.model === null ? [] : ["-m", request.model]),
      ...(request.thinking === null ? [] : ["-c", `model_reasoning_effort=${request.thinking}`]),
      ...request.addDirs.flatMap((dir) => ["--add-dir", dir]),
      ...request.args,
      ...session(request.conversation),
      "-"
    ],
    stdin: request.prompt
  }
}

const session = (conversation: Provider.Conversation): ReadonlyArray<string> => {
  switch (conversation._tag) {
    case "New":
      return []
    case "Continue":
      return ["resume", conversation.id]
    case "Fork":
      return ["fork", conversation.from]
  }
}

/** Arguments that open a thread in codex's own screen. */
export const screen = (request: Provider.StartRequest, session: string): ReadonlyArray<string> => {
  const mode = capabilities.permissions[request.permission]
  return [
    "resume",
    ...(mode === null ? [] : ["-s", mode]),
    ...(request.model === null ? [] : ["-m", request.model]),
    ...(request.thinking === null ? [] : ["-c", `model_reasoning_effort=${request.thinking}`]),
    ...request.addDirs.flatMap((dir) => ["--add-dir", dir]),
    ...request.args,
    session
  ]
}
