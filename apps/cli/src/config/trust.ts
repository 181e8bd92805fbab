/**
 * A project's own configuration can name programs to run, so it counts only where a person has trusted it. The trust is
 * bound to the file's content: a changed file is not trusted.
 */
import { createHash } from "node:crypto"
import { readFileSync, realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { writePrivateFile } from "./privateFile.js"

/** A project's configuration file, as it was found. */
export interface ProjectFile {
  /** Real path. */
  readonly path: string
  readonly text: string
  /** SHA-256 of its content. */
  readonly hash: string
}

const relative = join(".alluka", "config.json")

/** The configuration file of the project that a folder belongs to: the nearest one upwards; `null`: there is none. */
export const findProjectFile = (folder: string): ProjectFile | null => {
  for (let at = folder; ; at = dirname(at)) {
    const file = readProjectFile(join(at, relative))
    if (file !== null || dirname(at) === at) return file
  }
}

const readProjectFile = (path: string): ProjectFile | null => {
  try {
    const text = readFileSync(path, "utf8")
    return { path: realpathSync(path), text, hash: createHash("sha256").update(text).digest("hex") }
  } catch {
    // Not there, or not to be read: then it says nothing either.
    return null
  }
}

/** Where trust is kept: beside the user's configuration. */
export const trustFileOf = (userConfig: string): string => join(dirname(userConfig), "trust.json")

/** The hash that was trusted for each file; a damaged list trusts nothing. */
const trusted = (trustFile: string): ReadonlyMap<string, string> => {
  try {
    const json: unknown = JSON.parse(readFileSync(trustFile, "utf8"))
    return typeof json === "object" && json !== null
      ? new Map(Object.entries(json).filter((entry): entry is [string, string] => typeof entry[1] === "string"))
      : new Map()
  } catch {
    return new Map()
  }
}

export const isTrusted = (file: ProjectFile, trustFile: string | null): boolean =>
  trustFile !== null && trusted(trustFile).get(file.path) === file.hash

/** Trusts the file as it is now, or (`hash` null) not any more. Throws what the file system says. */
export const setTrust = (path: string, hash: string | null, trustFile: string): void => {
  const list = new Map(trusted(trustFile))
  if (hash === null) list.delete(path)
  else list.set(path, hash)
  writePrivateFile(trustFile, `${JSON.stringify(Object.fromEntries(list), null, 2)}\n`)
}
