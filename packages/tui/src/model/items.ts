/** The list as it stands: groups with their counts and rows, filtered, sorted, folded. */
import { type Filter, isEmptyFilter, matches, parseFilter } from "./filter.js"
import { keeping } from "./keeping.js"
import type { Model } from "./Model.js"
import { type GroupName, groupNames, groupOf, groupTitles, phaseOf, type Run } from "./Run.js"
import { sorted } from "./sort.js"

/** How many runs a group has: `exact` unless there are pages that were not read and nothing else tells the number. */
export interface Count {
  readonly value: number
  readonly exact: boolean
}

export type Item =
  | {
      readonly kind: "group"
      readonly key: string
      readonly title: string
      readonly count: Count
      readonly folded: boolean
    }
  | { readonly kind: "run"; readonly key: string; readonly run: Run; readonly group: GroupName }

export interface Listing {
  readonly items: ReadonlyArray<Item>
  /** Runs that can be reached by moving down, folded ones aside. */
  readonly reachable: Count
  /** Of the three groups, with the filter applied. */
  readonly counts: Readonly<Record<GroupName, Count>>
  /** Runs that the filter or the folder hides; not exact while pages are unread. */
  readonly hidden: Count
  /** Index of the last item of each group that has pages left to read. */
  readonly unfinished: ReadonlyArray<{ readonly group: GroupName; readonly end: number }>
}

const inTab = (model: Model, group: GroupName): boolean => model.tab === "all" || model.tab === group

const finished = (model: Model, group: GroupName): boolean =>
  model.connection._tag !== "Starting" && model.paging[group].cursors.every((cursor) => cursor === null)

/** What the store counts in a group, the filter aside. Dismissed runs are not counted there: those read are added. */
const stored = (model: Model, group: GroupName, runs: ReadonlyArray<Run>): number | null => {
  const { counts } = model
  if (counts === null) return null
  if (group === "live") return counts.running
  if (group === "attention") return counts.interrupted + counts.failed
  return counts.completed + counts.cancelled + runs.filter(({ checkpoint }) => checkpoint.dismissedAt !== null).length
}

/** The filter in force: what is being typed counts at once. */
export const filterOf = (model: Model): Filter => parseFilter(model.filtering?.text ?? model.filter)

const isHere = (model: Model, { checkpoint }: Run): boolean =>
  !model.here || checkpoint.spec.workspace.realPath === model.settings.realCwd

