/** Which task is next. Pure. */
import type { Task } from "./Task.js"

/**
 * Nothing of the task's latest run can go on: it was removed, or did not leave the task behind as it should be. Such a task
 * would stay `doing` for ever, so it is begun anew.
 */
const isOrphan = ({ run, status }: Task): boolean =>
  status === "doing" && (run === null || run.state === null || run.state === "completed" || run.state === "cancelled")

/**
 * The next task to begin: the first, in their order, that is to be done. `attempted`: what this loop has worked on already;
 * it is not begun a second time. Tasks that are being done are left to who runs them, or to a resume.
 */
export const nextTask = (tasks: ReadonlyArray<Task>, attempted: ReadonlySet<string>): Task | null =>
  tasks.find((task) => !attempted.has(task.id) && (task.status === "todo" || isOrphan(task))) ?? null

/** Tasks that a run has left unfinished and that can go on. */
export const unfinished = (tasks: ReadonlyArray<Task>): ReadonlyArray<Task> =>
  tasks.filter(({ run, status }) => status === "doing" && (run?.state === "interrupted" || run?.state === "failed"))
