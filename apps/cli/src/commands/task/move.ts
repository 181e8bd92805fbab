/** `alluka task move ID`: changes the order in which tasks are done. */
import { type TaskStore, Tasks } from "@alluka/core"
import * as Effect from "effect/Effect"
import { withApp } from "../../app.js"
import type { Options } from "../../arguments/Option.js"
import type { Command } from "../../Command.js"
import { usage } from "../../errors.js"
import { Refusal } from "../../Refusal.js"
import { answerTasks } from "../../tasks/answer.js"

export const move: Command = (invocation, io) =>
  withApp(invocation, io, { open: "reconcile" }, ({ output }) =>
    Effect.gen(function* () {
      const tasks = yield* Tasks.Tasks
      const task = yield* tasks.find(invocation.args[0] ?? "")
      const moved = yield* tasks.move(task.id, yield* placeOf(invocation.options))
      const { items } = yield* tasks.list({ folder: moved.folder, statuses: [] })
      yield* answerTasks(items, output)
      return 0
    })
  )

const placeOf = (options: Options) =>
  Effect.gen(function* () {
    const tasks = yield* Tasks.Tasks
    const before = options.text("before")
    const after = options.text("after")
    const position = options.number("to")
    const places: ReadonlyArray<TaskStore.Place> = [
      ...(options.flag("top") ? [{ at: "top" as const }] : []),
      ...(options.flag("bottom") ? [{ at: "bottom" as const }] : []),
      ...(before === null ? [] : [{ before: (yield* tasks.find(before)).id }]),
      ...(after === null ? [] : [{ after: (yield* tasks.find(after)).id }]),
      ...(position === null ? [] : [{ position }])
    ]
    const [place, ...others] = places
    if (place !== undefined && others.length === 0) return place
    return yield* new Refusal({
      problem: usage(
        place === undefined
          ? "where to? Say --top, --bottom, --before ID, --after ID or --to N"
          : "one place only: --top, --bottom, --before ID, --after ID or --to N"
      )
    })
  })
