/** `alluka task add`. */
import { resolve } from "node:path"
import { Task, Tasks } from "@alluka/core"
import * as Effect from "effect/Effect"
import { withApp } from "../../app.js"
import { ask } from "../../ask.js"
import type { Command } from "../../Command.js"
import { textSetting } from "../../config/merge.js"
import { usage } from "../../errors.js"
import { promptText } from "../../prompt.js"
import { Refusal } from "../../Refusal.js"
import { answerTask } from "../../tasks/answer.js"
import { planOf } from "../../tasks/plan.js"

export const add: Command = (invocation, io) =>
  withApp(invocation, io, { open: "reconcile" }, ({ config, output }) =>
    Effect.gen(function* () {
      const { options } = invocation
      const tasks = yield* Tasks.Tasks
      const given = yield* promptText({ argument: invocation.args[0] ?? null, flag: options.text("prompt") })
      const prompt = given ?? (output.interactive ? yield* ask("What is to be done?") : null)
      if (prompt === null || prompt.trim() === "") {
        return yield* new Refusal({
          problem: usage(prompt === null ? "there is no task" : "the task is empty", [
            { argv: ["task", "add", "fix the failing test"], why: "names it as an argument" },
            { argv: ["task", "add", "-"], why: "reads it from stdin" }
          ])
        })
      }
      const [task] = yield* tasks.add([
        {
          cwd: resolve(io.cwd, options.text("cd") ?? "."),
          prompt,
          title: options.text("title"),
          labels: options.pairs("label"),
          plan: yield* planOf(options, config, io.cwd),
          prefix: textSetting(config, "task.prefix") ?? Task.defaultPrefix,
          status: "todo"
        }
      ])
      if (task === undefined) return 1
      if (task.promptRedacted) {
        yield* Effect.promise(() =>
          output.note("alluka: the task held a secret; it is kept, and given to the agent, without it")
        )
      }
      yield* answerTask(task, output)
      return 0
    })
  )
