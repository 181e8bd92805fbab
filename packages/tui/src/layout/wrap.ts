/** Long text in lines of a given width: broken at spaces, inside a word only where a word is wider than a line. */
import { TerminalText, Text } from "@alluka/core"
import { cells } from "./cells.js"

const ascii = /^[\x20-\x7e]*$/

/** The lines of a text of several lines, each at most `width` cells. An empty line stays one. Never cuts a grapheme. */
export const wrap = (text: string, width: number): ReadonlyArray<string> => {
  const room = Math.max(1, width)
  return TerminalText.terminalText(text)
    .replaceAll("\t", "  ")
    .split("\n")
    .flatMap((line) => wrapLine(line, room))
}

/** Stands for a grapheme that is wider than a whole line: some musical signs take three cells. */
const tooWide = "\ufffd"

const narrowed = (line: string, width: number): string =>
  ascii.test(line) ? line : Array.from(Text.graphemes(line), (each) => (cells(each) > width ? tooWide : each)).join("")

const wrapLine = (whole: string, width: number): ReadonlyArray<string> => {
  if (cells(whole) <= width) return [whole]
  const line = narrowed(whole, width)
  const lines: Array<string> = []
  let current = ""
  let used = 0
  for (const word of line.split(/(?<= )/u)) {
    const bare = cells(word.trimEnd())
    if (used + bare <= width) {
      current += word
      used += cells(word)
      continue
    }
    if (current.trim() !== "") lines.push(current.trimEnd())
    const broken = bare <= width ? [word] : hardBreak(word, width)
    lines.push(...broken.slice(0, -1))
    current = broken.at(-1) ?? ""
    used = cells(current)
  }
  if (current.trim() !== "" || lines.length === 0) lines.push(current.trimEnd())
  return lines
}

/** Pieces of a word, each at most `width` cells as `measure` has them; a single grapheme that is wider stays whole. */
export const hardBreak = (word: string, width: number, measure = cells): ReadonlyArray<string> => {
  if (ascii.test(word)) {
    return Array.from({ length: Math.max(1, Math.ceil(word.length / width)) }, (_, index) =>
      word.slice(index * width, (index + 1) * width)
    )
  }
  const pieces: Array<string> = []
  let current = ""
  let used = 0
  for (const part of Text.graphemes(word)) {
    const wide = measure(part)
    if (used + wide > width && current !== "") {
      pieces.push(current)
      current = ""
      used = 0
    }
    current += part
    used += wide
  }
  return [...pieces, current]
}
