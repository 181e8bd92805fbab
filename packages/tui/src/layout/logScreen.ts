/** The full log: one line of heading, the rows, what is being looked for. */

import { selectedRun } from "../model/items.js"
import type { Model } from "../model/Model.js"
import { glyphsOf, sayIn } from "../theme/glyphs.js"
import { fit } from "./cells.js"
import { inField } from "./field.js"
import type { Geometry } from "./geometry.js"
import { blank, clipLine, fitLine, inverted, type Line, lineOf, type Span, span, spread } from "./Line.js"
import { stateWord } from "./list.js"
import { logLines, logWindow, wordWidth } from "./logLines.js"
import { clockSeconds } from "./time.js"

/** The text with what was found underlined. */
const marked = (text: string, find: string, tone: Span["tone"]): ReadonlyArray<Span> => {
  if (find === "") return [span(text, tone)]
  const at = text.toLowerCase().indexOf(find.toLowerCase())
  return at < 0
    ? [span(text, tone)]
    : [
        span(text.slice(0, at), tone),
        span(text.slice(at, at + find.length), "accent", { underline: true }),
        span(text.slice(at + find.length), tone)
      ]
}

/** Everything above the footer's rule. */
export const logScreenLines = (model: Model, geometry: Geometry): ReadonlyArray<Line> => {
  const { log } = model
  const run = selectedRun(model)
  const glyphs = glyphsOf(model.settings.ascii)
  const width = geometry.columns
  const height = Math.max(1, geometry.height - 4)
  if (log === null || run === null) return Array.from({ length: height + 2 }, () => blank)
  const lines = logLines(model)
  const fresh = lines.length - log.seen
  const word = stateWord(run, model)
  const following = log.follow
    ? run.checkpoint.state === "running"
      ? "following"
      : "end"
    : fresh > 0 && log.seen > 0
      ? `+${fresh} new · f follow`
      : "paused · f follow"
  const heading = spread(
    [
      span(" "),
      span(run.checkpoint.title.trim() === "" ? "(no title)" : run.checkpoint.title, "strong"),
      span("  "),
      span(word.text, word.tone)
    ],
    [
      span(log.source === "raw" ? "raw output   " : "", "accent"),
      span(log.found === null ? "" : `"${log.find}" line ${log.found + 1}   `, "accent"),
      span(sayIn(glyphs, following), log.follow ? "good" : "warn"),
      span(`   ${lines.length} lines `, "dim")
    ],
    width,
    glyphs.ellipsis
  )
  const rule = lineOf(glyphs.horizontal.repeat(width), "dim")
  const rows = logWindow(model, height, width).map(({ row, text, line, index }): Line => {
    const first = row === 0
    const drawn: Line = [
      span(" "),
      ...(model.preferences.timestamps ? [span(first ? `${clockSeconds(line.at)}  ` : " ".repeat(10), "dim")] : []),
      span(fit(first ? line.word : "", wordWidth, glyphs.ellipsis), line.tone === "plain" ? "dim" : line.tone),
      span(" "),
      ...marked(text, log.find, line.tone)
    ]
    const whole = fitLine(drawn, width, { ellipsis: glyphs.ellipsis })
    return log.found === index ? inverted(whole) : whole
  })
  const empty =
    rows.length > 0
      ? []
      : [lineOf(sayIn(glyphs, model.detail?.loaded === false ? "  reading…" : "  Nothing was said yet."), "dim")]
  const shown = [...rows, ...empty]
  const typing: Line | null =
    log.typing === null
      ? null
      : spread(
          [span(" / ", "accent"), ...inField(log.typing, Math.max(8, width - 30)).line],
          [span("enter find  esc back ", "dim")],
          width,
          glyphs.ellipsis
        )
  return [
    heading,
    rule,
    ...Array.from({ length: height }, (_, index) =>
      typing !== null && index === height - 1 ? typing : clipLine(shown[index] ?? blank, width, glyphs.ellipsis)
    )
  ]
}
