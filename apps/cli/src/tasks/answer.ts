/** Tasks as the answer of a command. */
import { Documents, type Task } from "@alluka/core"
import * as Effect from "effect/Effect"
import { renderTask, renderTasks } from "../output/human/task.js"
import type { Output } from "../output/Output.js"

/** One task: its document, or in words. */
export const answerTask = (task: Task.Task, output: Output): Effect.Effect<void> =>
  Effect.promise(() =>
    output.json ? output.document(Documents.taskDocument(task)) : output.text(renderTask(task, output))
  )

/** Several, in their order. */
export const answerTasks = (tasks: ReadonlyArray<Task.Task>, output: Output): Effect.Effect<void> =>
  Effect.promise(() =>
    output.json
      ? output.document(Documents.taskListDocument(tasks, { total: tasks.length, nextCursor: null }))
      : output.text(renderTasks(tasks, output))
  )
