/**
 * The whole screen of a model: exactly one row less than the terminal has, each line exactly as wide as the terminal. Pure
 * and total: every size gives a frame.
 */
import { type Dialog, isHelp } from "../model/Dialog.js"
import { listingOf, selectedRun } from "../model/items.js"
import { keeping, keepingWhile } from "../model/keeping.js"
import type { Model } from "../model/Model.js"
import { phaseOf } from "../model/Run.js"
import { glyphsOf } from "../theme/glyphs.js"
import { box, innerWidth } from "./box.js"
import { detailLines, peekLines } from "./detail.js"
import { dialogBlocks } from "./dialogs.js"
import { emptyLines } from "./empty.js"
import { footerLine } from "./footer.js"
import { type Geometry, geometryOf, minimum } from "./geometry.js"
import { headerLines } from "./header.js"
import { helpBlocks } from "./help.js"
import { blank, fitLine, type Line, lineOf, lineWidth, span } from "./Line.js"
import { listLines } from "./list.js"
import { logScreenLines } from "./logScreen.js"
import { tasksBody } from "./tasksScreen.js"

const tooSmall = (model: Model): ReadonlyArray<Line> => {
  const { columns, rows } = model.size
  return [
    lineOf(`Terminal ${columns}x${rows} is too small (need ${minimum.columns}x${minimum.rows})`),
    lineOf("q quits", "dim")
  ]
}

/** A rule with something in it. */
const ruleWith = (text: string, width: number, model: Model): Line => {
  const glyphs = glyphsOf(model.settings.ascii)
  const head: Line = text === "" ? [] : [span(glyphs.horizontal.repeat(4), "dim"), span(` ${text} `)]
  return [...head, span(glyphs.horizontal.repeat(Math.max(0, width - lineWidth(head))), "dim")]
}

/** A rule that meets the line between list and details. */
const ruleSplit = (left: number, width: number, tee: string, model: Model): Line => {
  const glyphs = glyphsOf(model.settings.ascii)
  return lineOf(
    `${glyphs.horizontal.repeat(left)}${tee}${glyphs.horizontal.repeat(Math.max(0, width - left - 1))}`,
    "dim"
  )
}

const dialogLines = (model: Model, width: number, height: number): ReadonlyArray<Line> => {
  const glyphs = glyphsOf(model.settings.ascii)
  const { dialog } = model
  if (dialog === null) return []
  const blocks = isHelp(dialog)
    ? helpBlocks(model, dialog, width, height)
    : dialogBlocks(model, dialog, innerWidth(width, height), height)
  return box(blocks, width, height, glyphs)
}

const keptRows: Array<ReturnType<typeof keeping<Line>>> = []

/** List and details beside each other. */
const beside = (
  left: ReadonlyArray<Line>,
  right: ReadonlyArray<Line>,
  geometry: Geometry,
  model: Model
): ReadonlyArray<Line> => {
  const glyphs = glyphsOf(model.settings.ascii)
  const wall = span(glyphs.vertical, model.pane === "detail" ? "accent" : "dim")
  return Array.from({ length: geometry.body }, (_, row): Line => {
    const [mine, other] = [left[row] ?? blank, right[row] ?? blank]
    keptRows[row] ??= keeping<Line>()
    return keptRows[row]([mine, other, geometry.list.width, geometry.side.width, glyphs, wall.tone], () => [
      ...fitLine(mine, geometry.list.width, { ellipsis: glyphs.ellipsis }),
      wall,
      ...fitLine([span(" "), ...other], geometry.side.width, { ellipsis: glyphs.ellipsis })
    ])
  })
}

/** Ids of the selected run, in the rule above the strip. */
const peekTitle = (model: Model): string => {
  const run = selectedRun(model)
  if (run === null) return ""
  const { horizontal } = glyphsOf(model.settings.ascii)
  const session = phaseOf(run).providerSession
  return [run.checkpoint.id, run.checkpoint.agent, ...(session === null ? [] : [session.id])].join(` ${horizontal} `)
}

/** How many lines of the list stay above a dialog where it stands below. */
const listAboveDialog = 3

/** What the body does not show, or shows as the time passes, which its texts tell of themselves. */
const besides: ReadonlySet<string> = new Set(["now", "connection", "toast", "focused"] satisfies Array<keyof Model>)
/** The same for the details, beside which a list moves and its signs turn. */
const beyond: ReadonlySet<string> = new Set([...besides, "spin", "listTop", "marks"])

/** The same for the header: it shows the time itself. */
const outside: ReadonlySet<string> = new Set(["spin", "toast", "focused", "listTop", "detail"] satisfies Array<
  keyof Model
>)

