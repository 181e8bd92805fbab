/** Everything that can happen to the monitor. */
import type { Checkpoint, Decision, Event, RunLauncher, State } from "@alluka/core"
import type { Entry } from "./entry.js"
import type { ImportableCount, InstalledProvider, RawLine, Size, Toast } from "./Model.js"
import type { GroupName, Run } from "./Run.js"
import type { TasksView } from "./tasks.js"

/** A page of one group. */
export interface PageRead {
  readonly runs: ReadonlyArray<Run>
  readonly cursors: ReadonlyArray<string | null>
  readonly skipped: number
}

export type Message =
  /** A key, by its name in the key table, or the character it types. */
  | { readonly _tag: "Pressed"; readonly key: string }
  /** A paste, as the terminal marked it. */
  | { readonly _tag: "Pasted"; readonly text: string }
  /** Several characters at once that the terminal did not mark as a paste: keys that are held or came fast, or a paste. */
  | { readonly _tag: "Typed"; readonly text: string }
  | { readonly _tag: "Clicked"; readonly column: number; readonly row: number }
  | { readonly _tag: "Wheeled"; readonly by: -1 | 1 }
  | { readonly _tag: "Focused"; readonly focused: boolean }
  | { readonly _tag: "Resized"; readonly size: Size }
  | { readonly _tag: "Ticked"; readonly now: number }
  | { readonly _tag: "Spun" }
  /** The first pages of every group, and the counts. */
  | {
      readonly _tag: "SnapshotRead"
      readonly generation: number
      readonly groups: Readonly<Record<GroupName, PageRead>>
      readonly counts: Readonly<Record<State.State, number>>
      readonly at: number
    }
  | { readonly _tag: "PageRead"; readonly generation: number; readonly group: GroupName; readonly page: PageRead }
  | { readonly _tag: "PageFailed"; readonly generation: number; readonly group: GroupName; readonly why: string }
  /** What happened since: runs as they are now, lineages as they are shown now, events, counts. */
  | {
      readonly _tag: "ChangesRead"
      readonly at: number
      /** Runs that moved on and stay where they are. */
      readonly moved: ReadonlyArray<Run>
      /** For each lineage that changed its shape: everything of it that lists show. */
      readonly lineages: ReadonlyArray<{ readonly rootId: string; readonly runs: ReadonlyArray<Run> }>
      readonly removed: ReadonlyArray<string>
      readonly events: ReadonlyArray<Event.StoredEvent>
      readonly counts: Readonly<Record<State.State, number>> | null
    }
  /** The store answered. `unproven`: running ones whose owner can be shown neither alive nor dead. */
  | { readonly _tag: "OwnersProbed"; readonly at: number; readonly unproven: ReadonlyArray<string> }
  | { readonly _tag: "ConnectionLost"; readonly why: string; readonly attempt: number; readonly retryAt: number }
  | {
      readonly _tag: "DetailRead"
      readonly id: string
      readonly lineage: ReadonlyArray<Checkpoint.Checkpoint>
      readonly entries: ReadonlyArray<Entry>
    }
  | { readonly _tag: "DetailFailed"; readonly id: string; readonly why: string }
  | { readonly _tag: "PreviewMade"; readonly id: string; readonly decision: Decision.Decision }
  /** The answer to a question of the resume dialog. */
  | { readonly _tag: "Decided"; readonly token: number; readonly decision: Decision.Decision }
  | { readonly _tag: "DecideFailed"; readonly token: number; readonly why: string }
  | {
      readonly _tag: "Launched"
      readonly from: string | null
      readonly answer: RunLauncher.Launched
      readonly twin: string
    }
  | { readonly _tag: "LaunchFailed"; readonly from: string | null; readonly why: string }
  | { readonly _tag: "ManyLaunched"; readonly started: ReadonlyArray<string>; readonly refused: ReadonlyArray<string> }
  | { readonly _tag: "TasksRead"; readonly page: Pick<TasksView, "items" | "loops" | "skipped"> }
  | { readonly _tag: "TasksFailed"; readonly why: string }
  /** A task was written; `null`: what went wrong is in `why`. */
  | { readonly _tag: "TaskSaved"; readonly id: string | null; readonly why: string | null; readonly twin: string }
  /** What was counted so far. */
  | {
      readonly _tag: "ImportableCounted"
      readonly counts: ReadonlyArray<ImportableCount>
      readonly progress: "looking" | "done" | "gaveUp"
    }
  | { readonly _tag: "ProvidersFound"; readonly providers: ReadonlyArray<InstalledProvider> }
  | { readonly _tag: "Edited"; readonly text: string | null }
  | { readonly _tag: "RawRead"; readonly id: string; readonly lines: ReadonlyArray<RawLine>; readonly first: boolean }
  | { readonly _tag: "Told"; readonly text: string; readonly tone: Toast["tone"] }
