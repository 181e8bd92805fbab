/** Changes that people make to tasks: each one transaction. */
import {
  type CheckpointStore,
  type TaskStore as Port,
  type Task,
  Task as TaskModel,
  TaskOrder,
  TaskStore
} from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { idsOf } from "../checkpoints/row.js"
import { type Database, synced } from "../connection/Database.js"
import type { Statements } from "../connection/Statements.js"
import { readable, selectTask } from "./find.js"
import { taskIdsOf } from "./row.js"

type Write = Port.TaskStore["Type"]

const options = (name: string) => synced(`TaskStore.${name}`)

const nextNumber = "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'task'), 0) + 1 AS number"

const insert = `INSERT INTO task (number, id, folder, cwd, position, title, prompt, prompt_redacted, status, plan, labels,
    created_at, updated_at, done_at)
  VALUES (?, ?, ?, ?, (SELECT coalesce(max(position), 0) + 1 FROM task WHERE folder = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?)`

const insertOne = (sql: Statements, draft: Port.TaskDraft, at: number): Task.TaskId => {
  const [next] = sql.run(nextNumber)
  const number = Number(next?.number)
  const id = TaskModel.taskId(draft.prefix, number)
  sql.run(
    insert,
    number,
    id,
    draft.folder,
    draft.cwd,
    draft.folder,
    draft.title,
    draft.prompt,
    draft.promptRedacted ? 1 : 0,
    draft.status,
    JSON.stringify(draft.plan),
    JSON.stringify(draft.labels),
    at,
    at,
    draft.status === "done" ? at : null
  )
  return id
}

export const add =
  (database: Database): Write["add"] =>
  (drafts, at) => {
    const { operation } = options("add")
    return database
      .write(options("add"), (sql) =>
        Either.all(
          drafts.map((draft) => {
            const id = insertOne(sql, draft, at)
            const [row] = sql.run(selectTask, id)
            return readable(operation, id, row ?? {})
          })
        )
      )
      .pipe(Effect.catchTag("RecordCorrupt", Effect.die))
  }

/** The task's row, or why it may not be changed now. */
const changeable = (
  sql: Statements,
  id: Task.TaskId,
  leavesTheRun: boolean
): Either.Either<void, Port.TaskNotFound | Port.TaskBusy> => {
  const [row] = sql.run("SELECT id FROM task WHERE id = ?", id)
  if (row === undefined) return Either.left(new TaskStore.TaskNotFound({ id }))
  if (leavesTheRun) return Either.void
  const [run] = idsOf(sql.run("SELECT id FROM checkpoint WHERE task_id = ? AND state = 'running'", id))
  return run === undefined ? Either.void : Either.left(new TaskStore.TaskBusy({ id, run }))
}

const reread = (
  sql: Statements,
  operation: string,
  id: Task.TaskId
): Either.Either<Task.Task, Port.TaskNotFound | CheckpointStore.RecordCorrupt> => {
  const [row] = sql.run(selectTask, id)
  return row === undefined ? Either.left(new TaskStore.TaskNotFound({ id })) : readable(operation, id, row)
}

export const update =
  (database: Database): Write["update"] =>
  (id, change, at) =>
    database.write(options("update"), (sql) =>
      Either.gen(function* () {
        yield* changeable(sql, id, change.status === undefined)
        const set = (column: string, value: string | number) =>
          sql.run(`UPDATE task SET ${column} = ?, updated_at = ? WHERE id = ?`, value, at, id)
        if (change.title !== undefined) set("title", change.title)
        if (change.prompt !== undefined) {
          set("prompt", change.prompt.text)
          set("prompt_redacted", change.prompt.redacted ? 1 : 0)
        }
        if (change.plan !== undefined) set("plan", JSON.stringify(change.plan))
        if (change.labels !== undefined) set("labels", JSON.stringify(change.labels))
        if (change.status !== undefined) {
          set("status", change.status)
          sql.run("UPDATE task SET done_at = ? WHERE id = ?", change.status === "done" ? at : null, id)
        }
        return yield* reread(sql, options("update").operation, id)
      })
    )

const folderIds = "SELECT id FROM task WHERE folder = ? ORDER BY position, number"

const renumber = (sql: Statements, ids: ReadonlyArray<string>): void => {
  for (const [index, id] of ids.entries()) sql.run("UPDATE task SET position = ? WHERE id = ?", index + 1, id)
}

export const move =
  (database: Database): Write["move"] =>
  (id, place, at) =>
    database.write(options("move"), (sql) =>
      Either.gen(function* () {
        const [row] = sql.run("SELECT folder FROM task WHERE id = ?", id)
        if (row === undefined) return yield* Either.left(new TaskStore.TaskNotFound({ id }))
        const ids = taskIdsOf(sql.run(folderIds, String(row.folder)))
        const beside = "before" in place ? place.before : "after" in place ? place.after : null
        if (beside !== null && !ids.includes(beside)) {
          return yield* Either.left(new TaskStore.TaskNotFound({ id: beside }))
        }
        renumber(sql, TaskOrder.reordered(ids, id, place))
        sql.run("UPDATE task SET updated_at = ? WHERE id = ?", at, id)
        return yield* reread(sql, options("move").operation, id)
      })
    )

export const remove =
  (database: Database): Write["remove"] =>
  (ids) =>
    database.write(options("remove"), (sql) =>
      Either.gen(function* () {
        for (const id of ids) {
          yield* changeable(sql, id, false)
          const [gone] = sql.run("DELETE FROM task WHERE id = ? RETURNING folder", id)
          if (gone !== undefined) renumber(sql, taskIdsOf(sql.run(folderIds, String(gone.folder))))
        }
      })
    )

export const putBack =
  (database: Database): Write["putBack"] =>
  (id, at) =>
    database.write(options("putBack"), (sql) => {
      const put = sql.change(
        `UPDATE task SET status = 'todo', updated_at = ? WHERE id = ? AND status = 'doing'
           AND NOT EXISTS (SELECT 1 FROM checkpoint c WHERE c.task_id = task.id AND c.state = 'running')`,
        at,
        id
      )
      return Either.right(put.rows > 0)
    })
