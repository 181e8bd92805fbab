/** Help and palette: the same entries; help in columns by section, the palette and a search as a list. */

import { sections } from "../keys/keyTable.js"
import { type CommandEntry, commandEntries } from "../model/commands.js"
import type { HelpDialog } from "../model/Dialog.js"
import type { Model } from "../model/Model.js"
import { type Glyphs, glyphsOf, sayIn } from "../theme/glyphs.js"
import { type Block, blockOf } from "./blocks.js"
import { hasBorder, innerWidth } from "./box.js"
import { fit } from "./cells.js"
import { inField } from "./field.js"
import { blank, fitLine, inverted, type Line, lineOf, span, spread } from "./Line.js"

const keyWidth = 12

const entryLine = (entry: CommandEntry, width: number, selected: boolean, glyphs: Glyphs): Line => {
  const tone = entry.why === null ? "plain" : "dim"
  const line: Line = [
    span(selected ? `${glyphs.cursor} ` : "  ", "strong"),
    span(fit(sayIn(glyphs, entry.keys), keyWidth, glyphs.ellipsis), entry.why === null ? "accent" : "dim"),
    span(sayIn(glyphs, entry.binding.title), tone)
  ]
  const whole = fitLine(line, width, { ellipsis: glyphs.ellipsis })
  return selected ? inverted(whole) : whole
}

/** A window of lines around the selected one. */
const around = (lines: ReadonlyArray<Line>, index: number, height: number): ReadonlyArray<Line> => {
  const top = Math.max(0, Math.min(index - Math.floor(height / 2), lines.length - height))
  return lines.slice(top, top + height)
}

/** Sections beside each other, each with its heading; how many columns depends on the width. */
const inColumns = (
  model: Model,
  entries: ReadonlyArray<CommandEntry>,
  selected: number,
  width: number,
  height: number
): ReadonlyArray<Line> => {
  const glyphs = glyphsOf(model.settings.ascii)
  const count = width >= 108 ? 3 : width >= 72 ? 2 : 1
  const columnWidth = Math.floor((width - (count - 1) * 2) / count)
  const all: Array<{ readonly line: Line; readonly index: number }> = []
  for (const section of sections) {
    const mine = entries.flatMap((entry, index) => (entry.binding.section === section ? [{ entry, index }] : []))
    if (mine.length === 0) continue
    all.push({ line: fitLine(lineOf(section, "heading"), columnWidth, glyphs), index: -1 })
    for (const { entry, index } of mine)
      all.push({ line: entryLine(entry, columnWidth, index === selected, glyphs), index })
    if (count > 1) all.push({ line: fitLine(blank, columnWidth, glyphs), index: -1 })
  }
  const rows = Math.ceil(all.length / count)
  const at = all.findIndex(({ index }) => index === selected)
  const grid = Array.from(
    { length: rows },
    (_, row): Line =>
      Array.from(
        { length: count },
        (_, column) => all[column * rows + row]?.line ?? fitLine(blank, columnWidth, glyphs)
      ).flatMap((line, column): Line => (column === 0 ? line : [span("  "), ...line]))
  )
  return around(grid, at < 0 ? 0 : at % rows, height)
}

export const helpBlocks = (model: Model, dialog: HelpDialog, width: number, height: number): ReadonlyArray<Block> => {
  const glyphs = glyphsOf(model.settings.ascii)
  const inner = innerWidth(width, height)
  const room = Math.max(1, (hasBorder(width, height) ? height - 2 : height) - 3)
  const entries = commandEntries(model, dialog.field.text)
  const selected = entries[dialog.selected]
  const hint = sayIn(glyphs, "type to search · enter runs · esc close")
  const title = dialog.kind === "help" ? "Keys" : "Commands"
  const typed =
    dialog.field.text === ""
      ? [span(title, "heading")]
      : [span("/ ", "accent"), ...inField(dialog.field, Math.max(6, Math.floor(inner / 2))).line]
  const lines =
    dialog.field.text === "" && dialog.kind === "help"
      ? inColumns(model, entries, dialog.selected, inner, room)
      : entries.length === 0
        ? [lineOf("  Nothing is called that.", "dim")]
        : around(
            entries.map((entry, index) => entryLine(entry, inner, index === dialog.selected, glyphs)),
            dialog.selected,
            room
          )
  const about =
    selected === undefined
      ? ""
      : (selected.why ??
        (selected.binding.twin === null ? "" : `same as: ${model.settings.program} ${selected.binding.twin}`))
  return [
    blockOf([spread(typed, [span(hint, "dim")], inner, glyphs.ellipsis)]),
    blockOf([blank], { min: 0, rank: 9 }),
    blockOf(lines, { min: 1, rank: 3 }),
    blockOf(
      [
        spread(
          [span(sayIn(glyphs, about), selected?.why == null ? "dim" : "warn")],
          [span(entries.length === 0 ? "" : `${dialog.selected + 1} of ${entries.length}`, "dim")],
          inner,
          glyphs.ellipsis
        )
      ],
      { min: 0, rank: 8 }
    )
  ]
}
