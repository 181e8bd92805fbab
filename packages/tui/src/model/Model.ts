/** Everything the monitor knows at one moment. The screen is a pure function of it, and of nothing else. */
import type { Checkpoint, Decision, State } from "@alluka/core"
import type { TimeMode } from "../layout/time.js"
import type { ThemeName } from "../theme/theme.js"
import type { Dialog } from "./Dialog.js"
import type { Entry } from "./entry.js"
import type { GroupName, Run } from "./Run.js"
import type { SortKey } from "./sort.js"
import type { TasksView } from "./tasks.js"
import type { TextField } from "./textField.js"

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** What does not change while the monitor is open. */
export interface Settings {
  readonly ascii: boolean
  readonly reducedMotion: boolean
  readonly screenReader: boolean
  /** How a person would call this program: `alluka`, or `node apps/cli/dist/alluka.cjs`. */
  readonly program: string
  /** Where the runs are kept, for the first screen. */
  readonly store: string
  readonly home: string
  readonly cwd: string
  /** The same folder without symbolic links, as the store knows it. */
  readonly realCwd: string
  /** What the ids of new tasks begin with. */
  readonly taskPrefix: string
}

export const previewPlaces = ["auto", "right", "bottom", "off"] as const
export const groupings = ["need", "folder", "provider"] as const

/** What is remembered from one time to the next. The filter is not: it would look like lost runs. */
export interface Preferences {
  readonly sort: SortKey
  readonly reverse: boolean
  readonly time: TimeMode
  readonly preview: (typeof previewPlaces)[number]
  readonly wrap: boolean
  readonly timestamps: boolean
  readonly grouping: (typeof groupings)[number]
  readonly theme: ThemeName
}

export const defaultPreferences: Preferences = {
  sort: "attention",
  reverse: false,
  time: "relative",
  preview: "auto",
  wrap: true,
  timestamps: true,
  grouping: "need",
  theme: "default"
}

export type Connection =
  | { readonly _tag: "Starting" }
  | { readonly _tag: "Live"; readonly at: number }
  /** `since`: when the data on the screen was true. */
  | {
      readonly _tag: "Lost"
      readonly since: number
      readonly why: string
      readonly attempt: number
      readonly retryAt: number
    }

/** How far one group has been read. */
export interface Paging {
  /** The next page of each of the group's sources; `null`: read to its end. */
  readonly cursors: ReadonlyArray<string | null>
  readonly reading: boolean
  /** It could not be read; it is asked for again from then on, ms. */
  readonly retryAt: number | null
}

export const tabs = ["all", "attention", "live", "history"] as const
export type Tab = (typeof tabs)[number]

/** What the details of the selected run were last read as. */
export interface Detail {
  readonly id: string
  readonly lineage: ReadonlyArray<Checkpoint.Checkpoint>
  readonly entries: ReadonlyArray<Entry>
  /** Looked at the world; `null`: not yet. */
  readonly decision: Decision.Decision | null
  readonly loaded: boolean
  readonly trouble: string | null
}

export interface RawLine {
  readonly at: number
  readonly text: string
  readonly from: "stdout" | "stderr"
}

export interface LogView {
  readonly id: string
  readonly source: "events" | "raw"
  readonly raw: ReadonlyArray<RawLine>
  readonly follow: boolean
  /** Where the window begins while it does not follow: line, and row within the wrapped line. */
  readonly top: { readonly line: number; readonly row: number }
  /** How many lines there were when following stopped, for "+37 new". */
  readonly seen: number
  /** Open while the text to find is typed. */
  readonly typing: TextField | null
  readonly find: string
  /** The line the last search stopped at. */
  readonly found: number | null
  /** The screen it was opened from. */
  readonly from: "list" | "tasks"
}

export interface Toast {
  readonly text: string
  readonly tone: "plain" | "good" | "warn" | "bad"
  readonly until: number
}

export interface InstalledProvider {
  readonly id: string
  readonly title: string
  readonly installed: boolean
  readonly thinkingLevels: ReadonlyArray<string>
  /** Whether it has a screen of its own that can take a conversation over. */
  readonly screen: boolean
  readonly install: string
}

