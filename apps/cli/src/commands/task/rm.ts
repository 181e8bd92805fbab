/** `alluka task rm ID...`: takes tasks off the list; their runs stay. */
import { Tasks } from "@alluka/core"
import * as Effect from "effect/Effect"
import { withApp } from "../../app.js"
import type { Command } from "../../Command.js"
import { answerTasks } from "../../tasks/answer.js"
import { confirmed } from "../../tidy.js"

export const rm: Command = (invocation, io) =>
  withApp(invocation, io, { open: "reconcile" }, ({ output }) =>
    Effect.gen(function* () {
      const tasks = yield* Tasks.Tasks
      const named = yield* Effect.forEach(invocation.args, tasks.find)
      const found = named.filter(({ id }, at) => named.findIndex((other) => other.id === id) === at)
      const ids = found.map(({ id }) => id)
      if (!(yield* confirmed(`Remove ${ids.join(", ")} from the list for good?`, output))) return 5
      yield* tasks.remove(ids)
      if (output.json) yield* answerTasks(found, output)
      else yield* Effect.promise(() => output.text(ids.map((id) => `removed  ${id}`).join("\n")))
      return 0
    })
  )
