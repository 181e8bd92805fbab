/** Text of bounded size, cut where a reader would not notice. */
import { cutBefore } from "./graphemes.js"

export interface Bounded {
  readonly text: string
  readonly truncated: boolean
}

/**
 * The text if it has at most `bytes` bytes of UTF-8, else its longest beginning that has, cut between graphemes. Always
 * well-formed: half a surrogate pair becomes U+FFFD.
 */
export const bounded = (text: string, bytes = 4096): Bounded => {
  // A UTF-16 unit is at most three bytes of UTF-8, so most texts need no count; nothing beyond `bytes` units can fit.
  const candidate = text.length > bytes + 1 ? text.slice(0, bytes + 1) : text
  const end = text.length * 3 <= bytes ? text.length : unitsWithin(candidate, bytes)
  if (end >= text.length) return { text: text.toWellFormed(), truncated: false }
  return { text: text.slice(0, cutBefore(text, end)).toWellFormed(), truncated: true }
}

/** How many UTF-16 units from the beginning fit into a number of bytes of UTF-8, whole code points only. */
const unitsWithin = (text: string, bytes: number): number => {
  let used = 0
  let index = 0
  while (index < text.length) {
    const point = text.codePointAt(index) ?? 0
    used += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4
    if (used > bytes) return index
    index += point > 0xffff ? 2 : 1
  }
  return index
}
