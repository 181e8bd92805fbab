/**
 * The task list as a service: what people write is checked and redacted here on its way to the store. What a task's run
 * does to its status is written with the run itself, and nowhere here.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { RecordCorrupt, StoreFailure } from "../checkpoint/CheckpointStore.js"
import type { GateCommand } from "../checkpoint/GateCommand.js"
import { Workspaces, type WorkspaceUnusable } from "../host/Workspaces.js"
import { Redactor } from "../privacy/Redactor.js"
import { Providers } from "../provider/Provider.js"
import { ProviderUnknown, type SettingUnsupported, undeclaredSetting } from "../run/beginRun.js"
import { bounded } from "../text/bounded.js"
import { oneLine } from "../text/oneLine.js"
import { isPrefix, type Plan, type Settings, type Task, TaskId, type TaskStatus } from "./Task.js"
import {
  type Place,
  type TaskBusy,
  type TaskChange,
  type TaskDraft,
  TaskNotFound,
  type TaskPage,
  type TaskQuery,
  TaskStore
} from "./TaskStore.js"

/** What was written cannot be a task. Nothing was stored. */
export class TaskInvalid extends Data.TaggedError("TaskInvalid")<{
  readonly what: "prompt" | "prefix" | "gate" | "id"
  readonly detail: string
}> {
  override get message(): string {
    return this.detail
  }
}

/** A task as a person writes it. */
export interface NewTask {
  /** The folder it belongs to, and is done in. */
  readonly cwd: string
  readonly prompt: string
  /** `null` or empty: made from the prompt's first line. */
  readonly title: string | null
  readonly labels: Readonly<Record<string, string>>
  readonly plan: Plan
  readonly prefix: string
  readonly status: Exclude<TaskStatus, "doing">
}

export interface TaskEdit {
  readonly prompt?: string
  /** Empty: made from the prompt's first line. */
  readonly title?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly plan?: Plan
  readonly status?: Exclude<TaskStatus, "doing">
}

/** It could not be done as it was written. Nothing was stored. */
type Unfit = TaskInvalid | ProviderUnknown | SettingUnsupported
type Find = TaskNotFound | TaskInvalid | RecordCorrupt | StoreFailure

export class Tasks extends Context.Tag("@alluka/core/Tasks")<
  Tasks,
  {
    /** Adds tasks at the end of their folders' lists, all or none. */
    readonly add: (
      tasks: ReadonlyArray<NewTask>
    ) => Effect.Effect<ReadonlyArray<Task>, Unfit | WorkspaceUnusable | StoreFailure>
    /** Finds a task by what a person types: its id, in any case, with or without its leading zeros. */
    readonly find: (text: string) => Effect.Effect<Task, Find>
    readonly list: (query: TaskQuery) => Effect.Effect<TaskPage, StoreFailure>
    readonly edit: (id: TaskId, edit: TaskEdit) => Effect.Effect<Task, Find | Unfit | TaskBusy>
    readonly move: (id: TaskId, place: Place) => Effect.Effect<Task, TaskNotFound | RecordCorrupt | StoreFailure>
    readonly remove: (ids: ReadonlyArray<TaskId>) => Effect.Effect<void, TaskNotFound | TaskBusy | StoreFailure>
  }
>() {}

/** The stored copy of a prompt at most, in bytes. */
const promptBytes = 256 * 1024

/** The id that a person means; `null`: the text is none. */
export const typedTaskId = (text: string): TaskId | null => {
  const [, prefix, number] = /^([A-Z][A-Z0-9]{0,15})-(\d{1,9})$/.exec(text.trim().toUpperCase()) ?? []
  return prefix === undefined || number === undefined
    ? null
    : TaskId.make(`${prefix}-${`${Number(number)}`.padStart(4, "0")}`)
}

/** A gate is run as it is stored, so it may hold nothing that is not stored. */
export const gateFault = (gate: GateCommand, redact: (text: string) => string): TaskInvalid | null =>
  gate.argv.every((word) => redact(word) === word) && redact(gate.argv.join(" ")) === gate.argv.join(" ")
    ? null
    : new TaskInvalid({
        what: "gate",
        detail:
          "the gate's command line holds a secret, and command lines are stored: put the secret into a file or the environment"
      })

/** What every phase would be told, as far as the task itself says it. */
const settingsOf = ({ ofPhases, settings }: Plan): ReadonlyArray<Settings> => [
  settings,
  ...Object.values(ofPhases).flatMap((own) => {
    if (own === undefined) return []
    // A thinking level is one of a provider: what was named beside another provider is not for this one.
    const sameProvider = own.provider === null || own.provider === settings.provider
    return [
      {
        ...own,
        provider: own.provider ?? settings.provider,
        thinking: own.thinking ?? (sameProvider ? settings.thinking : null),
        permission: own.permission ?? settings.permission
      }
    ]
  })
]

