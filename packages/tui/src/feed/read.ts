/** What is read from the store, and how it becomes what the monitor holds. */
import {
  type Checkpoint,
  type CheckpointStore,
  Checkpoints,
  type Decision,
  type Event,
  type Ids,
  Lineage,
  type OutputLog,
  Redactor,
  Resume,
  Scope
} from "@alluka/core"
import * as Effect from "effect/Effect"
import { homely } from "../layout/homely.js"
import { type Entry, entryOf } from "../model/entry.js"
import type { PageRead } from "../model/Message.js"
import type { RawLine } from "../model/Model.js"
import { type Narrowing, queryOf, sources } from "../model/query.js"
import { type GroupName, groupNames, type Run } from "../model/Run.js"

const operator = Scope.operator

/** A checkpoint with its decision by the record alone, and its folder as it may be shown. */
export const toRun = (checkpoint: Checkpoint.Checkpoint, home: string) =>
  Effect.gen(function* () {
    const { redact } = yield* Redactor.Redactor
    const resume = yield* Resume.Resume
    const decision = checkpoint.state === "running" ? null : yield* resume.fromRecord(checkpoint)
    const run: Run = {
      checkpoint,
      decision: decision === null ? null : redacted(decision, redact),
      folder: homely(redact(checkpoint.spec.workspace.cwd), home)
    }
    return run
  })

/** A decision with nothing secret in its sentences: folders and provider words stand in them. */
export const redacted = (decision: Decision.Decision, redact: (text: string) => string): Decision.Decision => ({
  ...decision,
  message: redact(decision.message),
  detail: redact(decision.detail),
  loses: decision.loses.map(redact),
  keeps: decision.keeps.map(redact),
  warnings: decision.warnings.map(redact)
})

/** The next page of a group: of each of its sources that is not at its end. */
export const readPage = (
  group: GroupName,
  cursors: ReadonlyArray<string | null> | "first",
  narrowing: Narrowing,
  home: string
) =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints.Checkpoints
    const pages = yield* Effect.forEach(sources[group], (source, index) => {
      const cursor = cursors === "first" ? null : (cursors[index] ?? null)
      return cursors !== "first" && cursor === null
        ? Effect.succeed(null)
        : checkpoints.list(operator, queryOf(source, cursor, narrowing))
    })
    const runs = yield* Effect.forEach(
      pages.flatMap((page) => page?.items ?? []),
      (checkpoint) => toRun(checkpoint, home)
    )
    const page: PageRead = {
      runs,
      cursors: pages.map((read) => read?.nextCursor ?? null),
      skipped: pages.reduce((sum, read) => sum + (read?.skipped ?? 0), 0)
    }
    return page
  })

/** The first page of every group, and the counts. */
export const readSnapshot = (narrowing: Narrowing, home: string) =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints.Checkpoints
    const [attention, live, history] = yield* Effect.all(
      groupNames.map((group) => readPage(group, "first", narrowing, home))
    )
    const counts = yield* checkpoints.counts(operator)
    const none: PageRead = { runs: [], cursors: [], skipped: 0 }
    return { groups: { attention: attention ?? none, live: live ?? none, history: history ?? none }, counts }
  })

/** What lists show of a lineage: its tip, and whatever of it runs. */
export const listed = (lineage: ReadonlyArray<Checkpoint.Checkpoint>): ReadonlyArray<Checkpoint.Checkpoint> => {
  const tip = Lineage.tipOf(lineage)
  return lineage.filter((attempt) => attempt === tip || attempt.state === "running")
}

/** Events that change which runs are listed, or where. The others only move a run on. */
const shaping: ReadonlySet<Event.EventKind> = new Set([
  "created",
  "provider_session",
  "state_changed",
  "dismissed",
  "renamed",
  "removed",
  "cancel_requested"
])

/** What a batch of events has changed. `known`: whether a run is on the screen's lists. */
export const readChanges = (events: ReadonlyArray<Event.StoredEvent>, known: (id: string) => boolean, home: string) =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints.Checkpoints
    const shaped = new Set(events.filter(({ kind }) => shaping.has(kind)).map(({ checkpointId }) => checkpointId))
    const lineages = new Map<string, ReadonlyArray<Run>>()
    const removed: Array<string> = []
    for (const id of shaped) {
      const found = yield* gone(checkpoints.lineage(operator, id))
      const root = found?.[0]?.rootId
      if (found === null || root === undefined) removed.push(id)
      else if (!lineages.has(root)) {
        lineages.set(root, yield* Effect.forEach(listed(found), (checkpoint) => toRun(checkpoint, home)))
      }
    }
    const ids = new Set(events.map(({ checkpointId }) => checkpointId))
    const moved: Array<Run> = []
    for (const id of ids) {
      if (shaped.has(id) || !known(id)) continue
      const found = yield* gone(checkpoints.get(operator, id))
      if (found !== null) moved.push(yield* toRun(found, home))
    }
    const counts = shaped.size === 0 ? null : yield* checkpoints.counts(operator)
    const roots = [...lineages].map(([rootId, runs]) => ({ rootId, runs }))
    return { moved, lineages: roots, removed, counts }
  })

/** A run that was removed, or whose row is damaged, is not there. */
const gone = <A, R>(
  found: Effect.Effect<
    A,
    Checkpoints.CheckpointNotFound | CheckpointStore.RecordCorrupt | CheckpointStore.StoreFailure,
    R
  >
): Effect.Effect<A | null, CheckpointStore.StoreFailure, R> =>
  found.pipe(
    Effect.catchTag("CheckpointNotFound", () => Effect.succeed(null)),
    Effect.catchTag("RecordCorrupt", () => Effect.succeed(null))
  )

/** Events read at once. */
const eventPage = 1000
/** Attempts whose events are shown, the newest. */
const maxAttempts = 10

/** All attempts of a run, and the events of the newest of them, oldest first. */
export const readDetail = (id: Ids.CheckpointId) =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints.Checkpoints
    const lineage = yield* checkpoints.lineage(operator, id)
    const entries: Array<Entry> = []
    for (const attempt of lineage.slice(-maxAttempts)) {
      let after = 0
      for (;;) {
        const events = yield* checkpoints.timeline(operator, attempt.id, after, eventPage)
        entries.push(...events.map(entryOf))
        if (events.length < eventPage) break
        after = events.at(-1)?.seq ?? after
      }
    }
    return { lineage, entries }
  })

export const toRaw = ({ at, text, from }: OutputLog.OutputLine): RawLine => ({ at, text, from })
