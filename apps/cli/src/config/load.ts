/** Reads the configuration of this invocation: the user's file and the environment over the defaults. */
import { readFileSync } from "node:fs"
import { type Problem, problem } from "../errors.js"
import { type Config, merge, type Source } from "./merge.js"

export interface ConfigFacts {
  readonly userConfig: string | null
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The settings, or why a file that is there cannot be read: a broken configuration is never taken for none. */
export const loadConfig = ({ env, userConfig }: ConfigFacts): Config | Problem => {
  const user = userConfig === null ? null : readSource("user", userConfig)
  if (user !== null && "code" in user) return user
  return merge(user === null ? [] : [user], env)
}

const readSource = (kind: Source["kind"], path: string): Source | Problem | null => {
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    if (code === "ENOENT" || code === "ENOTDIR") return null
    return problem(1, "config_unreadable", `the configuration ${path} cannot be read (${code ?? String(cause)})`)
  }
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
