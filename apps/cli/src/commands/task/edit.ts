/** `alluka task edit ID`: changes what is named and leaves the rest. */
import { type Task, Tasks } from "@alluka/core"
import * as Effect from "effect/Effect"
import { withApp } from "../../app.js"
import type { Command } from "../../Command.js"
import { promptText } from "../../prompt.js"
import { answerTask } from "../../tasks/answer.js"
import { planOf } from "../../tasks/plan.js"

export const edit: Command = (invocation, io) =>
  withApp(invocation, io, { open: "reconcile" }, ({ config, output }) =>
    Effect.gen(function* () {
      const { options } = invocation
      const tasks = yield* Tasks.Tasks
      const task = yield* tasks.find(invocation.args[0] ?? "")
      const prompt = yield* promptText({ argument: null, flag: options.text("prompt") })
      const title = options.text("title")
      const status = options.text("status") as Exclude<Task.TaskStatus, "doing"> | null
      const labels = Object.entries(options.pairs("label"))
      const kept = Object.entries(task.labels).filter(([name]) => !labels.some(([given]) => given === name))
      const plan = yield* planOf(options, config, io.cwd, task.plan)
      const changed = yield* tasks.edit(task.id, {
        // What is not changed is not looked at again: its provider may be gone by now.
        ...(JSON.stringify(plan) === JSON.stringify(task.plan) ? {} : { plan }),
        ...(prompt === null ? {} : { prompt }),
        ...(title === null ? {} : { title }),
        ...(status === null ? {} : { status }),
        // An empty value takes a label away.
        ...(labels.length === 0
          ? {}
          : { labels: Object.fromEntries([...kept, ...labels.filter(([, value]) => value !== "")]) })
      })
      yield* answerTask(changed, output)
      return 0
    })
  )
