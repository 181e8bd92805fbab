/** Where kimi 2.1.0 keeps its files. */
import { homedir } from "node:os"
import { join } from "node:path"
import type { Env } from "../processProvider.js"

const defaultLocation = (env: Env): string => join(env.HOME ?? homedir(), ".kimi-code")

/** The configuration directory in use. */
export const location = (env: Env): string => {
  const set = env.KIMI_CODE_HOME
  return set === undefined || set === "" ? defaultLocation(env) : set
}

/** The variables that make kimi use a recorded configuration directory; nothing where it would use it anyway. */
export const envFor = (recorded: string | null, env: Env): Env => {
  if (recorded === null || recorded === location(env)) return {}
  return { KIMI_CODE_HOME: recorded === defaultLocation(env) ? undefined : recorded }
}
