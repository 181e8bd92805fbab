/** Reading tasks, and the conversations of tasks that could go on. */
import type { Task } from "@alluka/core"
import { CheckpointStore, type TaskStore } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { checkpointColumns, checkpointSource, decodeAll, decodeCheckpoint } from "../checkpoints/row.js"
import type { Database } from "../connection/Database.js"
import type { Row, Sql } from "../connection/Sql.js"
import { decodeTask, taskColumns, taskSource } from "./row.js"

type Find = TaskStore.TaskStore["Type"]

export const selectTask = `SELECT ${taskColumns} FROM ${taskSource} WHERE t.id = ?`

/** A task row as a value, or as the failure that says which one is damaged. */
export const readable = (
  operation: string,
  id: string,
  row: Row
): Either.Either<Task.Task, CheckpointStore.RecordCorrupt> =>
  Either.mapLeft(decodeTask(row), (cause) => new CheckpointStore.RecordCorrupt({ operation, id, cause }))

export const get =
  (database: Database): Find["get"] =>
  (id) => {
    const operation = "TaskStore.get"
    return Effect.flatMap(
      database.read(operation, (sql) => sql.run(selectTask, id)),
      ([row]) => (row === undefined ? Effect.succeedNone : Effect.asSome(readable(operation, id, row)))
    )
  }

export const list =
  (database: Database): Find["list"] =>
  ({ folder, statuses }) =>
    Effect.map(
      database.read("TaskStore.list", (sql) =>
        sql.run(
          `SELECT ${taskColumns} FROM ${taskSource}
           WHERE (? IS NULL OR t.folder = ?) AND (? = '[]' OR t.status IN (SELECT value FROM json_each(?)))
           ORDER BY t.folder, t.position, t.number`,
          folder,
          folder,
          JSON.stringify(statuses),
          JSON.stringify(statuses)
        )
      ),
      (rows) => decodeAll(rows, decodeTask)
    )

/** The lineages to look at: of what is being done in the folder, and of the newest run of a task there. */
const roots = `SELECT run_root AS root FROM task WHERE folder = ? AND status = 'doing' AND run_root IS NOT NULL
  UNION
  SELECT root_id FROM (SELECT root_id FROM checkpoint INDEXED BY checkpoint_by_task_folder
    WHERE folder = ? AND task_id IS NOT NULL ORDER BY seq DESC LIMIT 1)`

const attemptsOf = `SELECT ${checkpointColumns} FROM ${checkpointSource}
  WHERE c.root_id IN (${roots}) AND c.task_id IS NOT NULL ORDER BY c.seq`

const tasksOf = `SELECT ${taskColumns} FROM ${taskSource} WHERE t.id IN (SELECT value FROM json_each(?))`

/** Both in one read: the queries run one after the other on the read connection. */
const rowsOf = (sql: Sql, folder: string) =>
  Effect.gen(function* () {
    const rows = yield* sql.run(attemptsOf, folder, folder)
    const ids = JSON.stringify([...new Set(rows.map(({ task_id }) => task_id))])
    return { rows, tasks: decodeAll(yield* sql.run(tasksOf, ids), decodeTask).items }
  })

export const lineages =
  (database: Database): Find["lineages"] =>
  (folder) =>
    Effect.map(
      database.read("TaskStore.lineages", (sql) => rowsOf(sql, folder)),
      ({ rows, tasks }) => grouped(rows, tasks)
    )

/** Rows, oldest first, by the run that they are attempts of; the newest first. What cannot be read is named. */
const grouped = (rows: ReadonlyArray<Row>, tasks: ReadonlyArray<Task.Task>): ReadonlyArray<TaskStore.TaskLineage> => {
  const byRoot = new Map<string, Array<Row>>()
  for (const row of rows) {
    // Moved to the end: the order of the map is that of the newest attempts.
    const before = byRoot.get(String(row.root_id)) ?? []
    byRoot.delete(String(row.root_id))
    byRoot.set(String(row.root_id), [...before, row])
  }
  return [...byRoot]
    .map(([rootId, own]): TaskStore.TaskLineage => {
      const taskId = String(own[0]?.task_id)
      const decoded = own.map((row) => ({ row, attempt: decodeCheckpoint(row) }))
      return {
        taskId,
        rootId,
        task: tasks.find(({ id }) => id === taskId) ?? null,
        attempts: decoded.flatMap(({ attempt }) => (Either.isRight(attempt) ? [attempt.right] : [])),
        damaged: decoded.flatMap(({ attempt, row }) => (Either.isLeft(attempt) ? [String(row.id)] : []))
      }
    })
    .reverse()
}
