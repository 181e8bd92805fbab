/** Reads the configuration of this invocation: files and the environment over the defaults. */
import { readFileSync } from "node:fs"
import { type Problem, problem } from "../errors.js"
import { type Config, merge, type Source } from "./merge.js"
import { findProjectFile, isTrusted, trustFileOf } from "./trust.js"

export interface ConfigFacts {
  readonly userConfig: string | null
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The project's configuration file, if there is one. */
export interface Project {
  readonly path: string
  readonly trusted: boolean
}

export interface Loaded extends Config {
  readonly project: Project | null
}

/** The settings, or why a file that is there cannot be read: a broken configuration is never taken for none. */
export const loadConfig = ({ cwd, env, userConfig }: ConfigFacts): Loaded | Problem => {
  const user = userConfig === null ? null : readSource(userConfig)
  if (user !== null && "code" in user) return user
  const file = findProjectFile(cwd)
  const project =
    file === null
      ? null
      : { path: file.path, trusted: isTrusted(file, userConfig === null ? null : trustFileOf(userConfig)) }
  const own = file === null || project?.trusted !== true ? null : parseSource("project", file.path, file.text)
  if (own !== null && "code" in own) return own
  return {
    ...merge(
      [user, own].filter((source) => source !== null),
      env
    ),
    project
  }
}

const readSource = (path: string): Source | Problem | null => {
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    if (code === "ENOENT" || code === "ENOTDIR") return null
    return problem(1, "config_unreadable", `the configuration ${path} cannot be read (${code ?? String(cause)})`)
  }
  return parseSource("user", path, text)
}

const parseSource = (kind: Source["kind"], path: string, text: string): Source | Problem => {
  try {
    const json: unknown = JSON.parse(text)
    if (typeof json === "object" && json !== null && !Array.isArray(json)) return { kind, path, json }
    return problem(2, "config_invalid", `the configuration ${path} is no JSON object`)
  } catch (cause) {
    return problem(2, "config_invalid", `the configuration ${path} is no valid JSON`, {
      detail: cause instanceof Error ? cause.message : null
    })
  }
}
