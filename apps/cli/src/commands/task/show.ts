/** `alluka task show ID`. */
import { Tasks } from "@alluka/core"
import * as Effect from "effect/Effect"
import { withApp } from "../../app.js"
import type { Command } from "../../Command.js"
import { answerTask } from "../../tasks/answer.js"

export const show: Command = (invocation, io) =>
  withApp(invocation, io, { open: "reconcile" }, ({ output }) =>
    Effect.gen(function* () {
      const tasks = yield* Tasks.Tasks
      yield* answerTask(yield* tasks.find(invocation.args[0] ?? ""), output)
      return 0
    })
  )
