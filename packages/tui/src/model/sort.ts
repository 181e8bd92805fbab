/** The order of runs within a group. */
import { groupOf, lastTime, needsDecision, phaseOf, type Run } from "./Run.js"

export const sortKeys = ["attention", "age", "started", "agent", "provider"] as const
export type SortKey = (typeof sortKeys)[number]

/** What a person must decide comes first, then what can simply go on, then what failed; the rest has no urgency. */
const urgency = (run: Run): number => {
  if (groupOf(run.checkpoint) !== "attention") return 3
  if (needsDecision(run)) return 0
  return run.checkpoint.state === "interrupted" ? 1 : 2
}

const text = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const compare: Readonly<Record<SortKey, (a: Run, b: Run) => number>> = {
  attention: (a, b) => urgency(a) - urgency(b),
  age: () => 0,
  started: (a, b) => b.checkpoint.startedAt - a.checkpoint.startedAt,
  agent: (a, b) => text(a.checkpoint.agent, b.checkpoint.agent),
  provider: (a, b) => text(phaseOf(a).provider, phaseOf(b).provider)
}

/** Newest last activity first; of two at the same time the later created. Total, so the order never depends on chance. */
const newest = (a: Run, b: Run): number =>
  lastTime(b.checkpoint) - lastTime(a.checkpoint) ||
  b.checkpoint.seq - a.checkpoint.seq ||
  text(a.checkpoint.id, b.checkpoint.id)

const isRunning = ({ checkpoint }: Run): boolean => checkpoint.state === "running"

/** Running ones come first, and by their start: with every line they print they would change places else. */
const steady = (a: Run, b: Run): number => {
  if (isRunning(a) !== isRunning(b)) return isRunning(a) ? -1 : 1
  return isRunning(a) ? b.checkpoint.seq - a.checkpoint.seq : newest(a, b)
}

export const sorted = (runs: ReadonlyArray<Run>, key: SortKey, reverse: boolean): ReadonlyArray<Run> => {
  const ordered = [...runs].sort((a, b) => compare[key](a, b) || steady(a, b))
  return reverse ? ordered.reverse() : ordered
}
