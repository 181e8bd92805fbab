/** The command line of a `kimi` run. Pure; checked against 2.1.0. */
import type { Provider } from "@alluka/core"
import type { Command } from "../processProvider.js"

/**
 * Arguments of one start. kimi reads no prompt from stdin; joined to its option, a prompt that begins with `-` is no option.
 * A copy (`Fork`) has been made before and is gone on with like any session: see `prepare.ts`.
 */
export const command = (request: Provider.StartRequest): Command => ({
  args: [
    ...["--output-format", "stream-json"],
    ...session(request.conversation),
    ...(request.model === null ? [] : ["-m", request.model]),
    ...request.addDirs.flatMap((dir) => ["--add-dir", dir]),
    ...request.args,
    `--prompt=${request.prompt}`
  ],
  stdin: null
})

const session = (conversation: Provider.Conversation): ReadonlyArray<string> => {
  switch (conversation._tag) {
    case "New":
      return []
    case "Continue":
      return ["--session", conversation.id]
    case "Fork":
      return conversation.id === null ? [] : ["--session", conversation.id]
  }
}

/** Arguments that open a session in kimi's own screen, which asks before it acts. */
export const screen = (request: Provider.StartRequest, session: string): ReadonlyArray<string> => [
  ...["--session", session],
  ...(request.model === null ? [] : ["-m", request.model]),
  ...request.addDirs.flatMap((dir) => ["--add-dir", dir]),
  ...request.args
]
