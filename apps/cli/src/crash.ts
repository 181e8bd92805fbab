/** A bug: the trace goes into a file of the data folder, the person is told where. */
import { Redactor } from "@alluka/core"
import { keepCrashLog } from "@alluka/store"
import { type Problem, problem } from "./errors.js"
import type { Io } from "./output/Io.js"
import { accountHome, resolvePaths } from "./paths.js"

/** What to say about a bug; its trace is written, redacted, to a private file. `home`: the data folder. */
export const bugProblem = (cause: unknown, trace: string, home: string, env: Io["env"]): Problem => {
  const { redact } = Redactor.fromEnvironment(env)
  const said = cause instanceof Error ? cause.message : String(cause)
  const message = `this is a bug in alluka: ${redact(said.split("\n")[0] ?? "")}`
  const hints = ["report it with that file; it holds no prompt and no output"]
  try {
    const file = keepCrashLog(home, redact(trace), Date.now())
    return problem(70, "bug", message, { detail: `The trace is in ${file}`, hints })
  } catch {
    return problem(70, "bug", message, { detail: `The trace could not be written to ${home}`, hints })
  }
}

/** The same for what nothing has caught. */
export const uncaughtProblem = (cause: unknown, io: Io): Problem => {
  const paths = resolvePaths({ env: io.env, cwd: io.cwd, homeFlag: null, accountHome, platform: process.platform })
  const trace = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
  return "code" in paths ? problem(70, "bug", "this is a bug in alluka") : bugProblem(cause, trace, paths.home, io.env)
}
