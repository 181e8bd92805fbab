/** Actions of the list and of the details. */
import type { Action } from "../keys/keyTable.js"
import { geometryOf } from "../layout/geometry.js"
import { itemHeight } from "../layout/listWindow.js"
import { type Item, itemIndex, listingOf, selectedItem, selectedRun } from "../model/items.js"
import { groupings, type Model, type Preferences, previewPlaces, type Tab } from "../model/Model.js"
import { sortKeys } from "../model/sort.js"
import { themeNames } from "../theme/theme.js"
import { openCancel, openHelp, openRename, openResume, openRun } from "./openDialog.js"
import { openLog } from "./openLog.js"
import { unavailable } from "./sentences.js"
import { asked } from "./settle.js"
import { asking, type Step, stay, twinOf, withToast } from "./step.js"
import { openTasks } from "./tasks.js"
import { transcriptOf } from "./transcript.js"

const select = (model: Model, item: Item | undefined): Step =>
  item === undefined
    ? stay(model)
    : stay({ ...model, selected: item.key, selectedIndex: itemIndex(listingOf(model).items, item.key) })

const moveBy = (model: Model, by: number): Step => {
  const { items } = listingOf(model)
  if (items.length === 0) return stay(model)
  const at = Math.max(0, itemIndex(items, model.selected))
  return select(model, items[Math.min(items.length - 1, Math.max(0, at + by))])
}

/** How many items a page of the list is. */
const pageOf = (model: Model): number => {
  const geometry = geometryOf(model)
  const { items } = listingOf(model)
  const tall = items.some((item) => itemHeight(item, geometry.mode) > 1)
  return Math.max(1, Math.floor(geometry.list.height / (tall ? 2 : 1)) - 1)
}

const scrollDetail = (model: Model, by: number): Step =>
  stay({ ...model, detailTop: Math.max(0, model.detailTop + by) })

const inDetail = (model: Model): boolean => model.screen === "detail" || model.pane === "detail"

const detailPage = (model: Model): number => Math.max(1, geometryOf(model).body - 2)

const next = <Value>(values: ReadonlyArray<Value>, value: Value): Value =>
  values[(values.indexOf(value) + 1) % values.length] ?? value

const prefer = (model: Model, change: Partial<Preferences>, toast: string): Step => {
  const preferences = { ...model.preferences, ...change }
  return asking(withToast({ ...model, preferences }, toast), { _tag: "SavePreferences", preferences })
}

const tab = (model: Model, name: Tab): Step =>
  stay({ ...model, tab: name, screen: "list", selected: null, selectedIndex: 0, listTop: 0 })

const back = (model: Model): Step => {
  if (model.screen !== "list") return stay({ ...model, screen: "list" })
  if (model.pane === "detail") return stay({ ...model, pane: "list" })
  if (model.marks.size > 0) return stay({ ...model, marks: new Set() })
  if (model.filter !== "") return stay({ ...model, filter: "" })
  return stay(model)
}

/** The lists are read anew: what is asked of the store has changed. */
export const reread = (model: Model): Step => {
  const generation = model.generation + 1
  const changed = { ...model, generation }
  return asking(changed, { _tag: "Refresh", generation, ...asked(changed) })
}

const marked = (model: Model): ReadonlyArray<string> => {
  const run = selectedRun(model)
  return model.marks.size > 0 ? [...model.marks] : run === null ? [] : [run.checkpoint.id]
}

const dismiss = (model: Model): Step => {
  const ids = marked(model).filter((id) => {
    const run = model.runs.get(id)
    return run !== undefined && run.checkpoint.state !== "running" && run.checkpoint.dismissedAt === null
  })
  if (ids.length === 0) return stay(withToast(model, "None of the marked runs can be dismissed.", "warn"))
  return asking(
    { ...model, marks: new Set() },
    { _tag: "Dismiss", ids, twin: twinOf(model, ["runs", "dismiss", ...ids]) }
  )
}

const mark = (model: Model): Step => {
  const item = selectedItem(model)
  if (item?.kind !== "run") return stay(model)
  const id = item.run.checkpoint.id
  const marks = new Set(model.marks)
  if (!marks.delete(id)) marks.add(id)
  return moveBy({ ...model, marks }, 1)
}

const markAll = (model: Model): Step => {
  const ids = listingOf(model).items.flatMap((item) => (item.kind === "run" ? [item.run.checkpoint.id] : []))
  return stay({ ...model, marks: ids.every((id) => model.marks.has(id)) ? new Set() : new Set(ids) })
}

const open = (model: Model): Step => {
  const item = selectedItem(model)
  if (item === null) return stay(model)
  if (item.kind === "run") return stay({ ...model, screen: "detail", selected: item.key })
  const folded = new Set(model.folded)
  if (!folded.delete(item.key)) folded.add(item.key)
  return stay({ ...model, folded, selected: item.key })
}

const copy = (model: Model, text: string, what: string): Step => asking(model, { _tag: "Copy", text, what })