export const make = Effect.gen(function* () {
  const store = yield* TaskStore
  const providers = yield* Providers
  const workspaces = yield* Workspaces
  const { redact } = yield* Redactor

  const copyOf = (prompt: string) =>
    Effect.gen(function* () {
      const text = redact(prompt)
      if (text.trim() === "") return yield* new TaskInvalid({ what: "prompt", detail: "the task is empty" })
      if (bounded(text, promptBytes).truncated) {
        return yield* new TaskInvalid({
          what: "prompt",
          detail: `the task is longer than ${promptBytes / 1024} KiB: put the long part into a file and name that`
        })
      }
      return { text, redacted: text !== prompt }
    })

  /** Told where it is written, and not in the night when the loop comes to it. */
  const checked = (plan: Plan) =>
    Effect.gen(function* () {
      for (const settings of settingsOf(plan)) {
        if (settings.provider === null) continue
        const provider = Option.getOrNull(providers.find(settings.provider))
        if (provider === null) {
          const known = providers.all.map(({ id }) => id)
          return yield* new ProviderUnknown({ provider: settings.provider, known })
        }
        const fault = undeclaredSetting(provider, settings)
        if (fault !== null) return yield* fault
      }
      if (plan.gate === null || plan.gate === "none") return plan
      const fault = gateFault(plan.gate, redact)
      return fault === null ? plan : yield* fault
    })

  const labelsOf = (labels: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(labels).map(([name, value]) => [redact(name), redact(value)]))

  const draftOf = (task: NewTask) =>
    Effect.gen(function* () {
      if (!isPrefix(task.prefix)) {
        return yield* new TaskInvalid({
          what: "prefix",
          detail: `"${task.prefix}" is no prefix of task ids: up to 16 capital letters and digits, a letter first`
        })
      }
      const { cwd, realPath } = yield* workspaces.resolve(task.cwd)
      const { redacted, text } = yield* copyOf(task.prompt)
      const draft: TaskDraft = {
        prefix: task.prefix,
        folder: realPath,
        cwd,
        title: titleOf(redact(task.title || firstLine(task.prompt))),
        prompt: text,
        promptRedacted: redacted,
        status: task.status,
        labels: labelsOf(task.labels),
        plan: yield* checked(task.plan)
      }
      return draft
    })

  const get = (id: TaskId) =>
    Effect.flatMap(
      store.get(id),
      Option.match({ onNone: () => new TaskNotFound({ id }), onSome: (task) => Effect.succeed(task) })
    )

  return Tasks.of({
    add: (tasks) =>
      Effect.gen(function* () {
        const drafts = yield* Effect.forEach(tasks, draftOf)
        return yield* store.add(drafts, yield* Clock.currentTimeMillis)
      }),
    find: (text) =>
      Effect.gen(function* () {
        const id = typedTaskId(text)
        if (id === null) {
          return yield* new TaskInvalid({ what: "id", detail: `"${text}" is no id of a task; they look like T-0001` })
        }
        return yield* get(id)
      }),
    list: store.list,
    edit: (id, edit) =>
      Effect.gen(function* () {
        const title = edit.title === "" ? firstLine(edit.prompt ?? (yield* get(id)).prompt) : edit.title
        const change: TaskChange = {
          ...(title === undefined ? {} : { title: titleOf(redact(title)) }),
          ...(edit.prompt === undefined ? {} : { prompt: yield* copyOf(edit.prompt) }),
          ...(edit.labels === undefined ? {} : { labels: labelsOf(edit.labels) }),
          ...(edit.plan === undefined ? {} : { plan: yield* checked(edit.plan) }),
          ...(edit.status === undefined ? {} : { status: edit.status })
        }
        return yield* store.update(id, change, yield* Clock.currentTimeMillis)
      }),
    move: (id, place) => Effect.flatMap(Clock.currentTimeMillis, (at) => store.move(id, place, at)),
    remove: store.remove
  })
})

const titleOf = (text: string): string => oneLine(text, 120)

const firstLine = (prompt: string): string => prompt.split(/\r?\n/).find((line) => line.trim() !== "") ?? ""

export const layer: Layer.Layer<Tasks, never, TaskStore | Workspaces | Redactor | Providers> = Layer.effect(Tasks, make)
