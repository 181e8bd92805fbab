/** The full log: what is shown, following, scrolling, finding. */
import type { Action } from "../keys/keyTable.js"
import { geometryOf } from "../layout/geometry.js"
import { type LogLine, logLines, logWindow, moveTop, rowsOf } from "../layout/logLines.js"
import type { LogView, Model, Preferences } from "../model/Model.js"
import { emptyField, fieldOf } from "../model/textField.js"
import { act } from "./lists.js"
import { asking, type Step, stay, withToast } from "./step.js"

/** Lines of the log's window. */
export const logHeight = (model: Model): number => Math.max(1, geometryOf(model).height - 4)

const withLog = (model: Model, change: Partial<LogView>): Model =>
  model.log === null ? model : { ...model, log: { ...model.log, ...change } }

/** Stops following and moves by rows; at the end it follows again. */
const scroll = (model: Model, log: LogView, by: number): Step => {
  const lines = logLines(model)
  const { columns } = geometryOf(model)
  const view = rowsOf(model, columns)
  const { top, atEnd } = moveTop(lines, log.follow ? null : log.top, by, logHeight(model), view)
  if (atEnd && by > 0) return stay(withLog(model, { follow: true, top, seen: lines.length }))
  return stay(withLog(model, { follow: false, top, seen: log.follow ? lines.length : log.seen }))
}

const prefer = (model: Model, change: Partial<Preferences>, toast: string): Step => {
  const preferences = { ...model.preferences, ...change }
  return asking(withToast({ ...model, preferences }, toast), { _tag: "SavePreferences", preferences })
}

/** The next line with the text, from a line on, around the end. */
export const findLine = (lines: ReadonlyArray<LogLine>, text: string, from: number, by: 1 | -1): number | null => {
  const wanted = text.toLowerCase()
  for (let step = 0; step < lines.length; step++) {
    const index = (((from + step * by) % lines.length) + lines.length) % lines.length
    if (lines[index]?.text.toLowerCase().includes(wanted) === true) return index
  }
  return null
}

const jump = (model: Model, log: LogView, by: 1 | -1, fromHere: boolean): Step => {
  const lines = logLines(model)
  if (log.find === "" || lines.length === 0) return stay(model)
  const shown = logWindow(model, logHeight(model), geometryOf(model).columns)
  const start = log.found === null || fromHere ? (shown[0]?.index ?? 0) : log.found + by
  const found = findLine(lines, log.find, start, by)
  if (found === null) return stay(withToast(withLog(model, { found: null }), `"${log.find}" was not found.`, "warn"))
  return stay(
    withLog(model, {
      found,
      follow: false,
      top: { line: Math.max(0, found - 2), row: 0 },
      seen: log.follow ? lines.length : log.seen
    })
  )
}

/** Does what a key of the log stands for. */
export const actInLog = (model: Model, action: Action): Step => {
  const { log } = model
  if (log === null) return act(model, action)
  const page = logHeight(model)
  switch (action) {
    case "up":
      return scroll(model, log, -1)
    case "down":
      return scroll(model, log, 1)
    case "pageUp":
      return scroll(model, log, -page)
    case "pageDown":
      return scroll(model, log, page)
    case "halfUp":
      return scroll(model, log, -Math.ceil(page / 2))
    case "halfDown":
      return scroll(model, log, Math.ceil(page / 2))
    case "first":
      return stay(
        withLog(model, {
          follow: false,
          top: { line: 0, row: 0 },
          seen: log.follow ? logLines(model).length : log.seen
        })
      )
    case "last":
      return stay(withLog(model, { follow: true }))
    case "follow":
      return log.follow ? scroll(model, log, 0) : stay(withLog(model, { follow: true }))
    case "back":
    case "log":
      return asking(
        { ...model, screen: log.from === "tasks" ? "tasks" : action === "log" ? "detail" : "list", log: null },
        { _tag: "FollowRaw", id: null }
      )
    case "wrap":
      return prefer(
        model,
        { wrap: !model.preferences.wrap },
        model.preferences.wrap ? "Long lines are cut." : "Long lines wrap."
      )
    case "timestamps":
      return prefer(
        model,
        { timestamps: !model.preferences.timestamps },
        model.preferences.timestamps ? "Without times." : "With times."
      )
    case "raw": {
      const source = log.source === "events" ? "raw" : "events"
      return asking(withLog(model, { source, raw: [], follow: true, found: null }), {
        _tag: "FollowRaw",
        id: source === "raw" ? log.id : null
      })
    }
    case "find":
      return stay(withLog(model, { typing: log.find === "" ? emptyField : fieldOf(log.find) }))
    case "findNext":
      return jump(model, log, 1, false)
    case "findPrevious":
      return jump(model, log, -1, false)
    case "copyId": {
      const shown = logWindow(model, logHeight(model), geometryOf(model).columns)
      const index = log.found ?? shown.at(-1)?.index
      const line = index === undefined ? undefined : logLines(model)[index]
      return line === undefined ? stay(model) : asking(model, { _tag: "Copy", text: line.text, what: "the line" })
    }
    case "copyCommand": {
      const shown = logWindow(model, logHeight(model), geometryOf(model).columns)
      const indices = [...new Set(shown.map(({ index }) => index))]
      const text = indices.flatMap((index) => logLines(model)[index]?.text ?? []).join("\n")
      return asking(model, { _tag: "Copy", text, what: "what is shown" })
    }
    default:
      return act(model, action)
  }
}

/** What was typed to find is looked for. */
export const findTyped = (model: Model): Step => {
  const { log } = model
  if (log === null || log.typing === null) return stay(model)
  const find = log.typing.text
  const changed: LogView = { ...log, typing: null, find, found: null }
  return jump({ ...model, log: changed }, changed, 1, true)
}

export const rawRead = (
  model: Model,
  { id, lines, first }: { readonly id: string; readonly lines: LogView["raw"]; readonly first: boolean }
): Step => {
  const { log } = model
  if (log === null || log.id !== id || log.source !== "raw") return stay(model)
  const all = first ? lines : [...log.raw, ...lines]
  const raw = all.length > maxRaw ? all.slice(all.length - maxRaw) : all
  return stay({ ...model, log: { ...log, raw } })
}

/** Raw lines kept in memory at most. */
const maxRaw = 5000
