/** Reads the configuration of this invocation: files and the environment over the defaults. */
import { readFileSync } from "node:fs"
import { type Problem, problem } from "../errors.js"
import { type Place, placeText } from "./fault.js"
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
export const loadConfig = async ({ cwd, env, userConfig }: ConfigFacts): Promise<Loaded | Problem> => {
  const user = userConfig === null ? null : await readSource("user", userConfig)
  if (user !== null && "code" in user) return user
  const file = findProjectFile(cwd)
  const project =
    file === null
      ? null
      : { path: file.path, trusted: isTrusted(file, userConfig === null ? null : trustFileOf(userConfig)) }
  const own = file === null || project?.trusted !== true ? null : await parseSource("project", file.path, file.text)
  if (own !== null && "code" in own) return own
  const files = [user, own].filter((source) => source !== null)
  return { ...merge(files, env), project }
}

/** A configuration file; `null`: there is none. */
export const readSource = async (kind: Source["kind"], path: string): Promise<Source | Problem | null> => {
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    if (code === "ENOENT" || code === "ENOTDIR") return null
    return problem(1, "config_unreadable", `the configuration ${path} cannot be read (${code ?? String(cause)})`, {
      place: { path, line: null, column: null }
    })
  }
  return parseSource(kind, path, text)
}

/** A configuration file's text, read; or why it is none, with the place. Editors of some systems begin a text with a mark, which is no part of it. */
export const parseSource = async (kind: Source["kind"], path: string, whole: string): Promise<Source | Problem> => {
  const text = whole.startsWith("\ufeff") ? whole.slice(1) : whole
  try {
    const json: unknown = JSON.parse(text)
    if (typeof json === "object" && json !== null && !Array.isArray(json)) return { kind, path, text, json }
  } catch {
    const { syntaxFault } = await import("./positions.js")
    const { message, ...position } = syntaxFault(text)
    return invalid({ path, ...position }, `this is no valid JSON: ${message}`)
  }
  const { positionOf } = await import("./positions.js")
  const position = positionOf(text, [], "value") ?? { line: 1, column: 1 }
  return invalid({ path, ...position }, 'a configuration is a JSON object: it begins with "{"')
}

const invalid = (place: Place, why: string): Problem =>
  problem(2, "config_invalid", `${placeText(place)}: ${why}`, {
    place,
    hints: ["correct the file there, or move it away to go on with the defaults"]
  })
