/** Where gemini 0.61.0 keeps its files: `.gemini` in the home folder, or in the one that GEMINI_CLI_HOME names. */
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import type { Env } from "../processProvider.js"

const defaultLocation = (env: Env): string => join(env.HOME ?? homedir(), ".gemini")

/** The configuration directory in use. */
export const location = (env: Env): string => {
  const home = env.GEMINI_CLI_HOME
  return home === undefined || home === "" ? defaultLocation(env) : join(home, ".gemini")
}

/** The variables that make gemini use a recorded configuration directory; nothing where it would use it anyway. */
export const envFor = (recorded: string | null, env: Env): Env => {
  if (recorded === null || recorded === location(env)) return {}
  return { GEMINI_CLI_HOME: recorded === defaultLocation(env) ? undefined : dirname(recorded) }
}
