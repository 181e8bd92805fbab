/** JSON as it is printed: one line a document, safe for a terminal, strict for a parser, without a secret in a path. */
import { Documents, JsonForTerminal } from "@alluka/core"

/** The document on one line, with its line end. No control character of any kind is left in it. */
export const jsonLine = (document: object): string =>
  `${JsonForTerminal.jsonForTerminal(Documents.jsonText(document))}\n`

/**
 * Names under which a document holds what was never redacted before: folders are stored as they are, since a resume needs
 * them, and failures and decisions name them.
 */
const places = new Set([
  "cwd",
  "real_path",
  "location",
  "path",
  "paths",
  "add_dirs",
  "message",
  "detail",
  "warnings",
  "argv",
  "command"
])

/** The document with secrets replaced in everything that may hold a path. */
export const withoutSecrets = (document: object, redact: (text: string) => string): object => {
  const seen = new Map<string, string>()
  const cleaned = (text: string): string => {
    const before = seen.get(text)
    if (before !== undefined) return before
    const clean = redact(text)
    seen.set(text, clean)
    return clean
  }
  const walk = (value: unknown, place: boolean): unknown => {
    if (typeof value === "string") return place ? cleaned(value) : value
    if (Array.isArray(value)) return value.map((each) => walk(each, place))
    if (typeof value !== "object" || value === null) return value
    const copy: Record<string, unknown> = {}
    for (const name of Object.keys(value)) {
      copy[name] = walk((value as Record<string, unknown>)[name], places.has(name) || (place && name !== "kind"))
    }
    return copy
  }
  return walk(document, false) as object
}