const build = (model: Model): Listing => {
  const filter = filterOf(model)
  const narrowed = model.here || !isEmptyFilter(filter)
  const all: Record<GroupName, Array<Run>> = { attention: [], live: [], history: [] }
  for (const run of model.runs.values()) all[groupOf(run.checkpoint)].push(run)
  const { sort, reverse, grouping } = model.preferences
  const shown: Record<GroupName, ReadonlyArray<Run>> = { attention: [], live: [], history: [] }
  const counts: Record<GroupName, Count> = {
    attention: { value: 0, exact: true },
    live: { value: 0, exact: true },
    history: { value: 0, exact: true }
  }
  let hidden = 0
  let hiddenExact = true
  for (const group of groupNames) {
    const runs = all[group].filter((run) => isHere(model, run) && matches(filter, run, model.now))
    shown[group] = sorted(runs, sort, reverse)
    const done = finished(model, group)
    const total = stored(model, group, all[group])
    counts[group] =
      done || (narrowed && runs.length > 0)
        ? { value: runs.length, exact: done }
        : narrowed || total === null
          ? { value: runs.length, exact: false }
          : { value: Math.max(total, runs.length), exact: true }
    if (narrowed && total !== null) hidden += Math.max(0, Math.max(total, all[group].length) - runs.length)
    hiddenExact &&= done
  }
  const items: Array<Item> = []
  const unfinished: Array<Listing["unfinished"][number]> = []
  if (grouping === "need") {
    for (const group of groupNames) {
      if (!inTab(model, group)) continue
      const runs = shown[group]
      const count = counts[group]
      if (count.value === 0 && count.exact) continue
      const key = `group:${group}`
      const folded = model.folded.has(key)
      items.push({ kind: "group", key, title: groupTitles[group], count, folded })
      // A failed run is never folded away.
      const visible = folded
        ? runs.filter(({ checkpoint }) => group === "attention" && checkpoint.state === "failed")
        : runs
      for (const run of visible) items.push({ kind: "run", key: `run:${run.checkpoint.id}`, run, group })
      if (!finished(model, group) && !folded) unfinished.push({ group, end: items.length - 1 })
    }
  } else {
    const tabbed = groupNames.filter((group) => inTab(model, group))
    const buckets = new Map<string, Array<{ readonly run: Run; readonly group: GroupName }>>()
    for (const group of tabbed) {
      for (const run of shown[group]) {
        const name = grouping === "folder" ? run.folder : phaseOf(run).provider
        buckets.set(name, [...(buckets.get(name) ?? []), { run, group }])
      }
    }
    const exact = tabbed.every((group) => finished(model, group))
    for (const [name, members] of [...buckets].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const key = `group:${grouping}:${name}`
      const folded = model.folded.has(key)
      items.push({ kind: "group", key, title: name, count: { value: members.length, exact }, folded })
      for (const { run, group } of members) {
        if (!folded || run.checkpoint.state === "failed") {
          items.push({ kind: "run", key: `run:${run.checkpoint.id}`, run, group })
        }
      }
    }
    for (const group of tabbed) if (!finished(model, group)) unfinished.push({ group, end: items.length - 1 })
  }
  const reachable = items.reduce<Count>(
    (sum, item) =>
      item.kind === "run" || item.folded
        ? sum
        : { value: sum.value + item.count.value, exact: sum.exact && item.count.exact },
    { value: 0, exact: true }
  )
  return { items, reachable, counts, hidden: { value: hidden, exact: hiddenExact }, unfinished }
}

/** The same places with the runs as they are now; those that are gone have none. */
const withPresent = (listing: Listing, runs: Model["runs"]): Listing => ({
  ...listing,
  items: listing.items.flatMap((item): ReadonlyArray<Item> => {
    if (item.kind === "group") return [item]
    const run = runs.get(item.run.checkpoint.id)
    return run === undefined ? [] : [{ ...item, run }]
  })
})

const kept = keeping<Listing>()

/** The listing of a model; built once for as long as nothing of it changes. */
export const listingOf = (model: Model): Listing => {
  const { connection, filter, filtering, folded, held, here, now, paging, preferences, settings, tab } = model
  const { counts, runs } = held ?? model
  const text = filtering?.text ?? filter
  const { grouping, reverse, sort } = preferences
  return kept(
    [
      runs,
      paging,
      counts,
      connection._tag === "Starting",
      tab,
      here,
      settings,
      folded,
      grouping,
      reverse,
      sort,
      text,
      // Only a filter asks for the time.
      text === "" ? 0 : now,
      runs === model.runs ? null : model.runs
    ],
    () => (held === null ? build(model) : withPresent(build({ ...model, runs, counts }), model.runs))
  )
}

export const itemIndex = (items: ReadonlyArray<Item>, key: string | null): number =>
  key === null ? items.findIndex(({ kind }) => kind === "run") : items.findIndex((item) => item.key === key)

/** The selected item; the first run where nothing is selected. */
export const selectedItem = (model: Model): Item | null => {
  const { items } = listingOf(model)
  return items[itemIndex(items, model.selected)] ?? null
}

export const selectedRun = (model: Model): Run | null => {
  const item = selectedItem(model)
  return item?.kind === "run" ? item.run : null
}

/** `14`, or `100+` while there are pages that were not read. */
export const countText = ({ value, exact }: Count): string => (exact ? `${value}` : `${value}+`)