const madeFrom = (model: Model, without: ReadonlySet<string>): ReadonlyArray<unknown> => [
  ...Object.entries(model).flatMap(([name, value]) => (without.has(name) ? [] : [value])),
  model.connection._tag,
  listingOf(model)
]

const keptDetails = keepingWhile<ReadonlyArray<Line>>()
const keptHeader = keeping<ReadonlyArray<Line>>()
const keptBody = keepingWhile<ReadonlyArray<Line>>()

const details = (model: Model, width: number, height: number, scrolled: boolean): ReadonlyArray<Line> =>
  keptDetails([...madeFrom(model, beyond), width, height, scrolled], model.now, () =>
    detailLines(model, width, height, scrolled)
  )

const peek = (model: Model, width: number, height: number): ReadonlyArray<Line> =>
  keptDetails([...madeFrom(model, beyond), width, height], model.now, () => peekLines(model, width, height))

const body = (model: Model, geometry: Geometry): ReadonlyArray<Line> => {
  const { columns, body: height, mode } = geometry
  const { dialog } = model
  const list = (rows: number): ReadonlyArray<Line> => listLines(model, geometry, geometry.list.width, rows)
  const whole = mode === "narrow" || mode === "bare" || model.screen !== "list" || takesBody(dialog)
  if (dialog !== null && whole) return dialogLines(model, columns, height)
  if (model.screen === "detail")
    return details(model, columns - 2, height, true).map((line): Line => [span(" "), ...line])
  const empty = dialog === null ? emptyLines(model, columns) : null
  if (empty !== null) return empty
  switch (mode) {
    case "split":
      return beside(
        list(height),
        dialog === null
          ? details(model, geometry.side.width - 2, height, model.pane === "detail")
          : dialogLines(model, geometry.side.width - 1, height),
        geometry,
        model
      )
    case "stacked": {
      if (dialog !== null) {
        const above = Math.min(listAboveDialog, Math.max(0, height - 16))
        return [...list(above), ...dialogLines(model, columns, height - above)]
      }
      return [
        ...list(geometry.list.height),
        ruleWith(peekTitle(model), columns, model),
        ...peek(model, columns, geometry.side.height)
      ]
    }
    case "narrow":
      return [
        ...list(geometry.list.height),
        ruleWith("", columns, model),
        ...peek(model, columns, geometry.side.height)
      ]
    default:
      return list(height)
  }
}

/** The frame's lines: `rows - 1` of them, at least one. */
export const frameOf = (model: Model): ReadonlyArray<Line> => {
  const geometry = geometryOf(model)
  const { columns, height, mode } = geometry
  const { ellipsis, teeDown, teeUp } = glyphsOf(model.settings.ascii)
  const exact = (lines: ReadonlyArray<Line>, count: number): ReadonlyArray<Line> =>
    Array.from({ length: count }, (_, index) => fitLine(lines[index] ?? blank, columns, { ellipsis }))
  if (mode === "tooSmall") return exact(tooSmall(model), height)
  if (model.screen === "log" && model.dialog === null) {
    return exact([...logScreenLines(model, geometry), ruleWith("", columns, model), footerLine(model, columns)], height)
  }
  if (model.screen === "tasks") {
    return exact(
      [
        ...exact(headerLines(model, geometry), geometry.header - 1),
        ruleWith("", columns, model),
        ...exact(
          model.dialog === null ? tasksBody(model, geometry) : dialogLines(model, columns, geometry.body),
          geometry.body
        ),
        ruleWith("", columns, model),
        footerLine(model, columns)
      ],
      height
    )
  }
  const header = keptHeader([...madeFrom(model, outside), geometry.columns], () =>
    exact(headerLines(model, geometry), geometry.header - 1)
  )
  const split = mode === "split" && model.screen === "list" && !coversBody(model, columns)
  const rule = (tee: string): Line =>
    split ? ruleSplit(geometry.list.width, columns, tee, model) : ruleWith("", columns, model)
  return [
    ...header,
    ...exact([rule(teeDown)], 1),
    ...keptBody(madeFrom(model, besides), model.now, () => exact(body(model, geometry), geometry.body)),
    ...exact([rule(teeUp), footerLine(model, columns)], 2)
  ]
}

/** Whether one thing takes the whole body, so that there is no line between two panes. */
const coversBody = (model: Model, columns: number): boolean =>
  model.dialog === null ? emptyLines(model, columns) !== null : takesBody(model.dialog)

/** Dialogs that need more room than the details leave. */
const takesBody = (dialog: Dialog | null): boolean => dialog !== null && (isHelp(dialog) || dialog.kind === "run")
