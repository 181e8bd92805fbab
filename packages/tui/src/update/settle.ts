/** What follows from every change: a selection that exists and is on the screen, details for it, pages that are needed. */
import { isEmptyStore } from "../layout/empty.js"
import { geometryOf } from "../layout/geometry.js"
import { offsets, windowOf } from "../layout/listWindow.js"
import type { Command } from "../model/Command.js"
import { narrowing } from "../model/filter.js"
import { filterOf, itemIndex, listingOf, selectedRun } from "../model/items.js"
import type { Model } from "../model/Model.js"
import { asking, type Step, stay } from "./step.js"

/** What the store is asked to narrow its lists by. */
export const asked = (model: Model): { readonly since: number | null; readonly folder: string | null } => ({
  since: narrowing(filterOf(model), model.now).since,
  folder: model.here ? model.settings.realCwd : null
})

const selectionOf = (model: Model): Model => {
  const { items } = listingOf(model)
  if (items.length === 0) return model.selected === null ? model : { ...model, selectedIndex: 0 }
  const found = itemIndex(items, model.selected)
  if (found >= 0) return found === model.selectedIndex ? model : { ...model, selectedIndex: found }
  if (model.selected === null) return model.selectedIndex === 0 ? model : { ...model, selectedIndex: 0 }
  // It is gone: what stands in its place now, a run rather than a heading.
  const at = Math.min(model.selectedIndex, items.length - 1)
  const near = [items[at], items[at + 1], items[at - 1]].find((item) => item?.kind === "run") ?? items[at]
  return near === undefined ? model : { ...model, selected: near.key, selectedIndex: itemIndex(items, near.key) }
}

const windowed = (model: Model): Model => {
  const { items } = listingOf(model)
  const geometry = geometryOf(model)
  const { top } = windowOf(items, itemIndex(items, model.selected), model.listTop, geometry.list.height, geometry.mode)
  return top === model.listTop ? model : { ...model, listTop: top }
}

/** Pages of groups whose end comes near the window. */
const reading = (model: Model): Step => {
  if (model.connection._tag !== "Live") return [model, []]
  const { items, unfinished } = listingOf(model)
  const geometry = geometryOf(model)
  const starts = offsets(items, geometry.mode)
  const wanted = model.listTop + geometry.list.height * 2
  const commands: Array<Command> = []
  let { paging } = model
  for (const { group, end } of unfinished) {
    const at = end < 0 ? 0 : (starts[end] ?? 0)
    const { reading: busy, cursors, retryAt } = paging[group]
    if (busy || at > wanted || (retryAt !== null && model.now < retryAt)) continue
    commands.push({ _tag: "ReadMore", generation: model.generation, group, cursors, ...asked(model) })
    paging = { ...paging, [group]: { cursors, reading: true, retryAt: null } }
  }
  return commands.length === 0 ? [model, []] : [{ ...model, paging }, commands]
}

/** Where there is no run yet, conversations that could become some are looked for, once. */
const importing = (model: Model): Step =>
  model.importable === null && isEmptyStore(model)
    ? asking({ ...model, importable: { counts: [], progress: "looking" } }, { _tag: "CountImportable" })
    : stay(model)

/** An open log is that of the selected run: it goes on with the attempt that took the run's place. */
const withLogOf = (model: Model, id: string | null): Model => {
  const { log } = model
  if (log === null || log.id === id) return model
  if (id === null) return { ...model, log: null, screen: "list" }
  return { ...model, log: { ...log, id, raw: [], follow: true, found: null, top: { line: 0, row: 0 }, seen: 0 } }
}

/** Whether somebody looks at the task lists, or has only a log before them. */
const watchesTasks = ({ log, screen }: Model): boolean =>
  screen === "tasks" || (screen === "log" && log?.from === "tasks")

/** The model at rest, with what it needs next. `before`: the model the change began with. */
export const settle = (before: Model, [changed, commands]: Step): Step => {
  if (changed === before) return [changed, commands]
  const placed = windowed(selectionOf(changed))
  const [lookedFor, imports] = importing(placed)
  const [model, pages] = reading(lookedFor)
  const looks = watchesTasks(model)
  const tasks: ReadonlyArray<Command> = looks === watchesTasks(before) ? [] : [{ _tag: "WatchTasks", on: looks }]
  const id = selectedRun(model)?.checkpoint.id ?? null
  const inspected = model.detail?.id ?? null
  if (id === inspected) return asking(model, ...commands, ...imports, ...pages, ...tasks)
  const detail = id === null ? null : { id, lineage: [], entries: [], decision: null, loaded: false, trouble: null }
  const followed = withLogOf({ ...model, detail, detailTop: 0 }, id)
  const raw: ReadonlyArray<Command> = followed.log?.source === "raw" ? [{ _tag: "FollowRaw", id }] : []
  return asking(followed, ...commands, ...imports, ...pages, ...tasks, { _tag: "Inspect", id }, ...raw)
}
