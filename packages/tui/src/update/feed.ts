/** What the store tells: snapshots, pages, changes, owners, details. */
import type { Event } from "@alluka/core"
import { entryOf, withEntries } from "../model/entry.js"
import type { Message, PageRead } from "../model/Message.js"
import type { Model, Paging } from "../model/Model.js"
import { groupNames, groupOf, type Run } from "../model/Run.js"
import { asking, type Step, stay, withToast } from "./step.js"

type Of<Tag extends Message["_tag"]> = Extract<Message, { readonly _tag: Tag }>

const byId = (runs: ReadonlyArray<Run>): ReadonlyArray<readonly [string, Run]> =>
  runs.map((run) => [run.checkpoint.id, run] as const)

const read = (page: PageRead): Paging => ({ cursors: page.cursors, reading: false, retryAt: null })

export const snapshotRead = (model: Model, message: Of<"SnapshotRead">): Step => {
  if (message.generation !== model.generation) return stay(model)
  const { groups } = message
  const runs = new Map(groupNames.flatMap((group) => byId(groups[group].runs)))
  return stay({
    ...model,
    runs,
    paging: { attention: read(groups.attention), live: read(groups.live), history: read(groups.history) },
    held: null,
    counts: message.counts,
    skipped: groupNames.reduce((sum, group) => sum + groups[group].skipped, 0),
    connection: { _tag: "Live", at: message.at }
  })
}

export const pageRead = (model: Model, message: Of<"PageRead">): Step => {
  if (message.generation !== model.generation) return stay(model)
  const { group, page } = message
  // A run that has moved on since the page was asked for is known better already.
  const fresh = page.runs.filter(({ checkpoint }) => {
    const known = model.runs.get(checkpoint.id)
    return known === undefined || known.checkpoint.updatedAt <= checkpoint.updatedAt
  })
  return stay({
    ...model,
    runs: new Map([...model.runs, ...byId(fresh)]),
    held: model.held === null ? null : { ...model.held, runs: new Map([...model.held.runs, ...byId(fresh)]) },
    paging: { ...model.paging, [group]: read(page) },
    skipped: model.skipped + page.skipped
  })
}

/** Before a page that could not be read is asked for again, ms. */
const pageRetryMs = 2000

/** The page is asked for again in a while; that the whole store cannot be read is the feed's to say. */
export const pageFailed = (model: Model, { generation, group, why }: Of<"PageFailed">): Step => {
  if (generation !== model.generation) return stay(model)
  const paging = {
    ...model.paging,
    [group]: { ...model.paging[group], reading: false, retryAt: model.now + pageRetryMs }
  }
  return stay(withToast({ ...model, paging }, `More runs could not be read: ${why}`, "bad"))
}

/** Whether a run belongs on the screen at all, as far as the narrowing of the store's lists goes. */
const wanted = (model: Model, { checkpoint }: Run): boolean =>
  !model.here || checkpoint.spec.workspace.realPath === model.settings.realCwd

export const changesRead = (model: Model, message: Of<"ChangesRead">): Step => {
  const runs = new Map(model.runs)
  for (const run of message.moved) {
    if (runs.has(run.checkpoint.id)) runs.set(run.checkpoint.id, run)
  }
  for (const { rootId, runs: shown } of message.lineages) {
    for (const [id, { checkpoint }] of runs) if (checkpoint.rootId === rootId) runs.delete(id)
    for (const run of shown) if (wanted(model, run)) runs.set(run.checkpoint.id, run)
  }
  for (const id of message.removed) runs.delete(id)
  const noted = notices(model, runs)
  const followed = follow(model, runs)
  const changed: Model = {
    ...model,
    runs,
    ...followed,
    // Who follows a run goes where it is.
    held: followed.selected === model.selected ? model.held : null,
    counts: message.counts ?? model.counts,
    connection: { _tag: "Live", at: message.at },
    marks: kept(model.marks, runs),
    activity: activityOf(model, message.events, runs),
    detail: detailWith(model, message.events)
  }
  return noted.length === 0
    ? stay(changed)
    : asking(changed, ...noted.map((text) => ({ _tag: "Notify", text }) as const))
}

