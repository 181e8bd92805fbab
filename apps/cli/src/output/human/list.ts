/** The list of runs in words: columns on a terminal, the same uncut into a pipe. Pure. */
import { type ColumnName, headingLine, layout, type RunRow, rowLine } from "@alluka/tui/list"
import type { Paint } from "../color.js"

export { rowOf } from "@alluka/tui/list"

export interface ListOptions {
  readonly width: number | null
  readonly now: number
  readonly ascii: boolean
  readonly paint: Paint
}

const wanted: ReadonlyArray<ColumnName> = [
  "glyph",
  "state",
  "id",
  "title",
  "provider",
  "model",
  "agent",
  "attempt",
  "age",
  "note"
]

/** One line a run under a heading. */
export const renderList = (rows: ReadonlyArray<RunRow>, { ascii, now, paint, width }: ListOptions): string => {
  const columns = layout(rows, { width, wanted, now })
  const lines = rows.map((row) =>
    rowLine(row, columns, { now, ascii })
      .map(({ text, tone }) => paint(text, tone))
      .join("")
  )
  return [paint(headingLine(columns), "dim"), ...lines]
    .map((line) => (width === null ? line.trimEnd() : line))
    .join("\n")
}

/** One line a run with tabs between its fields: for `cut`, `awk` and `sort`. Nothing is cut, nothing aligned. */
export const renderPlain = (rows: ReadonlyArray<RunRow>): string =>
  rows
    .map((row) =>
      [
        row.id,
        row.state,
        row.provider,
        row.model,
        row.agent,
        `${row.attempt}`,
        new Date(row.at).toISOString(),
        row.title,
        row.note
      ].join("\t")
    )
    .join("\n")
