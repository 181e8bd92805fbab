/** `alluka task import FILE` and `alluka task export`. */
import { readFileSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"
import { text as readAll } from "node:stream/consumers"
import { GateCommand, Task, Tasks, Workspaces } from "@alluka/core"
import * as Effect from "effect/Effect"
import { withApp } from "../../app.js"
import type { Command } from "../../Command.js"
import { numberSetting, textSetting } from "../../config/merge.js"
import { problem, usage } from "../../errors.js"
import { Refusal } from "../../Refusal.js"
import { answerTasks } from "../../tasks/answer.js"
import { exportedText, importedTasks } from "../../tasks/importing.js"

const unreadable = (path: string, cause: unknown): Refusal =>
  new Refusal({
    problem: problem(1, "import_unreadable", `${path} could not be read: ${messageOf(cause)}`, {
      hints: ["name a JSON file, or - for stdin"]
    })
  })

const unwritable = (path: string, cause: unknown): Refusal =>
  new Refusal({
    problem:
      (cause as NodeJS.ErrnoException | null)?.code === "EEXIST"
        ? problem(1, "export_exists", `${path} is there already, and nothing was written`, {
            hints: [{ argv: ["task", "export", path, "--force"], why: "overwrites it" }, "name another file"]
          })
        : problem(1, "export_failed", `${path} could not be written: ${messageOf(cause)}`, {
            hints: ["name a file in a folder that can be written"]
          })
  })

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Adds the tasks of a file, all or none. */
export const importTasks: Command = (invocation, io) =>
  withApp(invocation, io, { open: "reconcile" }, ({ config, output }) =>
    Effect.gen(function* () {
      const { options } = invocation
      const tasks = yield* Tasks.Tasks
      const name = invocation.args[0] ?? "-"
      const text = yield* Effect.tryPromise({
        try: () =>
          name === "-" ? readAll(process.stdin) : Promise.resolve(readFileSync(resolve(io.cwd, name), "utf8")),
        catch: (cause) => unreadable(name, cause)
      })
      const read = importedTasks(text, {
        cwd: resolve(io.cwd, options.text("cd") ?? "."),
        prefix: textSetting(config, "task.prefix") ?? Task.defaultPrefix,
        withGates: options.flag("withGates"),
        gateTimeoutMs: numberSetting(config, "task.gate_timeout", GateCommand.defaultGateTimeoutMs)
      })
      if (typeof read === "string") {
        const what = name === "-" ? "stdin" : name
        return yield* new Refusal({
          problem: usage(`nothing was imported from ${what}: ${read}`, [
            { argv: ["task", "export"], why: "prints tasks in the form that is read" },
            { argv: ["schema", "task"], why: "describes that form" }
          ])
        })
      }
      const added = yield* tasks.add(read.tasks)
      if (read.gatesLeftOut > 0) {
        yield* Effect.promise(() =>
          output.note(
            `alluka: the checks of ${read.gatesLeftOut} ${read.gatesLeftOut === 1 ? "task" : "tasks"} were left out: they are commands; --with-gates takes them`
          )
        )
      }
      if (added.length > 0 || output.json) yield* answerTasks(added, output)
      else
        yield* Effect.promise(() => output.text(`Nothing was added: ${name === "-" ? "stdin" : name} holds no task.`))
      return 0
    })
  )

/** Writes the tasks as a file that `task import` reads, to stdout where none is named. */
export const exportTasks: Command = (invocation, io) =>
  withApp(invocation, io, { open: "reconcile" }, ({ output }) =>
    Effect.gen(function* () {
      const { options } = invocation
      const tasks = yield* Tasks.Tasks
      const workspaces = yield* Workspaces.Workspaces
      const folder = options.flag("here") ? (yield* workspaces.resolve(io.cwd)).realPath : null
      const { items } = yield* tasks.list({
        folder,
        statuses: options.list("status") as ReadonlyArray<Task.TaskStatus>
      })
      const name = invocation.args[0]
      if (name === undefined) {
        if (output.json) yield* answerTasks(items, output)
        else yield* Effect.promise(() => output.text(exportedText(items)))
        return 0
      }
      yield* Effect.try({
        // Prompts are private, and an existing file is not overwritten unasked.
        try: () =>
          writeFileSync(resolve(io.cwd, name), exportedText(items), {
            mode: 0o600,
            flag: options.flag("force") ? "w" : "wx"
          }),
        catch: (cause) => unwritable(name, cause)
      })
      yield* Effect.promise(() => output.note(`${items.length} ${items.length === 1 ? "task" : "tasks"} in ${name}`))
      return 0
    })
  )
