/** A text that is being typed, as lines of the screen with its cursor. */
import { Text } from "@alluka/core"
import type { TextField } from "../model/textField.js"
import { cells } from "./cells.js"
import { type Line, span } from "./Line.js"
import { hardBreak } from "./wrap.js"

/** Cells of a character as it is shown: what cannot be seen is spelled out. */
const shownCells = (part: string): number => cells(span(part).text)

/** The text before, under and behind the cursor; at the end of a line the cursor stands on a space. */
const around = (text: string, cursor: number): readonly [string, string, string] => {
  const under = Text.graphemes(text.slice(cursor, cursor + 64))[0] ?? ""
  return under === "" || under === "\n"
    ? [text.slice(0, cursor), " ", text.slice(cursor)]
    : [text.slice(0, cursor), under, text.slice(cursor + under.length)]
}

const withCursor = (text: string, cursor: number): Line => {
  const [before, under, after] = around(text, cursor)
  return [span(before), span(under, "plain", { inverse: true }), span(after)]
}

/** One line of a field, scrolled so that the cursor is in it. `column`: the cursor's cell. */
export const inField = (field: TextField, width: number): { readonly line: Line; readonly column: number } => {
  const room = Math.max(1, width - 1)
  const parts = Text.graphemes(field.text.slice(0, field.cursor))
  let used = 0
  let start = parts.length
  while (start > 0 && used + shownCells(parts[start - 1] ?? "") <= room) {
    start--
    used += shownCells(parts[start] ?? "")
  }
  const skipped = parts.slice(0, start).join("").length
  const visible = field.text.slice(skipped)
  const rest: Array<string> = []
  let left = width
  for (const part of Text.graphemes(visible.slice(0, width * 16))) {
    const wide = shownCells(part)
    if (wide > left) break
    rest.push(part)
    left -= wide
  }
  return { line: withCursor(rest.join(""), field.cursor - skipped), column: used }
}

export interface FieldRows {
  readonly lines: ReadonlyArray<Line>
  /** The cursor's row and cell. */
  readonly row: number
  readonly column: number
  /** Rows of the whole text, shown or not. */
  readonly total: number
}

/** A field of several lines in a window of `height` rows around the cursor; `active`: the cursor is shown. */
export const fieldRows = (field: TextField, width: number, height: number, active: boolean): FieldRows => {
  const room = Math.max(2, width)
  const rows: Array<{ readonly text: string; readonly start: number }> = []
  let at = 0
  for (const line of field.text.split("\n")) {
    // One cell stays free for the cursor behind the last character.
    for (const piece of hardBreak(line, room - 1, shownCells)) {
      rows.push({ text: piece, start: at })
      at += piece.length
    }
    at += 1
  }
  const found = rows.findLastIndex(({ start }) => start <= field.cursor)
  const row = Math.max(0, found)
  const top = Math.max(0, Math.min(row - height + 1, rows.length - height))
  const first = Math.min(row, top)
  const current = rows[row]
  return {
    lines: rows
      .slice(first, first + height)
      .map(({ text, start }, index) =>
        active && first + index === row ? withCursor(text, Math.min(text.length, field.cursor - start)) : [span(text)]
      ),
    row: row - first,
    column: current === undefined ? 0 : shownCells(current.text.slice(0, Math.max(0, field.cursor - current.start))),
    total: rows.length
  }
}
