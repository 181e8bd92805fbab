/** Where opencode 1.18.33 keeps its sessions: one SQLite file for all folders. */
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"
import type { Env } from "../processProvider.js"

const set = (value: string | undefined): string | null => (value === undefined || value === "" ? null : value)

/** opencode's own folder for data. */
const dataFolder = (env: Env): string =>
  join(set(env.XDG_DATA_HOME) ?? join(env.HOME ?? homedir(), ".local", "share"), "opencode")

/** The database in use. */
export const location = (env: Env): string => {
  const chosen = set(env.OPENCODE_DB)
  if (chosen === null) return join(dataFolder(env), "opencode.db")
  return isAbsolute(chosen) ? chosen : join(dataFolder(env), chosen)
}

/** The variables that make opencode use a recorded database; nothing where it would use it anyway. */
export const envFor = (recorded: string | null, env: Env): Env =>
  recorded === null || recorded === location(env) ? {} : { OPENCODE_DB: recorded }
