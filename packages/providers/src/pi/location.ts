/**
 * Where pi keeps its sessions: in `sessions` of its configuration directory, one folder for each folder of a run, or flat
 * in a folder of its own that PI_CODING_AGENT_SESSION_DIR names. The same for 0.73.1 and 1.6.0.
 */
import { homedir } from "node:os"
import { basename, dirname, join } from "node:path"
import type { Env } from "../processProvider.js"

const set = (value: string | undefined): string | null => (value === undefined || value === "" ? null : value)

const defaultFolder = (env: Env): string => join(env.HOME ?? homedir(), ".pi", "agent")

/** The folder of sessions in use. */
export const location = (env: Env): string =>
  set(env.PI_CODING_AGENT_SESSION_DIR) ?? join(set(env.PI_CODING_AGENT_DIR) ?? defaultFolder(env), "sessions")

/**
 * The variables that make pi use a recorded folder of sessions; nothing where it would use it anyway. A folder called
 * `sessions` is taken for that of a configuration directory, which is then used as a whole.
 */
export const envFor = (recorded: string | null, env: Env): Env => {
  if (recorded === null || recorded === location(env)) return {}
  if (basename(recorded) !== "sessions") return { PI_CODING_AGENT_SESSION_DIR: recorded }
  const folder = dirname(recorded)
  return {
    PI_CODING_AGENT_SESSION_DIR: undefined,
    PI_CODING_AGENT_DIR: folder === defaultFolder(env) ? undefined : folder
  }
}
