/**
 * One line of the screen as pieces of text, each with its meaning. Text becomes safe for a terminal here and nowhere
 * else: whoever shows a text goes through `span`.
 */
import { TerminalText } from "@alluka/core"

import type { Theme, Tone } from "../theme/theme.js"
import { cells, clip, isAscii, remembered } from "./cells.js"

export interface Span {
  readonly text: string
  readonly tone: Tone
  readonly inverse: boolean
  readonly underline: boolean
}

export type Line = ReadonlyArray<Span>

export interface SpanOptions {
  readonly inverse?: boolean
  readonly underline?: boolean
}

const leadingMarks = /^\p{M}+/u

const safe = remembered((text) => TerminalText.terminalText(text, { singleLine: true }).replace(leadingMarks, ""))

/**
 * A piece of text on one line. Escape sequences and controls are taken out; a mark without a letter before it would join
 * what stands left of the piece, so it goes too.
 */
export const span = (
  text: string,
  tone: Tone = "plain",
  { inverse = false, underline = false }: SpanOptions = {}
): Span => ({
  text: isAscii(text) ? text : safe(text),
  tone,
  inverse,
  underline
})

export const blank: Line = []

export const lineOf = (text: string, tone: Tone = "plain"): Line => [span(text, tone)]

/** How many cells a line takes. */
export const lineWidth = (line: Line): number => line.reduce((sum, { text }) => sum + cells(text), 0)

export const plainText = (line: Line): string => line.map(({ text }) => text).join("")

/** The line in at most `width` cells; where it was cut, `ellipsis` is its last sign. */
export const clipLine = (line: Line, width: number, ellipsis: string): Line => {
  if (width <= 0) return []
  const out: Array<Span> = []
  let left = width
  for (let index = 0; index < line.length; index++) {
    const piece = line[index]
    if (piece === undefined || piece.text === "") continue
    const wide = cells(piece.text)
    const more = line.slice(index + 1).some(({ text }) => text !== "")
    if (wide < left || (wide === left && !more)) {
      out.push(piece)
      left -= wide
      continue
    }
    // The piece does not fit, or fits exactly although more follows: it is cut and says so.
    const cut = clip(wide > left ? piece.text : `${piece.text}${ellipsis}`, left, ellipsis)
    if (cut !== "") out.push({ ...piece, text: cut })
    return out
  }
  return out
}

/** The line in exactly `width` cells, filled with spaces; `inverse` fills in the same way. */
export const fitLine = (
  line: Line,
  width: number,
  { ellipsis, inverse = false }: { readonly ellipsis: string; readonly inverse?: boolean }
): Line => {
  // The very same line, so that what was made of it can be kept.
  if (lineWidth(line) === width) return line
  const clipped = clipLine(line, width, ellipsis)
  const space = Math.max(0, width - lineWidth(clipped))
  return space === 0 ? clipped : [...clipped, { text: " ".repeat(space), tone: "plain", inverse, underline: false }]
}

/** Left and right on one line of exactly `width` cells; the left is cut first, and never touches the right. */
export const spread = (left: Line, right: Line, width: number, ellipsis: string): Line => {
  const kept = clipLine(right, width, ellipsis)
  const rightWidth = lineWidth(kept)
  const room = Math.max(0, width - rightWidth - (rightWidth === 0 ? 0 : 1))
  return [...fitLine(left, room, { ellipsis }), ...(room < width - rightWidth ? [span(" ")] : []), ...kept]
}

/** The same line with its colours swapped: the selected one. */
export const inverted = (line: Line): Line => line.map((piece) => ({ ...piece, inverse: true }))

const paint = (line: Line, theme: Theme): string =>
  line
    .map(({ text, tone, inverse, underline }) => {
      const codes = [...theme[tone], ...(underline ? [4] : []), ...(inverse ? [7] : [])]
      return codes.length === 0 || text === "" ? text : `\u001b[${codes.join(";")}m${text}\u001b[0m`
    })
    .join("")

const paints = new WeakMap<Line, { readonly theme: Theme; readonly text: string }>()

/** The line with the terminal's SGR sequences, ended so that nothing spills. Lines that were kept are not painted anew. */
export const painted = (line: Line, theme: Theme): string => {
  const before = paints.get(line)
  if (before?.theme === theme) return before.text
  const text = paint(line, theme)
  paints.set(line, { theme, text })
  return text
}
