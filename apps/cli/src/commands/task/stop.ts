/** `alluka task stop`: asks the loop of a folder to end after the task that it is at. */
import { resolve } from "node:path"
import { Documents, TaskRuns } from "@alluka/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { withApp } from "../../app.js"
import type { Command } from "../../Command.js"
import { problem } from "../../errors.js"
import { Refusal } from "../../Refusal.js"

export const stop: Command = (invocation, io) =>
  withApp(invocation, io, { open: "reconcile" }, ({ output }) =>
    Effect.gen(function* () {
      const runs = yield* TaskRuns.TaskRuns
      const cwd = resolve(io.cwd, invocation.options.text("cd") ?? ".")
      const found = yield* runs.stop(cwd)
      if (Option.isNone(found)) {
        return yield* new Refusal({
          problem: problem(3, "no_loop", "no task run is going on in this folder", {
            hints: [{ argv: ["task", "list"], why: "shows the tasks and their runs" }]
          })
        })
      }
      const loop = found.value
      const message = `the task run of pid ${loop.owner.pid} on ${loop.owner.host} ends after its present task`
      const at = yield* Clock.currentTimeMillis
      yield* Effect.promise(() =>
        output.json
          ? output.document({
              ...Documents.heartbeatLine({
                checkpointId: null,
                taskId: null,
                phase: null,
                at,
                message,
                payload: { loop_id: loop.id, stop_requested: true, tasks_completed: loop.tasksCompleted }
              }),
              kind: "notice"
            })
          : output.text(`${message.charAt(0).toUpperCase()}${message.slice(1)}.`)
      )
      return 0
    })
  )
