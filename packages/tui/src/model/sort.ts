/** The order of runs within a group. */
import { lastTime, needsDecision, phaseOf, type Run } from "./Run.js"

export const sortKeys = ["attention", "age", "started", "agent", "provider"] as const
export type SortKey = (typeof sortKeys)[number]

/** What a person must decide comes first, then what can simply go on, then what failed. */
const urgency = (run: Run): number => {
  if (run.checkpoint.dismissedAt !== null) return 3
  if (needsDecision(run) && run.checkpoint.state !== "cancelled") return 0
  return run.checkpoint.state === "interrupted" ? 1 : 2
}

const text = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const compare: Readonly<Record<SortKey, (a: Run, b: Run) => number>> = {
  attention: (a, b) => (a.checkpoint.state === "running" || a.checkpoint.state === "completed" ? 0 : urgency(a) - urgency(b)),
  age: () => 0,
  started: (a, b) => b.checkpoint.startedAt - a.checkpoint.startedAt,
  agent: (a, b) => text(a.checkpoint.agent, b.checkpoint.agent),
  provider: (a, b) => text(phaseOf(a).provider, phaseOf(b).provider)
}

/** Newest last activity first; of two at the same time the later created. Total, so the order never depends on chance. */
const newest = (a: Run, b: Run): number =>
  lastTime(b.checkpoint) - lastTime(a.checkpoint) || b.checkpoint.seq - a.checkpoint.seq || text(a.checkpoint.id, b.checkpoint.id)

/** Running ones would change places with every line they print, so they stand by their start. */
const steady = (a: Run, b: Run): number =>
  a.checkpoint.state === "running" && b.checkpoint.state === "running" ? b.checkpoint.seq - a.checkpoint.seq : newest(a, b)

export const sorted = (runs: ReadonlyArray<Run>, key: SortKey, reverse: boolean): ReadonlyArray<Run> => {
  const ordered = [...runs].sort((a, b) => compare[key](a, b) || steady(a, b))
  return reverse ? ordered.reverse() : ordered
}
