/** Events of a run as the timeline, the output tail and the log show them. */
import type { Event } from "@alluka/core"

/** `life`: what happened to the run; `talk`: what the agent said and did; `quiet`: shown in the log only. */
export type EntryLevel = "life" | "talk" | "quiet"

export interface Entry {
  readonly seq: number
  readonly checkpointId: string
  /** ms */
  readonly at: number
  readonly kind: Event.EventKind
  /** One word for the timeline's column. */
  readonly word: string
  /** One line. */
  readonly text: string
  /** The whole text where there is more than the one line, else the same. */
  readonly full: string
  readonly level: EntryLevel
  readonly bad: boolean
}

const words: Readonly<Partial<Record<Event.EventKind, string>>> = {
  created: "started",
  resume_decision: "resume",
  phase_entered: "phase",
  provider_session: "session",
  model_reported: "model",
  tool_started: "tool",
  tool_finished: "tool",
  state_changed: "state",
  waiting_for_reset: "waiting",
  gate_started: "gate",
  gate_finished: "gate",
  task_selected: "task",
  cancel_requested: "cancel",
  retrying: "retry"
}

const levels: Readonly<Record<Event.EventKind, EntryLevel>> = {
  created: "life",
  resume_decision: "life",
  phase_entered: "life",
  provider_session: "life",
  model_reported: "life",
  message: "talk",
  tool_started: "talk",
  tool_finished: "quiet",
  denied: "talk",
  usage: "quiet",
  retrying: "talk",
  notice: "talk",
  waiting_for_reset: "life",
  gate_started: "life",
  gate_finished: "life",
  state_changed: "life",
  task_selected: "life",
  blocked: "life",
  renamed: "life",
  dismissed: "life",
  removed: "life",
  cancel_requested: "life"
}

const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null)

/** The entry of a stored event. */
export const entryOf = (event: Event.StoredEvent): Entry => {
  const { kind, payload } = event
  const failedTool = kind === "tool_finished" && payload.ok === false
  const state = kind === "state_changed" ? textOf(payload.to) : null
  return {
    seq: event.seq,
    checkpointId: event.checkpointId,
    at: event.timestamp,
    kind,
    word: state ?? words[kind] ?? kind.replaceAll("_", " "),
    text: event.message,
    full: textOf(payload.text) ?? textOf(payload.summary) ?? textOf(payload.detail) ?? event.message,
    level: failedTool ? "talk" : levels[kind],
    bad: failedTool || kind === "denied" || state === "failed"
  }
}

/** The last tool that was at work when the entries end: its effects are uncertain, so the timeline shows it. */
export const openTool = (entries: ReadonlyArray<Entry>): Entry | null => {
  const last = entries.findLast(({ kind }) => kind === "tool_started" || kind === "tool_finished")
  return last?.kind === "tool_started" ? last : null
}

/** What the timeline shows, oldest first. */
export const timelineOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const open = openTool(entries)
  return entries.filter((entry) => entry.level === "life" || entry === open)
}

/** What the output tail shows, oldest first. */
export const talkOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
  entries.filter(({ level }) => level === "talk")

/** Entries kept of one run at most: the life of it whole, of the talk the newest. */
export const maxEntries = 5000

/** Adds entries behind those that are there; a repeat changes nothing. */
export const withEntries = (before: ReadonlyArray<Entry>, more: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const known = new Set(before.map(({ seq }) => seq))
  const fresh = more.filter(({ seq }) => !known.has(seq))
  if (fresh.length === 0) return before
  const all = [...before, ...fresh].sort((a, b) => a.seq - b.seq)
  if (all.length <= maxEntries) return all
  const tooMany = all.length - maxEntries
  let dropped = 0
  return all.filter(({ level }) => level === "life" || dropped++ >= tooMany)
}
