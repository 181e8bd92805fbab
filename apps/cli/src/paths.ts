/** Where this user's data and configuration are. */
import { userInfo } from "node:os"
import { isAbsolute, join, resolve } from "node:path"
import { type Problem, problem } from "./errors.js"

export interface Paths {
  /** The data folder: the store, its owner locks, the output files. */
  readonly home: string
  /** The user's own configuration file; `null` where there is no home folder to look in. */
  readonly userConfig: string | null
}

export interface PathFacts {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** `--home`. */
  readonly homeFlag: string | null
  /** The account's own home folder, whatever `HOME` says; `null`: it has none. */
  readonly accountHome: () => string | null
  readonly platform: NodeJS.Platform
}

/** The folders, or why there is none. A `HOME` that is unset, empty or relative is not believed. */
export const resolvePaths = (facts: PathFacts): Paths | Problem => {
  const { cwd, env, homeFlag, platform } = facts
  const person = usable(env.HOME) ?? usable(facts.accountHome() ?? undefined)
  const config =
    usable(env.XDG_CONFIG_HOME) ??
    (person === null ? null : platform === "darwin" ? join(person, "Library", "Preferences") : join(person, ".config"))
  const userConfig = config === null ? null : join(config, "alluka", "config.json")
  const named = homeFlag ?? env.ALLUKA_HOME ?? ""
  if (named !== "") return { home: resolve(cwd, named), userConfig }
  const state =
    usable(env.XDG_STATE_HOME) ??
    (person === null
      ? null
      : platform === "darwin"
        ? join(person, "Library", "Application Support")
        : join(person, ".local", "state"))
  if (state === null) {
    return problem(1, "no_home", "there is no home folder: HOME is not set and this account has none", {
      hints: ["set ALLUKA_HOME, or name a data folder with --home"]
    })
  }
  return { home: join(state, "alluka"), userConfig }
}

const usable = (path: string | undefined): string | null =>
  path !== undefined && path !== "" && isAbsolute(path) ? path : null

/** The home folder in the account database. */
export const accountHome = (): string | null => {
  try {
    return userInfo().homedir || null
  } catch {
    // An account without an entry, as in some containers.
    return null
  }
}
