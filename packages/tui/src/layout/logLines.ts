/** The log as rows of the screen: which lines there are, how they wrap, and which rows are in the window. */

import { TerminalText } from "@alluka/core"
import type { Model } from "../model/Model.js"
import { glyphsOf } from "../theme/glyphs.js"
import type { Tone } from "../theme/theme.js"
import { cells, clip } from "./cells.js"
import { wrap } from "./wrap.js"

export interface LogLine {
  readonly at: number
  readonly word: string
  /** One line, safe for a terminal. */
  readonly text: string
  readonly tone: Tone
}

const cache = new WeakMap<object, ReadonlyArray<LogLine>>()

const cached = (key: object, build: () => ReadonlyArray<LogLine>): ReadonlyArray<LogLine> => {
  const known = cache.get(key)
  if (known !== undefined) return known
  const built = build()
  cache.set(key, built)
  return built
}

const linesIn = (text: string): ReadonlyArray<string> =>
  TerminalText.terminalText(text).replaceAll("\t", "  ").split("\n")

/** Every line of the open log, oldest first. */
export const logLines = (model: Model): ReadonlyArray<LogLine> => {
  const { log, detail } = model
  if (log === null) return []
  if (log.source === "raw") {
    return cached(log.raw, () =>
      log.raw.flatMap(({ at, text, from }) =>
        linesIn(text).map(
          (line): LogLine => ({
            at,
            word: from === "stderr" ? "err" : "out",
            text: line,
            tone: from === "stderr" ? "warn" : "plain"
          })
        )
      )
    )
  }
  if (detail === null || detail.id !== log.id) return []
  return cached(detail.entries, () =>
    detail.entries.flatMap(({ at, word, full, level, bad }) =>
      linesIn(full).map(
        (line, index): LogLine => ({
          at,
          word: index === 0 ? word : "",
          text: line,
          tone: bad ? "bad" : level === "quiet" ? "dim" : "plain"
        })
      )
    )
  )
}

/** How lines become rows: the space for their text, and whether what does not fit goes on below. */
export interface Rows {
  readonly width: number
  readonly wrap: boolean
  readonly ellipsis: string
}

/** Cells before the text: time and word. */
export const logMargin = (model: Model): number => (model.preferences.timestamps ? 10 : 0) + wordWidth + 1

export const wordWidth = 11

export const rowsOf = (model: Model, columns: number): Rows => ({
  width: Math.max(8, columns - 2 - logMargin(model)),
  wrap: model.preferences.wrap,
  ellipsis: glyphsOf(model.settings.ascii).ellipsis
})

const rows = (line: LogLine | undefined, view: Rows): ReadonlyArray<string> => {
  if (line === undefined) return []
  if (!view.wrap) return [clip(line.text, view.width, view.ellipsis)]
  return cells(line.text) <= view.width ? [line.text] : wrap(line.text, view.width)
}

export interface Place {
  readonly line: number
  readonly row: number
}

/** The first place of the last `height` rows. */
const endPlace = (lines: ReadonlyArray<LogLine>, height: number, view: Rows): Place => {
  let left = height
  for (let index = lines.length - 1; index >= 0; index--) {
    const count = rows(lines[index], view).length
    if (count >= left) return { line: index, row: count - left }
    left -= count
  }
  return { line: 0, row: 0 }
}

const isAfter = (a: Place, b: Place): boolean => a.line > b.line || (a.line === b.line && a.row > b.row)

/** A place moved by a number of rows, never beyond the last page. `from` null: the last page. */
export const moveTop = (
  lines: ReadonlyArray<LogLine>,
  from: Place | null,
  by: number,
  height: number,
  view: Rows
): { readonly top: Place; readonly atEnd: boolean } => {
  const end = endPlace(lines, height, view)
  let { line, row } = from ?? end
  for (let left = Math.abs(by); left > 0; left--) {
    if (by < 0) {
      if (row > 0) row--
      else if (line > 0) {
        line--
        row = Math.max(0, rows(lines[line], view).length - 1)
      } else break
    } else {
      if (!isAfter(end, { line, row })) break
      if (row + 1 < rows(lines[line], view).length) row++
      else {
        line++
        row = 0
      }
    }
  }
  const top = isAfter({ line, row }, end) ? end : { line, row }
  return { top, atEnd: !isAfter(end, top) }
}

export interface LogRow {
  /** Index of the line. */
  readonly index: number
  /** 0: the first row of its line. */
  readonly row: number
  readonly text: string
  readonly line: LogLine
}

/** The rows in the window, at most `height`. */
export const logWindow = (model: Model, height: number, columns: number): ReadonlyArray<LogRow> => {
  const { log } = model
  if (log === null) return []
  const lines = logLines(model)
  const view = rowsOf(model, columns)
  const end = endPlace(lines, height, view)
  const top = log.follow || isAfter(log.top, end) ? end : log.top
  const shown: Array<LogRow> = []
  for (let index = top.line; index < lines.length && shown.length < height; index++) {
    const line = lines[index]
    if (line === undefined) break
    for (const [row, text] of rows(line, view).entries()) {
      if (index === top.line && row < top.row) continue
      if (shown.length >= height) break
      shown.push({ index, row, text, line })
    }
  }
  return shown
}
