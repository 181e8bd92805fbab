/** Task lists in memory, for the monitor's own tests. */
import { Task, TaskOrder, TaskRuns, TaskStore, Tasks } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

export const taskOf = (number: number, change: Partial<Task.Task> = {}): Task.Task => ({
  id: Task.taskId("T", number),
  folder: "/home/ann/src/shop",
  cwd: "/home/ann/src/shop",
  position: number,
  title: `task ${number}`,
  prompt: `do what task ${number} says`,
  promptRedacted: false,
  status: "todo",
  plan: Task.noPlan,
  labels: {},
  createdAt: 0,
  updatedAt: 0,
  startedAt: null,
  doneAt: null,
  run: null,
  ...change
})

const notUsed = (): Effect.Effect<never> => Effect.dieMessage("the monitor does not ask for this")

/** `items`: the tasks at the beginning. What is done to them shows in `list`. */
export const fakeTasks = (items: ReadonlyArray<Task.Task>) => {
  let all = items
  const found = (text: string): Effect.Effect<Task.Task, TaskStore.TaskNotFound> => {
    const task = all.find(({ id }) => id === text)
    return task === undefined ? Effect.fail(new TaskStore.TaskNotFound({ id: text })) : Effect.succeed(task)
  }
  const tasks = Tasks.Tasks.of({
    add: (added) =>
      Effect.sync(() => {
        const made = added.map(({ cwd, prompt }, index) =>
          taskOf(all.length + index + 1, { cwd, folder: cwd, prompt, title: prompt })
        )
        all = [...all, ...made]
        return made
      }),
    find: found,
    list: () => Effect.sync(() => ({ items: all, skipped: 0 })),
    edit: (id, { prompt, status }) =>
      Effect.map(found(id), (task) => {
        const changed = {
          ...task,
          ...(prompt === undefined ? {} : { prompt }),
          ...(status === undefined ? {} : { status })
        }
        all = all.map((each) => (each === task ? changed : each))
        return changed
      }),
    move: (id, place) =>
      Effect.map(found(id), (task) => {
        const order = TaskOrder.reordered(
          all.map((each) => each.id),
          id,
          place
        )
        all = order.flatMap((each) => all.find((one) => one.id === each) ?? [])
        return task
      }),
    remove: notUsed
  })
  const runs = TaskRuns.TaskRuns.of({
    preview: notUsed,
    run: notUsed,
    stop: () => Effect.succeed(Option.none()),
    current: () => Effect.succeed(Option.none())
  })
  return Layer.merge(Layer.succeed(Tasks.Tasks, tasks), Layer.succeed(TaskRuns.TaskRuns, runs))
}
