/** Rows and headings of a list as pieces of text, each with its meaning: a screen colours them, a pipe joins them. */
import { type Column, cellOf, columnSpecs, gap } from "./columns.js"
import type { Tone } from "./looks.js"
import type { RunRow } from "./row.js"
import { inCells } from "./width.js"

export interface Piece {
  readonly text: string
  readonly tone: Tone
}

export interface LineOptions {
  readonly now: number
  readonly ascii: boolean
}

/** One line of exactly the columns' width together. */
export const rowLine = (
  row: RunRow,
  columns: ReadonlyArray<Column>,
  { now, ascii }: LineOptions
): ReadonlyArray<Piece> =>
  columns.flatMap(({ name, width }, index) => {
    const { text, tone } = cellOf(row, name, now, ascii)
    const piece: Piece = { text: inCells(text, width, columnSpecs[name].align, ascii ? "~" : "…"), tone }
    return index === 0 ? [piece] : [{ text: " ".repeat(gap), tone: "plain" as const }, piece]
  })

/** The headings above the columns. */
export const headingLine = (columns: ReadonlyArray<Column>): string =>
  columns
    .map(({ name, width }) => inCells(columnSpecs[name].heading, width, columnSpecs[name].align, ""))
    .join(" ".repeat(gap))

/** The text of a line without its meaning. */
export const joined = (pieces: ReadonlyArray<Piece>): string => pieces.map(({ text }) => text).join("")
