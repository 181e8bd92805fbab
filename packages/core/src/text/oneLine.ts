/** One line of text for a list, a message, a title. */
import { beginsEscape, escapeEnd } from "../privacy/escapes.js"
import { cutAfter, cutBefore } from "./graphemes.js"

/** A longer text is looked at only at its two ends. */
const longest = 16 * 1024

/**
 * The text on one line, at most `max` characters (UTF-16 units, so code points and graphemes too): escape sequences are
 * removed, white space and control characters become one space, and of a longer text the start and the end are kept
 * around an ellipsis, cut between graphemes. Always well-formed; of one line it is the line itself.
 */
export const oneLine = (text: string, max = 280): string => {
  const line = (text.length > longest ? bothEnds(text, longest, "…") : text).toWellFormed()
  const plain = withoutEscapes(line).replace(blank, " ").trim()
  return plain.length <= max ? plain : bothEnds(plain, max, "…")
}

const blank = /[\s\u0000-\u001f\u007f-\u009f]+/g

const escape = /[\u001b\u008e-\u0090\u0098\u009b-\u009f]/g

const withoutEscapes = (text: string): string => {
  escape.lastIndex = 0
  let out = ""
  let kept = 0
  for (let hit = escape.exec(text); hit !== null; hit = escape.exec(text)) {
    if (!beginsEscape(text.charCodeAt(hit.index))) continue
    out += text.slice(kept, hit.index)
    kept = escapeEnd(text, hit.index)
    escape.lastIndex = kept
  }
  return kept === 0 ? text : out + text.slice(kept)
}

/** Two thirds of what fits from the start, the rest from the end. */
const bothEnds = (text: string, max: number, middle: string): string => {
  const room = max - middle.length
  if (room < 0) return ""
  const head = Math.ceil((room * 2) / 3)
  const start = text.slice(0, cutBefore(text, head)).trimEnd()
  const end = text.slice(cutAfter(text, text.length - (room - head))).trimStart()
  return `${start}${middle}${end}`
}