/** How many conversations of a provider could be brought in. */
export interface ImportableCount {
  readonly provider: string
  readonly count: number
}

export interface Model {
  readonly size: Size
  /** ms; moved on by ticks, so that a frame is a function of the model. */
  readonly now: number
  readonly spin: number
  /** `null`: the terminal has not said; then whatever is worth a bell gets one. */
  readonly focused: boolean | null
  readonly settings: Settings
  readonly preferences: Preferences
  readonly connection: Connection
  /** Moves on when what is asked of the store changes; answers to older questions are dropped. */
  readonly generation: number
  /** Questions the resume dialog has asked so far: an answer names its question. */
  readonly questions: number
  readonly runs: ReadonlyMap<string, Run>
  readonly paging: Readonly<Record<GroupName, Paging>>
  readonly counts: Readonly<Record<State.State, number>> | null
  /** Runs whose owner can be shown neither alive nor dead. */
  readonly unproven: ReadonlySet<string>
  /** Rows that could not be read. */
  readonly skipped: number
  readonly tab: Tab
  /** Shows only runs of this folder. */
  readonly here: boolean
  readonly filter: string
  /** Open while the filter is typed. */
  readonly filtering: TextField | null
  /** The selected item: `run:ID` or `group:NAME`; `null`: the first. */
  readonly selected: string | null
  /** Its place, for when it is gone. */
  readonly selectedIndex: number
  /** A run that was just started: selected as soon as it is there. */
  readonly awaited: string | null
  readonly listTop: number
  /**
   * The list as it was when the person last moved in it: what changes meanwhile shows in its rows, but moves none of them for
   * so many ticks. `null`: it is as the runs are.
   */
  readonly held: {
    readonly runs: Model["runs"]
    readonly counts: Model["counts"]
    readonly ticks: number
  } | null
  readonly folded: ReadonlySet<string>
  readonly marks: ReadonlySet<string>
  readonly screen: "list" | "detail" | "log" | "tasks"
  readonly pane: "list" | "detail"
  readonly detailTop: number
  readonly detail: Detail | null
  readonly log: LogView | null
  /** The task lists; `null`: they were not looked at. */
  readonly tasks: TasksView | null
  readonly dialog: Dialog | null
  /** Follow-ups that were typed and not sent, by run. */
  readonly drafts: ReadonlyMap<string, string>
  readonly toast: Toast | null
  readonly providers: ReadonlyArray<InstalledProvider> | null
  /** Conversations outside of Alluka that could be brought in, looked for where there is no run; `null`: not yet. */
  readonly importable: {
    readonly counts: ReadonlyArray<ImportableCount>
    readonly progress: "looking" | "done" | "gaveUp"
  } | null
  readonly mouse: boolean
  /** Runs started from here: their end is worth a bell. */
  readonly started: ReadonlySet<string>
  /** Titles of the live runs' last messages, for the second line of a row. */
  readonly activity: ReadonlyMap<string, string>
}

const unread: Paging = { cursors: [null], reading: true, retryAt: null }

export const initialModel = (settings: Settings, preferences: Preferences, size: Size, now: number): Model => ({
  size,
  now,
  spin: 0,
  focused: null,
  settings,
  preferences,
  connection: { _tag: "Starting" },
  generation: 0,
  questions: 0,
  runs: new Map(),
  paging: { attention: unread, live: unread, history: unread },
  counts: null,
  unproven: new Set(),
  skipped: 0,
  tab: "all",
  here: false,
  filter: "",
  filtering: null,
  selected: null,
  selectedIndex: 0,
  awaited: null,
  listTop: 0,
  held: null,
  folded: new Set(),
  marks: new Set(),
  screen: "list",
  pane: "list",
  detailTop: 0,
  detail: null,
  log: null,
  tasks: null,
  dialog: null,
  drafts: new Map(),
  toast: null,
  providers: null,
  importable: null,
  mouse: false,
  started: new Set(),
  activity: new Map()
})
