/** JSON that is safe to print on a terminal, and the same data for a program. */
import { invisibleRanges } from "./invisible.js"

const unsafe = new RegExp(`[\\u007f-\\u009f${invisibleRanges}]`, "gu")

/**
 * JSON text with 8-bit controls, bidirectional, zero-width and tag characters written as `\uXXXX`. JSON itself escapes
 * the 7-bit controls; these it does not, and a terminal acts on them. What a parser reads is unchanged.
 */
export const jsonForTerminal = (json: string): string =>
  json.replace(unsafe, (character) => {
    let escaped = ""
    for (let index = 0; index < character.length; index++) {
      escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`
    }
    return escaped
  })
