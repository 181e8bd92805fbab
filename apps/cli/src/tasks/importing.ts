/** A list of tasks from a file: what `task export` wrote, or a plain list of texts or objects. */
import { resolve } from "node:path"
import { Documents, type State, Task, type Tasks } from "@alluka/core"
import * as Schema from "@alluka/core/Schema"
import * as Either from "effect/Either"

const Settings = Schema.Struct({
  provider: Schema.optional(Schema.NullOr(Schema.String)),
  model: Schema.optional(Schema.NullOr(Schema.String)),
  thinking: Schema.optional(Schema.NullOr(Schema.String)),
  permission: Schema.optional(Schema.NullOr(Schema.Literal("read", "edit", "full")))
})

const Gate = Schema.Struct({
  argv: Schema.Array(Schema.String).pipe(Schema.minItems(1)),
  shell: Schema.optional(Schema.Boolean),
  timeout_ms: Schema.optional(Schema.Number.pipe(Schema.int(), Schema.positive()))
})

/** A task as a file holds it: what is left out is as configured. */
const Item = Schema.Struct({
  prompt: Schema.String,
  title: Schema.optional(Schema.NullOr(Schema.String)),
  status: Schema.optional(Task.TaskStatus),
  labels: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String })),
  phases: Schema.optional(Schema.NullOr(Schema.Literal(1, 2, 3))),
  settings: Schema.optional(Settings),
  phase_settings: Schema.optional(Schema.Array(Schema.Struct({ phase: Task.PhaseName, ...Settings.fields }))),
  add_dirs: Schema.optional(Schema.Array(Schema.String)),
  gate: Schema.optional(Schema.NullOr(Schema.Union(Gate, Schema.Literal("none"))))
})
type Item = typeof Item.Type

const decode = Schema.decodeUnknownEither(Item, { errors: "first" })

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** One task of a file; a text says what is wrong with it. */
const itemOf = (value: unknown): Item | string => {
  if (typeof value === "string") return { prompt: value }
  if (!isObject(value)) return "it is neither a text nor an object with a prompt"
  // What was exported may hold more than is read, and more still by a newer program; what a person writes is meant.
  const unknown = value.kind === "task" ? undefined : Object.keys(value).find((name) => !(name in Item.fields))
  if (unknown !== undefined) return `it has no field "${unknown}"; it has ${Object.keys(Item.fields).join(", ")}`
  return Either.match(decode(value), {
    onRight: (item): Item | string => item,
    onLeft: (error) => {
      const [field] = Schema.ArrayFormatter.formatErrorSync(error)[0]?.path ?? []
      return field === "prompt" && value.prompt === undefined
        ? "it has no prompt"
        : `its field "${String(field)}" cannot be ${JSON.stringify(value[String(field)])}`
    }
  })
}

/** The tasks of a file, in its order; a text says what is wrong. */
const itemsOf = (json: unknown): ReadonlyArray<Item> | string => {
  const list = isObject(json) ? json.items : json
  if (!Array.isArray(list)) return "it is no list of tasks: each is a text, or an object with a prompt"
  const items: Array<Item> = []
  for (const [index, value] of list.entries()) {
    const item = itemOf(value)
    if (typeof item === "string") return `task ${index + 1} of it is none: ${item}`
    items.push(item)
  }
  return items
}

const settingsOf = (given: typeof Settings.Type | undefined): Task.Settings => ({
  provider: given?.provider ?? null,
  model: given?.model ?? null,
  thinking: given?.thinking ?? null,
  permission: (given?.permission ?? null) as State.Permission | null
})

export interface Imported {
  readonly tasks: ReadonlyArray<Tasks.NewTask>
  /** Gates that were left out, because a file may come from anybody and a gate is a command that is run. */
  readonly gatesLeftOut: number
}

/**
 * The tasks of a file's text; a text says what is wrong with it. They belong to `cwd` whatever folder they came from; one
 * that was being done is to be done again.
 */
export const importedTasks = (
  text: string,
  into: { readonly cwd: string; readonly prefix: string; readonly withGates: boolean; readonly gateTimeoutMs: number }
): Imported | string => {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    return `it is no valid JSON: ${cause instanceof Error ? cause.message : String(cause)}`
  }
  const items = itemsOf(json)
  if (typeof items === "string") return items
  let gatesLeftOut = 0
  const tasks = items.map((item): Tasks.NewTask => {
    const gate = item.gate ?? null
    const command =
      gate === null || gate === "none"
        ? gate
        : { argv: gate.argv, shell: gate.shell ?? false, timeoutMs: gate.timeout_ms ?? into.gateTimeoutMs }
    if (command !== null && command !== "none" && !into.withGates) gatesLeftOut += 1
    return {
      cwd: into.cwd,
      prefix: into.prefix,
      prompt: item.prompt,
      title: item.title ?? null,
      labels: item.labels ?? {},
      status: item.status === "done" || item.status === "rejected" ? item.status : "todo",
      plan: {
        phases: item.phases ?? null,
        settings: settingsOf(item.settings),
        ofPhases: Object.fromEntries(
          (item.phase_settings ?? []).map(({ phase, ...settings }) => [phase, settingsOf(settings)])
        ),
        addDirs: (item.add_dirs ?? []).map((dir) => resolve(into.cwd, dir)),
        gate: command === "none" || into.withGates ? command : null
      }
    }
  })
  return { tasks, gatesLeftOut }
}

/** The tasks as a file: `importedTasks` reads it back. */
export const exportedText = (tasks: ReadonlyArray<Task.Task>): string =>
  `${JSON.stringify(Documents.taskListDocument(tasks, { total: tasks.length, nextCursor: null }), null, 2)}\n`
