/** One line of text for a list, a message, a title. */
import { graphemes } from "./graphemes.js"

/**
 * The text on one line, at most `max` graphemes: white space runs become one space, and of a longer text the start and
 * the end are kept around an ellipsis. Always well-formed.
 */
export const oneLine = (text: string, max = 280): string => {
  const line = text.toWellFormed().replace(/\s+/gu, " ").trim()
  if (line.length <= max) return line
  const parts = graphemes(line)
  if (parts.length <= max) return line
  const head = Math.ceil(((max - 1) * 2) / 3)
  return `${parts.slice(0, head).join("")}…${parts.slice(parts.length - (max - 1 - head)).join("")}`
}
