/**
 * The answer to an agent's question for permission, from the run's own permission. Nobody is there to be asked, so every
 * question is answered at once:
 *
 * - `read`: reading and searching are allowed, nothing else.
 * - `edit`: also changing files, as long as every path the question names lies in the run's folders. Commands, fetches and
 *   whatever has no kind are refused: what they would do cannot be seen.
 * - `full`: everything.
 *
 * Allowed is always this once: "always" would write into the agent's own configuration. Paths are compared as written;
 * links are not followed. Pure.
 */
import { isAbsolute, relative, resolve } from "node:path"
import type { State } from "@alluka/core"
import { type JsonObject, list, object, text } from "../json.js"

/** What is known of the tool use that is asked about. */
export interface ToolUse {
  /** The protocol's kind: read, edit, delete, move, search, execute, think, fetch, switch_mode, other. */
  readonly kind: string | null
  readonly paths: ReadonlyArray<string>
}

export interface Rule {
  readonly permission: State.Permission
  readonly cwd: string
  /** Further folders of the run. */
  readonly addDirs: ReadonlyArray<string>
}

export type Outcome = { readonly outcome: "selected"; readonly optionId: string } | { readonly outcome: "cancelled" }

export interface PermissionAnswer {
  readonly allowed: boolean
  readonly outcome: Outcome
}

/** Chooses among the options of a question. */
export const answer = (use: ToolUse, options: unknown, rule: Rule): PermissionAnswer => {
  const optionOf = (kind: string): string | null => {
    const found = list(options)
      .map(object)
      .find((option) => option.kind === kind && text(option.optionId) !== null)
    return found === undefined ? null : text(found.optionId)
  }
  const select = (allowed: boolean, optionId: string): PermissionAnswer => ({
    allowed,
    outcome: { outcome: "selected", optionId }
  })
  if (allows(use, rule)) {
    const yes = optionOf("allow_once") ?? (rule.permission === "full" ? optionOf("allow_always") : null)
    if (yes !== null) return select(true, yes)
  }
  const no = optionOf("reject_once") ?? optionOf("reject_always")
  return no === null ? { allowed: false, outcome: { outcome: "cancelled" } } : select(false, no)
}

const reading = new Set(["read", "search", "think"])
const changing = new Set(["edit", "delete", "move"])

const allows = ({ kind, paths }: ToolUse, rule: Rule): boolean => {
  if (rule.permission === "full") return true
  if (kind === null) return false
  if (reading.has(kind)) return true
  if (rule.permission === "read" || !changing.has(kind)) return false
  const folders = [rule.cwd, ...rule.addDirs]
  return paths.every((path) => folders.some((folder) => isInside(resolve(rule.cwd, path), resolve(rule.cwd, folder))))
}

const isInside = (path: string, folder: string): boolean => {
  const way = relative(folder, path)
  return way !== ".." && !way.startsWith("../") && !isAbsolute(way)
}

const pathFields = ["path", "file_path", "filePath", "abs_path", "notebook_path", "absolute_path"]

/** The paths that a tool call of the protocol names: its locations, its diffs, its own arguments. */
export const pathsOf = (call: JsonObject): ReadonlyArray<string> => {
  const input = object(call.rawInput)
  const named = [
    ...list(call.locations).map((location) => text(object(location).path)),
    ...list(call.content)
      .map(object)
      .map((content) => (content.type === "diff" ? text(content.path) : null)),
    ...pathFields.map((field) => text(input[field]))
  ]
  return [...new Set(named.filter((path) => path !== null && path !== ""))] as ReadonlyArray<string>
}
