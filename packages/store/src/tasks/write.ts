/** Changes that people make to tasks: each one transaction. */
import { type TaskStore as Port, type Task, Task as TaskModel, TaskOrder, TaskStore } from "@alluka/core"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { idsOf } from "../checkpoints/row.js"
import { type Database, synced } from "../connection/Database.js"
import type { Row, Sql } from "../connection/Sql.js"
import { readable, selectTask } from "./find.js"
import { taskIdsOf } from "./row.js"

type Write = Port.TaskStore["Type"]

const options = (name: string) => synced(`TaskStore.${name}`)

const nextNumber = "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'task'), 0) + 1 AS number"

const insert = `INSERT INTO task (number, id, folder, cwd, position, title, prompt, prompt_redacted, status, plan, labels,
    created_at, updated_at, done_at)
  VALUES (?, ?, ?, ?, (SELECT coalesce(max(position), 0) + 1 FROM task WHERE folder = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?)`

const insertOne = (sql: Sql, draft: Port.TaskDraft, at: number): Effect.Effect<Task.TaskId, SqlError> =>
  Effect.gen(function* () {
    const [next] = yield* sql.run(nextNumber)
    const number = Number(next?.number)
    const id = TaskModel.taskId(draft.prefix, number)
    yield* sql.run(
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
  })

export const add =
  (database: Database): Write["add"] =>
  (drafts, at) => {
    const { operation } = options("add")
    return database
      .write(options("add"), (sql) =>
        Effect.forEach(drafts, (draft) =>
          Effect.gen(function* () {
            const id = yield* insertOne(sql, draft, at)
            const [row] = yield* sql.run(selectTask, id)
            return yield* readable(operation, id, row ?? {})
          })
        )
      )
      .pipe(Effect.catchTag("RecordCorrupt", Effect.die))
  }

/** The task's row, or why it may not be changed now. */
const changeable = (sql: Sql, id: Task.TaskId, leavesTheRun: boolean) =>
  Effect.gen(function* () {
    const [row] = yield* sql.run("SELECT id FROM task WHERE id = ?", id)
    if (row === undefined) return yield* new TaskStore.TaskNotFound({ id })
    if (leavesTheRun) return
    const [run] = idsOf(yield* sql.run("SELECT id FROM checkpoint WHERE task_id = ? AND state = 'running'", id))
    if (run !== undefined) return yield* new TaskStore.TaskBusy({ id, run })
  })

const reread = (sql: Sql, operation: string, id: Task.TaskId) =>
  Effect.gen(function* () {
    const [row]: ReadonlyArray<Row> = yield* sql.run(selectTask, id)
    return row === undefined ? yield* new TaskStore.TaskNotFound({ id }) : yield* readable(operation, id, row)
  })

export const update =
  (database: Database): Write["update"] =>
  (id, change, at) =>
    database.write(options("update"), (sql) =>
      Effect.gen(function* () {
        yield* changeable(sql, id, change.status === undefined)
        const set = (column: string, value: string | number) =>
          sql.run(`UPDATE task SET ${column} = ?, updated_at = ? WHERE id = ?`, value, at, id)
        if (change.title !== undefined) yield* set("title", change.title)
        if (change.prompt !== undefined) {
          yield* set("prompt", change.prompt.text)
          yield* set("prompt_redacted", change.prompt.redacted ? 1 : 0)
        }
        if (change.plan !== undefined) yield* set("plan", JSON.stringify(change.plan))
        if (change.labels !== undefined) yield* set("labels", JSON.stringify(change.labels))
        if (change.status !== undefined) {
          yield* set("status", change.status)
          yield* sql.run("UPDATE task SET done_at = ? WHERE id = ?", change.status === "done" ? at : null, id)
        }
        return yield* reread(sql, options("update").operation, id)
      })
    )

const folderIds = "SELECT id FROM task WHERE folder = ? ORDER BY position, number"

const renumber = (sql: Sql, ids: ReadonlyArray<string>): Effect.Effect<void, SqlError> =>
  Effect.forEach(ids, (id, index) => sql.run("UPDATE task SET position = ? WHERE id = ?", index + 1, id), {
    discard: true
  })

export const move =
  (database: Database): Write["move"] =>
  (id, place, at) =>
    database.write(options("move"), (sql) =>
      Effect.gen(function* () {
        const [row] = yield* sql.run("SELECT folder FROM task WHERE id = ?", id)
        if (row === undefined) return yield* new TaskStore.TaskNotFound({ id })
        const ids = taskIdsOf(yield* sql.run(folderIds, String(row.folder)))
        const beside = "before" in place ? place.before : "after" in place ? place.after : null
        if (beside !== null && !ids.includes(beside)) return yield* new TaskStore.TaskNotFound({ id: beside })
        yield* renumber(sql, TaskOrder.reordered(ids, id, place))
        yield* sql.run("UPDATE task SET updated_at = ? WHERE id = ?", at, id)
        return yield* reread(sql, options("move").operation, id)
      })
    )

export const remove =
  (database: Database): Write["remove"] =>
  (ids) =>
    database.write(options("remove"), (sql) =>
      Effect.gen(function* () {
        for (const id of ids) {
          yield* changeable(sql, id, false)
          const [gone] = yield* sql.run("DELETE FROM task WHERE id = ? RETURNING folder", id)
          if (gone !== undefined) yield* renumber(sql, taskIdsOf(yield* sql.run(folderIds, String(gone.folder))))
        }
      })
    )

export const putBack =
  (database: Database): Write["putBack"] =>
  (id, at) =>
    Effect.map(
      database.write(options("putBack"), (sql) =>
        sql.run(
          `UPDATE task SET status = 'todo', updated_at = ? WHERE id = ? AND status = 'doing'
             AND NOT EXISTS (SELECT 1 FROM checkpoint c WHERE c.task_id = task.id AND c.state = 'running')
           RETURNING id`,
          at,
          id
        )
      ),
      (rows) => rows.length > 0
    )