const move = (model: Model, action: Action): Step | null => {
  const detail = inDetail(model)
  switch (action) {
    case "up":
      return detail ? scrollDetail(model, -1) : moveBy(model, -1)
    case "down":
      return detail ? scrollDetail(model, 1) : moveBy(model, 1)
    case "pageUp":
      return detail ? scrollDetail(model, -detailPage(model)) : moveBy(model, -pageOf(model))
    case "pageDown":
      return detail ? scrollDetail(model, detailPage(model)) : moveBy(model, pageOf(model))
    case "halfUp":
      return detail
        ? scrollDetail(model, -Math.ceil(detailPage(model) / 2))
        : moveBy(model, -Math.ceil(pageOf(model) / 2))
    case "halfDown":
      return detail
        ? scrollDetail(model, Math.ceil(detailPage(model) / 2))
        : moveBy(model, Math.ceil(pageOf(model) / 2))
    case "first":
      return detail ? stay({ ...model, detailTop: 0 }) : select(model, listingOf(model).items[0])
    case "last":
      // Beyond the end: the layout shows the last page.
      return detail ? stay({ ...model, detailTop: 100_000 }) : select(model, listingOf(model).items.at(-1))
    default:
      return null
  }
}

/** Does what a key of the list or the details stands for. */
export const act = (model: Model, action: Action): Step => {
  const why = unavailable(model, action)
  if (why !== null) return stay(withToast(model, why, "warn"))
  const moved = move(model, action)
  if (moved !== null) return moved
  const run = selectedRun(model)
  switch (action) {
    case "open":
      return open(model)
    case "back":
      return back(model)
    case "nextPane":
    case "previousPane":
      return stay(
        model.screen === "list" && geometryOf(model).mode === "split"
          ? { ...model, pane: model.pane === "list" ? "detail" : "list" }
          : { ...model, screen: model.screen === "list" && run !== null ? "detail" : "list" }
      )
    case "tabAll":
      return tab(model, "all")
    case "tabAttention":
      return tab(model, "attention")
    case "tabLive":
      return tab(model, "live")
    case "tabHistory":
      return tab(model, "history")
    case "resume":
      return openResume(model, marked(model))
    case "cancel":
      return openCancel(model, marked(model))
    case "newRun":
      return openRun(model, null)
    case "followUp":
      return openRun(model, run === null ? null : { id: run.checkpoint.sessionId, title: run.checkpoint.title })
    case "rename":
      return run === null ? stay(model) : openRename(model, run)
    case "dismiss":
      return dismiss(model)
    case "takeOver":
      return run === null ? stay(model) : asking(model, { _tag: "Foreground", argv: ["open", run.checkpoint.id] })
    case "mark":
      return mark(model)
    case "markAll":
      return markAll(model)
    case "copyId":
      return run === null ? stay(model) : copy(model, run.checkpoint.id, run.checkpoint.id)
    case "copyCommand":
      return run === null
        ? stay(model)
        : copy(model, twinOf(model, ["resume", run.checkpoint.id]), "the resume command")
    case "log":
      return run === null ? stay(model) : openLog(model, run.checkpoint.id)
    case "transcript":
      return asking(model, { _tag: "PageText", text: transcriptOf(model) })
    case "filter":
      return stay({ ...model, filtering: { text: model.filter, cursor: model.filter.length } })
    case "sort": {
      const sort = next(sortKeys, model.preferences.sort)
      return prefer(model, { sort }, `Sorted by ${sort}.`)
    }
    case "reverse":
      return prefer(
        model,
        { reverse: !model.preferences.reverse },
        model.preferences.reverse ? "Usual order." : "Reversed order."
      )
    case "preview": {
      const preview = next(previewPlaces, model.preferences.preview)
      return prefer({ ...model, pane: "list" }, { preview }, `Preview: ${preview}.`)
    }
    case "time": {
      const time = model.preferences.time === "relative" ? "absolute" : "relative"
      return prefer(model, { time }, `Times: ${time}.`)
    }
    case "grouping": {
      const grouping = next(groupings, model.preferences.grouping)
      return prefer({ ...model, selected: null, listTop: 0 }, { grouping }, `Grouped by ${grouping}.`)
    }
    case "theme": {
      const theme = next(themeNames, model.preferences.theme)
      return prefer(model, { theme }, `Theme: ${theme}.`)
    }
    case "here": {
      const here = !model.here
      return reread(
        withToast({ ...model, here, selected: null, listTop: 0 }, here ? "Only this folder." : "All folders.")
      )
    }
    case "demo":
      return asking(withToast(model, "Starting the demo agent…"), {
        _tag: "Launch",
        argv: ["run", "--provider", "demo", "-"],
        input: demoPrompt,
        from: null,
        twin: twinOf(model, ["run", "--provider", "demo", "--detach", demoPrompt])
      })
    case "import":
      return asking(withToast(model, "Bringing in conversations…"), { _tag: "Import", twin: twinOf(model, ["import"]) })
    case "tasks":
      return openTasks(model)
    case "palette":
      return openHelp(model, "palette")
    case "help":
      return openHelp(model, "help")
    case "reconnect":
      return reread(withToast(model, "Reading everything again…"))
    case "mouse":
      return asking(
        withToast(
          { ...model, mouse: !model.mouse },
          model.mouse ? "Mouse off: the terminal selects text." : "Mouse on: wheel and click."
        ),
        { _tag: "Mouse", on: !model.mouse }
      )
    case "redraw":
      return asking(model, { _tag: "Repaint" })
    case "suspend":
      return asking(model, { _tag: "Suspend" })
    case "quit":
      return asking(model, { _tag: "Quit" })
    default:
      return stay(model)
  }
}

const demoPrompt = "Survey this folder"
