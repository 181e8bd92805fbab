/** A bug: the trace goes into a file of the data folder, the person is told where. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Problem, problem } from "./errors.js"

/** Writes the trace (as given: redact it first) and answers what to say. */
export const writeCrashLog = (home: string | null, cause: unknown, trace: string): Problem => {
  const said = cause instanceof Error ? cause.message : String(cause)
  const message = `this is a bug in alluka: ${said.split("\n")[0] ?? ""}`
  if (home === null) return problem(70, "bug", message)
  const folder = join(home, "logs")
  const file = join(folder, `crash-${new Date().toISOString().replace(/[:.]/g, "-")}-${process.pid}.log`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(file, `${trace}\n`, { mode: 0o600, flag: "wx" })
    return problem(70, "bug", message, { detail: `The trace is in ${file}` })
  } catch {
    return problem(70, "bug", message, { detail: `The trace could not be written to ${folder}` })
  }
}
