/** Tasks that cannot be read. */
import * as Effect from "effect/Effect"
import { decodeTask, taskColumns, taskSource } from "../../tasks/row.js"
import type { Kind } from "./Kind.js"

/** One that was never run: a run's saved session is told to be of a task that is damaged, not of one that was removed. */
const takeOut = `DELETE FROM task WHERE number = ? AND NOT EXISTS (
    SELECT 1 FROM checkpoint c WHERE c.task_id IS NOT NULL AND c.task_id = task.id)`

export const tasks: Kind = {
  select: `SELECT t.number AS number, ${taskColumns} FROM ${taskSource} WHERE t.number > ? ORDER BY t.number`,
  page: 500,
  decode: decodeTask,
  about: ({ status, title }) => `${status}, ${title}`,
  stored: (sql, number) =>
    Effect.map(sql.unprepared("SELECT * FROM task WHERE number = ?", number), ([record]) =>
      record === undefined ? null : { record }
    ),
  takeOut: (sql, number) => sql.change(takeOut, number).rows > 0
}