/** The selection goes with the work: to the run just started, or to the attempt that took the selected one's place. */
const follow = (
  model: Model,
  after: ReadonlyMap<string, Run>
): { readonly selected: string | null; readonly awaited: string | null } => {
  const { awaited, selected } = model
  if (awaited !== null && after.has(awaited)) return { selected: `run:${awaited}`, awaited: null }
  const id = selected?.startsWith("run:") === true ? selected.slice(4) : null
  const before = id === null ? undefined : model.runs.get(id)
  if (before === undefined || after.has(before.checkpoint.id)) return { selected, awaited }
  const heir = [...after.values()].find(({ checkpoint }) => checkpoint.rootId === before.checkpoint.rootId)
  return { selected: heir === undefined ? selected : `run:${heir.checkpoint.id}`, awaited }
}

const kept = (marks: ReadonlySet<string>, runs: ReadonlyMap<string, Run>): ReadonlySet<string> =>
  [...marks].every((id) => runs.has(id)) ? marks : new Set([...marks].filter((id) => runs.has(id)))

const activityOf = (
  model: Model,
  events: ReadonlyArray<Event.StoredEvent>,
  runs: ReadonlyMap<string, Run>
): ReadonlyMap<string, string> => {
  const said = events.filter(({ kind }) => kind === "message")
  if (said.length === 0) return model.activity
  const all = new Map(model.activity)
  for (const { checkpointId, message } of said) all.set(checkpointId, message)
  for (const id of all.keys()) if (runs.get(id)?.checkpoint.state !== "running") all.delete(id)
  return all
}

const detailWith = (model: Model, events: ReadonlyArray<Event.StoredEvent>): Model["detail"] => {
  const { detail } = model
  if (detail === null || !detail.loaded) return detail
  const ids = new Set<string>([detail.id, ...detail.lineage.map(({ id }) => id)])
  const mine = events.filter(({ checkpointId }) => ids.has(checkpointId))
  return mine.length === 0 ? detail : { ...detail, entries: withEntries(detail.entries, mine.map(entryOf)) }
}

/** What is worth a bell: a run that now needs a person, or one that was started from here and has completed. */
const notices = (model: Model, after: ReadonlyMap<string, Run>): ReadonlyArray<string> =>
  [...after].flatMap(([id, run]) => {
    const before = model.runs.get(id)
    if (before === undefined || before.checkpoint.state === run.checkpoint.state) return []
    const { title, state } = run.checkpoint
    if (groupOf(run.checkpoint) === "attention") return [`${title}: ${state}`]
    return state === "completed" && model.started.has(id) ? [`${title}: completed`] : []
  })

export const connectionLost = (model: Model, { why, attempt, retryAt }: Of<"ConnectionLost">): Step => {
  const since =
    model.connection._tag === "Live"
      ? model.connection.at
      : model.connection._tag === "Lost"
        ? model.connection.since
        : model.now
  return stay({ ...model, connection: { _tag: "Lost", since, why, attempt, retryAt } })
}

/** The store answered: what is on the screen is true now. */
export const ownersProbed = (model: Model, { at, unproven }: Of<"OwnersProbed">): Step => {
  const same = unproven.length === model.unproven.size && unproven.every((id) => model.unproven.has(id))
  return stay({
    ...model,
    connection: model.connection._tag === "Live" ? { _tag: "Live", at } : model.connection,
    unproven: same ? model.unproven : new Set(unproven)
  })
}

export const detailRead = (model: Model, message: Of<"DetailRead">): Step =>
  model.detail?.id !== message.id
    ? stay(model)
    : stay({
        ...model,
        detail: {
          ...model.detail,
          lineage: message.lineage,
          entries: withEntries(model.detail.entries, message.entries),
          loaded: true,
          trouble: null
        }
      })
