/**
 * What a person searches for, as SQL. Every word must be somewhere in the title, the prompt or the reason, or, from
 * four characters on, in the id; case does not matter in ASCII, and no character is a wildcard. The answer is the same with and without the index. Pure.
 */
import type { SqlValue } from "../connection/Sql.js"

export interface Condition {
  readonly sql: string
  readonly params: ReadonlyArray<SqlValue>
}

/** Characters of a search that are looked at. */
const searchLength = 256

/** The words of a search. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .slice(0, searchLength)
    .split(/\s+/)
    .filter((word) => word !== "")

/** A text as a LIKE pattern that finds it anywhere; `%`, `_` and `\` stand for themselves. */
export const containsPattern = (text: string): string =>
  `%${text.replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`

/** Where a text is looked for, besides the id. */
const places = [
  "c.title",
  "CASE WHEN json_valid(c.spec) THEN c.spec ->> '$.prompt' END",
  "CASE WHEN json_valid(c.reason) THEN c.reason ->> '$.message' END",
  "CASE WHEN json_valid(c.reason) THEN c.reason ->> '$.detail' END"
]

/** Characters from which on a word may be a part of an id: a number of two is in many ids by chance. */
const idLength = 4

/** That every word is in the row `c`. */
export const saysAll = (text: string): ReadonlyArray<Condition> =>
  wordsOf(text).map((word) => {
    const asked = word.length < idLength ? places : [...places, "c.id"]
    return {
      sql: `(${asked.map((place) => `${place} LIKE ? ESCAPE '\\'`).join(" OR ")})`,
      params: asked.map(() => containsPattern(word))
    }
  })

/** Three characters that no text is expected to hold: they stand for a text of which the index has the beginning only. */
const more = "\u{e0f0}\u{e0f1}\u{e0f2}"

/** How much of a text the index takes in, in characters: whole for what people type, and bounded against a pasted file. */
const indexedLength = 2000

const indexed = (text: string): string =>
  `coalesce(substr(${text}, 1, ${indexedLength}) || CASE WHEN length(${text}) > ${indexedLength} THEN '${more}' ELSE '' END, '')`

/** SQL of what the index holds of the row `c`. */
export const indexedText = [...places, "c.id"].map(indexed).join(" || char(10) || ")

/** At most so many of a search's triples are asked for: a few narrow as well as all. */
const tripleLimit = 12

/**
 * The search for the index: rows that hold every triple of characters of the words, or too much text to tell. `null`: no
 * word has three characters, and the index cannot help.
 */
export const matchOf = (text: string): string | null => {
  const triples = new Set<string>()
  for (const word of wordsOf(text.replaceAll("\u0000", " "))) {
    const characters = Array.from(word)
    for (let at = 0; at + 3 <= characters.length; at++) triples.add(characters.slice(at, at + 3).join(""))
  }
  if (triples.size === 0) return null
  const step = Math.ceil(triples.size / tripleLimit)
  const asked = [...triples].filter((_, index) => index % step === 0)
  return `(${asked.map(quoted).join(" AND ")}) OR ${quoted(more)}`
}

const quoted = (triple: string): string => `"${triple.replaceAll('"', '""')}"`
