/** The task lists as the monitor holds them while they are open. */
import type { OwnerIdentity, Task } from "@alluka/core"

/** A loop that was begun in a folder and has not ended. */
export interface LoopNow {
  readonly pid: number
  readonly since: number
  readonly liveness: OwnerIdentity.Liveness["_tag"]
  readonly stopping: boolean
  readonly tasksCompleted: number
}

export interface TasksView {
  /** By folder, in the order in which they are to be done. */
  readonly items: ReadonlyArray<Task.Task>
  /** By the real path of the folder. */
  readonly loops: ReadonlyMap<string, LoopNow>
  /** Tasks whose record cannot be read. */
  readonly skipped: number
  readonly selected: string | null
  readonly loaded: boolean
  readonly trouble: string | null
}

export const noTasks: TasksView = {
  items: [],
  loops: new Map(),
  skipped: 0,
  selected: null,
  loaded: false,
  trouble: null
}

/** The selected task; the first where nothing is selected. */
export const selectedTask = ({ items, selected }: TasksView): Task.Task | null =>
  items.find(({ id }) => id === selected) ?? items[0] ?? null

/** The loop that is going on in a folder, as far as can be told. */
export const liveLoop = ({ loops }: TasksView, folder: string): LoopNow | null => {
  const loop = loops.get(folder)
  return loop === undefined || loop.liveness === "Dead" ? null : loop
}

/** The neighbour of a task among those of its folder. */
export const besideTask = ({ items }: TasksView, task: Task.Task, by: 1 | -1): Task.Task | null => {
  const own = items.filter(({ folder }) => folder === task.folder)
  return own[own.findIndex(({ id }) => id === task.id) + by] ?? null
}
