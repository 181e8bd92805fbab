/** The command line and rules of an `opencode run`. Pure; checked against 1.18.33. */
import type { Provider } from "@alluka/core"
import { parseObject } from "../json.js"
import type { Command, Env } from "../processProvider.js"

/**
 * Arguments and stdin of one start. The prompt goes by stdin: as an argument opencode puts it in quotes. `--dir` is given
 * always, since a session that is resumed from another folder hangs without a word. Errors are logged to stderr because
 * the stream calls an unknown model, or a missing sign-in, an "unexpected server error".
 */
export const command = (request: Provider.StartRequest): Command => ({
  args: [
    ...["run", "--format", "json", "--print-logs", "--log-level", "ERROR", "--dir", request.cwd],
    ...session(request.conversation),
    ...(request.model === null ? [] : ["-m", request.model]),
    ...(request.thinking === null ? [] : ["--variant", request.thinking]),
    ...(request.permission === "full" ? ["--auto"] : []),
    ...request.args
  ],
  stdin: request.prompt
})

const session = (conversation: Provider.Conversation): ReadonlyArray<string> => {
  switch (conversation._tag) {
    case "New":
      return conversation.id === null ? [] : ["--session", conversation.id]
    case "Continue":
      return ["--session", conversation.id]
    case "Fork":
      return ["--session", conversation.from, "--fork"]
  }
}

/** The tools that only read; everything else is refused under `read`. */
const readOnly = {
  "*": "deny",
  ...{ bash: "deny", edit: "deny", task: "deny", external_directory: "deny" },
  ...{ read: "allow", glob: "allow", grep: "allow", list: "allow", lsp: "allow", todowrite: "allow" }
}

/**
 * OPENCODE_PERMISSION for a start: rules that opencode merges over the person's own. Rules that the variable holds already
 * stay, below ours. `undefined`: nothing to add.
 */
export const rules = (
  { addDirs, permission }: Pick<Provider.StartRequest, "addDirs" | "permission">,
  env: Env
): string | undefined => {
  // A folder's own path is asked about as well as what lies in it.
  const folders = Object.fromEntries(
    addDirs.flatMap((dir) => [
      [dir, "allow"],
      [`${dir}/*`, "allow"]
    ])
  )
  const added = {
    ...(permission === "read" ? readOnly : {}),
    ...(addDirs.length === 0 ? {} : { external_directory: folders })
  }
  if (Object.keys(added).length === 0) return undefined
  return JSON.stringify({ ...parseObject(env.OPENCODE_PERMISSION ?? ""), ...added })
}

/** Arguments that open a session in opencode's own screen. What it may do is in its environment; it asks for the rest. */
export const screen = (request: Provider.StartRequest, session: string): ReadonlyArray<string> => [
  request.cwd,
  ...["--session", session],
  ...(request.model === null ? [] : ["--model", request.model]),
  ...(request.permission === "full" ? ["--auto"] : []),
  ...request.args
]
