/** A list of tasks from a file: what `task export` wrote, or a plain list of texts or objects. */
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
const Item = Schema.Union(
  Schema.String,
  Schema.Struct({
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
)

const File = Schema.Union(Schema.Array(Item), Schema.Struct({ items: Schema.Array(Item) }))

const decode = Schema.decodeUnknownEither(File, { errors: "first" })

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
  const decoded = decode(json)
  if (Either.isLeft(decoded)) return "it is no list of tasks: each is a text, or an object with a prompt"
  const items = "items" in decoded.right ? decoded.right.items : decoded.right
  let gatesLeftOut = 0
  const tasks = items.map((item): Tasks.NewTask => {
    const given = typeof item === "string" ? { prompt: item } : item
    const gate = "gate" in given ? (given.gate ?? null) : null
    const command =
      gate === null || gate === "none"
        ? gate
        : { argv: gate.argv, shell: gate.shell ?? false, timeoutMs: gate.timeout_ms ?? into.gateTimeoutMs }
    if (command !== null && command !== "none" && !into.withGates) gatesLeftOut += 1
    const full = typeof item === "string" ? null : item
    return {
      cwd: into.cwd,
      prefix: into.prefix,
      prompt: given.prompt,
      title: full?.title ?? null,
      labels: full?.labels ?? {},
      status: full?.status === "done" || full?.status === "rejected" ? full.status : "todo",
      plan: {
        phases: full?.phases ?? null,
        settings: settingsOf(full?.settings),
        ofPhases: Object.fromEntries(
          (full?.phase_settings ?? []).map(({ phase, ...settings }) => [phase, settingsOf(settings)])
        ),
        addDirs: full?.add_dirs ?? [],
        gate: command === "none" || into.withGates ? command : null
      }
    }
  })
  return { tasks, gatesLeftOut }
}

/** The tasks as a file: `importedTasks` reads it back. */
export const exportedText = (tasks: ReadonlyArray<Task.Task>): string =>
  `${JSON.stringify(Documents.taskListDocument(tasks, { total: tasks.length, nextCursor: null }), null, 2)}\n`
