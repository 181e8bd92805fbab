/** The task lists from and to the store. Tasks have no feed of their own: they are read again while somebody looks. */
import { Redactor, Task, TaskRuns, Tasks } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Message } from "../model/Message.js"
import type { LoopNow, TasksView } from "../model/tasks.js"

/** Between two looks, ms. */
const lookMs = 1000

const said = (text: string, tone: "good" | "bad" | "warn"): Message => ({ _tag: "Told", text, tone })

const read = Effect.gen(function* () {
  const tasks = yield* Tasks.Tasks
  const runs = yield* TaskRuns.TaskRuns
  const { items, skipped } = yield* tasks.list({ folder: null, statuses: [] })
  const loops = new Map<string, LoopNow>()
  for (const folder of new Set(items.map((item) => item.folder))) {
    const current = Option.getOrNull(yield* runs.current(folder))
    if (current === null) continue
    const { liveness, loop } = current
    loops.set(folder, {
      pid: loop.owner.pid,
      since: loop.startedAt,
      liveness: liveness._tag,
      stopping: loop.stopRequestedAt !== null,
      tasksCompleted: loop.tasksCompleted
    })
  }
  return { items, loops, skipped } satisfies Pick<TasksView, "items" | "loops" | "skipped">
})

/** Reads the tasks again and again, and tells what is new. Never ends by itself. */
export const watchTasks = (
  dispatch: (message: Message) => void
): Effect.Effect<never, never, Tasks.Tasks | TaskRuns.TaskRuns | Redactor.Redactor> =>
  Effect.gen(function* () {
    const { redact } = yield* Redactor.Redactor
    let before = ""
    for (;;) {
      const page = yield* Effect.either(read)
      if (page._tag === "Left") {
        before = ""
        dispatch({ _tag: "TasksFailed", why: redact(page.left.message) })
      } else {
        const now = JSON.stringify([page.right.items, [...page.right.loops], page.right.skipped])
        if (now !== before) dispatch({ _tag: "TasksRead", page: page.right })
        before = now
      }
      yield* Effect.sleep(lookMs)
    }
  })

const withId = <A, E, R>(text: string, use: (id: Task.TaskId) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Tasks.Tasks, (tasks) => Effect.flatMap(tasks.find(text), ({ id }) => use(id)))

export const saveTask = (
  task: { readonly id: string | null; readonly cwd: string; readonly prompt: string; readonly twin: string },
  prefix: string
): Effect.Effect<Message, never, Tasks.Tasks> =>
  Effect.gen(function* () {
    const tasks = yield* Tasks.Tasks
    const { cwd, id, prompt } = task
    if (id !== null) return (yield* withId(id, (found) => tasks.edit(found, { prompt }))).id
    const [added] = yield* tasks.add([
      { cwd, prompt, title: null, labels: {}, plan: Task.noPlan, prefix, status: "todo" }
    ])
    return added?.id ?? null
  }).pipe(
    Effect.map(
      (id): Message => ({ _tag: "TaskSaved", id, why: id === null ? "It was not stored." : null, twin: task.twin })
    ),
    Effect.catchAll((failure) =>
      Effect.succeed<Message>({ _tag: "TaskSaved", id: null, why: failure.message, twin: task.twin })
    )
  )

export const moveTask = (
  id: string,
  place: { readonly before: string } | { readonly after: string },
  twin: string
): Effect.Effect<Message, never, Tasks.Tasks> =>
  Effect.gen(function* () {
    const tasks = yield* Tasks.Tasks
    const other = yield* tasks.find("before" in place ? place.before : place.after)
    return yield* withId(id, (found) =>
      tasks.move(found, "before" in place ? { before: other.id } : { after: other.id })
    )
  }).pipe(
    Effect.map(() => said(`Moved · same as: ${twin}`, "good")),
    Effect.catchAll((failure) => Effect.succeed(said(`Not moved: ${failure.message}`, "bad")))
  )

export const rejectTask = (
  id: string,
  status: "todo" | "rejected",
  twin: string
): Effect.Effect<Message, never, Tasks.Tasks> =>
  Effect.flatMap(Tasks.Tasks, (tasks) => withId(id, (found) => tasks.edit(found, { status }))).pipe(
    Effect.map(() => said(`${status === "todo" ? "Wanted again" : "Rejected"} · same as: ${twin}`, "good")),
    Effect.catchAll((failure) => Effect.succeed(said(`Not changed: ${failure.message}`, "bad")))
  )

export const stopTasks = (cwd: string, twin: string): Effect.Effect<Message, never, TaskRuns.TaskRuns> =>
  Effect.flatMap(TaskRuns.TaskRuns, (runs) => runs.stop(cwd)).pipe(
    Effect.map((found) =>
      Option.isNone(found)
        ? said("No task run is going on in its folder.", "warn")
        : said(`It ends after its present task · same as: ${twin}`, "good")
    ),
    Effect.catchAll((failure) => Effect.succeed(said(`Not stopped: ${failure.message}`, "bad")))
  )
