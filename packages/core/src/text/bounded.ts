/** Text of bounded size, cut where a reader would not notice. */
import { graphemes } from "./graphemes.js"

export interface Bounded {
  readonly text: string
  readonly truncated: boolean
}

/** The text if it has at most `bytes` bytes of UTF-8, else its longest beginning that has, cut between graphemes. Always well-formed. */
export const bounded = (text: string, bytes = 4096): Bounded => {
  const wellFormed = text.toWellFormed()
  // A UTF-16 unit is at most three bytes of UTF-8, so most texts need no count.
  if (wellFormed.length * 3 <= bytes || utf8Bytes(wellFormed) <= bytes) return { text: wellFormed, truncated: false }
  const kept: Array<string> = []
  let used = 0
  // Nothing beyond `bytes` units can fit.
  for (const part of graphemes(wellFormed.slice(0, bytes + 64))) {
    used += utf8Bytes(part)
    if (used > bytes) break
    kept.push(part)
  }
  return { text: kept.join("").toWellFormed(), truncated: true }
}

const utf8Bytes = (text: string): number => {
  let bytes = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return bytes
}
