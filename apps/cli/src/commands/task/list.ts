/** `alluka task list`. */
import { Documents, type Task, Tasks, Workspaces } from "@alluka/core"
import * as Effect from "effect/Effect"
import { withApp } from "../../app.js"
import type { Command } from "../../Command.js"
import { withFields } from "../../output/fields.js"
import { answerTasks } from "../../tasks/answer.js"

export const list: Command = (invocation, io) =>
  withApp(invocation, io, { open: "reconcile" }, ({ output }) =>
    Effect.gen(function* () {
      const { options } = invocation
      const tasks = yield* Tasks.Tasks
      const workspaces = yield* Workspaces.Workspaces
      const page = yield* tasks.list({
        folder: options.flag("here") ? (yield* workspaces.resolve(io.cwd)).realPath : null,
        statuses: options.list("status") as ReadonlyArray<Task.TaskStatus>
      })
      if (page.skipped > 0) {
        yield* Effect.promise(() =>
          output.note(`${page.skipped} ${page.skipped === 1 ? "task is" : "tasks are"} damaged and not shown`)
        )
      }
      if (options.flag("ids")) yield* Effect.promise(() => output.text(page.items.map(({ id }) => id).join("\n")))
      else if (output.json) {
        const document = Documents.taskListDocument(page.items, { total: page.items.length, nextCursor: null })
        const items = yield* withFields(document.items, options, { kind: "task", what: "a task" })
        yield* Effect.promise(() => output.document({ ...document, items }))
      } else yield* answerTasks(page.items, output)
      return 0
    })
  )
