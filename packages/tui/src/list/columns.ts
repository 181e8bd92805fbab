/**
 * Which columns a list has at a width, and how wide each is. Columns leave in the order of their weight, the lightest
 * first; what space is left goes to the title and then to the note.
 */
import { age } from "./age.js"
import { looks, type Tone } from "./looks.js"
import type { RunRow } from "./row.js"
import { cells } from "./width.js"

export type ColumnName =
  | "glyph"
  | "state"
  | "id"
  | "title"
  | "provider"
  | "model"
  | "agent"
  | "attempt"
  | "age"
  | "note"

interface ColumnSpec {
  readonly heading: string
  readonly align: "left" | "right"
  /** The narrowest the column may be; a column whose content is narrower may be that narrow. */
  readonly min: number
  readonly max: number
  /** Lighter columns leave first. */
  readonly weight: number
  /** Share in the space that is left, later than columns with a lower number; `null`: never grows beyond its content's max. */
  readonly grows: number | null
}

export const columnSpecs: Readonly<Record<ColumnName, ColumnSpec>> = {
  glyph: { heading: "", align: "left", min: 1, max: 1, weight: 9, grows: null },
  state: { heading: "STATE", align: "left", min: 11, max: 11, weight: 10, grows: null },
  id: { heading: "ID", align: "left", min: 17, max: 17, weight: 8, grows: null },
  title: { heading: "TITLE", align: "left", min: 10, max: 120, weight: 7, grows: 0 },
  age: { heading: "AGE", align: "right", min: 3, max: 4, weight: 6, grows: null },
  provider: { heading: "PROVIDER", align: "left", min: 8, max: 12, weight: 5, grows: null },
  model: { heading: "MODEL", align: "left", min: 8, max: 40, weight: 4, grows: 1 },
  attempt: { heading: "TRY", align: "right", min: 3, max: 3, weight: 3, grows: null },
  note: { heading: "NOTE", align: "left", min: 16, max: 300, weight: 2, grows: 2 },
  agent: { heading: "AGENT", align: "left", min: 6, max: 16, weight: 1, grows: null }
}

export interface Column {
  readonly name: ColumnName
  readonly width: number
}

export interface LayoutOptions {
  /** Cells of a line; `null`: as wide as it takes (a pipe, a file). */
  readonly width: number | null
  /** Columns wanted, in the order in which they stand. */
  readonly wanted: ReadonlyArray<ColumnName>
  readonly now: number
}

export const gap = 2

/** The text of a row in a column, and what it means. */
export const cellOf = (
  row: RunRow,
  name: ColumnName,
  now: number,
  ascii = false
): { readonly text: string; readonly tone: Tone } => {
  const look = looks[row.state]
  switch (name) {
    case "glyph":
      return { text: ascii ? look.ascii : look.glyph, tone: look.tone }
    case "state":
      return { text: look.word, tone: look.tone }
    case "id":
      return { text: row.id, tone: "plain" }
    case "title":
      return { text: row.title, tone: "plain" }
    case "provider":
      return { text: row.provider, tone: "plain" }
    case "model":
      return { text: ascii ? row.model.replaceAll("→", "->") : row.model, tone: "plain" }
    case "agent":
      return { text: row.agent, tone: "plain" }
    case "attempt":
      return { text: row.attempt > 1 ? `${row.attempt}` : "", tone: "dim" }
    case "age":
      return { text: age(row.at, now), tone: "dim" }
    case "note":
      return { text: row.note, tone: "dim" }
  }
}

/**
 * The columns that fit, with their widths. Columns that no row fills are left out. At a width that not even the heaviest
 * column fits, that one column is as wide as there is space.
 */
export const layout = (rows: ReadonlyArray<RunRow>, { width, wanted, now }: LayoutOptions): ReadonlyArray<Column> => {
  const natural = (name: ColumnName): number =>
    rows.reduce((most, row) => Math.max(most, cells(cellOf(row, name, now).text)), 0)
  const useful = wanted.flatMap((name) => {
    const content = natural(name)
    const spec = columnSpecs[name]
    const full = Math.min(spec.max, Math.max(content, cells(spec.heading)))
    return content === 0 || (name === "agent" && rows.every((row) => row.agent === "default"))
      ? []
      : [{ name, full, least: Math.min(spec.min, full) }]
  })
  if (width === null) return useful.map(({ name, full }) => ({ name, width: full }))

  const spent = (columns: typeof useful): number =>
    columns.reduce((sum, { least }) => sum + least, 0) + gap * Math.max(0, columns.length - 1)
  const lightestFirst = [...useful].sort((a, b) => columnSpecs[a.name].weight - columnSpecs[b.name].weight)
  let kept = useful
  for (const lightest of lightestFirst) {
    if (spent(kept) <= width || kept.length === 1) break
    kept = kept.filter(({ name }) => name !== lightest.name)
  }
  const [only] = kept
  if (kept.length === 1 && only !== undefined && only.least > width) return [{ name: only.name, width }]

  const widths = new Map(kept.map(({ name, least }) => [name, least] as const))
  let left = width - spent(kept)
  const hungry = [...kept].sort((a, b) => (columnSpecs[a.name].grows ?? -1) - (columnSpecs[b.name].grows ?? -1))
  for (const { name, full, least } of hungry) {
    const more = Math.min(left, full - least)
    widths.set(name, least + more)
    left -= more
  }
  return kept.map(({ name }) => ({ name, width: widths.get(name) ?? 0 }))
}
