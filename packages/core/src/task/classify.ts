/**
 * Which conversation of a folder is its saved session, and what the resume decision is told about it. Pure; what comes in
 * is as it truly is (a run whose owner is dead counts as ended).
 */
import type { Checkpoint, Time } from "../checkpoint/Checkpoint.js"
import { tipOf } from "../checkpoint/lineage.js"
import type { TaskFacts } from "../resume/Facts.js"
import type { Task } from "./Task.js"
import type { TaskLineage } from "./TaskStore.js"

export interface SavedSession {
  readonly taskId: string
  /** `null`: the task was removed. */
  readonly task: Task | null
  /** What would go on; while an attempt of it runs, that attempt. */
  readonly checkpoint: Checkpoint
}

/** A task that is being done, and whose saved session cannot be read. */
export interface DamagedSession {
  readonly taskId: string
  readonly task: Task
  /** The checkpoint that is damaged. */
  readonly damaged: string
}

const canGoOn = ({ state }: Checkpoint): boolean => state === "interrupted" || state === "failed"

/** The attempt that counts: the running one, else the tip. */
const current = ({ attempts }: TaskLineage): Checkpoint | null =>
  attempts.find(({ state }) => state === "running") ?? tipOf(attempts)

/** The task is being done, by this very lineage of runs. */
const isDoing = ({ rootId, task }: TaskLineage): boolean => task?.status === "doing" && task.run?.rootId === rootId

/** Which record cannot be read, where that keeps the task's run from going on. */
const damageOf = (lineage: TaskLineage): DamagedSession | null => {
  const { damaged, task, taskId } = lineage
  const run = task?.run ?? null
  if (task === null || run === null || !isDoing(lineage)) return null
  const [first] = damaged
  const which = damaged.includes(run.id) ? run.id : current(lineage) === null ? first : undefined
  return which === undefined ? null : { taskId, task, damaged: which }
}

/** A task that is being done and whose run cannot go on because its record is damaged. */
export const damagedSession = (
  lineages: ReadonlyArray<TaskLineage>,
  wanted: string | null = null
): DamagedSession | null => {
  for (const lineage of lineages) {
    const found = wanted !== null && lineage.taskId !== wanted ? null : damageOf(lineage)
    if (found !== null) return found
  }
  return null
}

/**
 * The saved session: what is running there, else the newest tip that can go on of a task that is being done, else the newest
 * run of any task if that one can go on (its task is gone or settled: it is said, and nothing is resumed). `lineages`:
 * newest first. `wanted`: only of this task.
 */
export const savedSession = (
  lineages: ReadonlyArray<TaskLineage>,
  wanted: string | null = null
): SavedSession | null => {
  const found = lineages.flatMap((lineage) => {
    const checkpoint = current(lineage)
    const fits = wanted === null || lineage.taskId === wanted
    return checkpoint === null || !fits || damageOf(lineage) !== null ? [] : [{ lineage, checkpoint }]
  })
  const doing = found.filter(({ lineage }) => isDoing(lineage))
  const chosen =
    doing.find(({ checkpoint }) => checkpoint.state === "running") ??
    doing.find(({ checkpoint }) => canGoOn(checkpoint)) ??
    (found[0] !== undefined && canGoOn(found[0].checkpoint) ? found[0] : undefined)
  return chosen === undefined
    ? null
    : { taskId: chosen.lineage.taskId, task: chosen.lineage.task, checkpoint: chosen.checkpoint }
}

/** Age since the last recorded activity, ms; never negative. */
const ageOf = ({ progress, startedAt }: Checkpoint, now: Time): number =>
  Math.max(0, now - Math.max(progress.position.lastActivityAt, startedAt))

/** What a saved session is good for. `stale`: its task is gone, or is not being done. */
export const classify = (saved: SavedSession | null, now: Time, maxAgeMs: number): TaskFacts["classification"] => {
  if (saved === null) return "no_session"
  if (saved.task?.status !== "doing") return "stale"
  return ageOf(saved.checkpoint, now) >= maxAgeMs ? "timed_out" : "valid"
}

/** Whether the saved session's task can be worked on. */
export const targetOf = (saved: SavedSession | null): TaskFacts["target"] => {
  if (saved === null) return "ok"
  if (saved.task === null) return "missing"
  return saved.task.status === "done" || saved.task.status === "rejected" ? "terminal" : "ok"
}
