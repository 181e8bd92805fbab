/**
 * What the beginning and the end of a run mean for its task and its loop: statements inside the very transaction of the
 * checkpoint, so that a task is never `doing` without a run of it, nor a run counted that did not end.
 */
import { CheckpointStore, type Ids, type State } from "@alluka/core"
import * as Either from "effect/Either"
import type { Statements } from "../connection/Statements.js"

const start = `UPDATE task SET status = 'doing', run_id = ?, run_root = ?, started_at = ?, updated_at = ?, done_at = NULL
  WHERE id = ? AND status IN ('todo', 'doing')`

type Starting = Pick<CheckpointStore.Draft, "id" | "taskId" | "startedAt">

/** A run of a task goes on from an earlier one. A task that was settled meanwhile, or removed, stays as it is. */
export const taskGoesOn = (sql: Statements, draft: Starting, rootId: Ids.CheckpointId, at: number): void => {
  if (draft.taskId !== null) sql.change(start, draft.id, rootId, draft.startedAt, at, draft.taskId)
}

/** A new run of a task begins. `Conflict`: the task is done or rejected by now; so none is done twice. */
export const taskStarts = (
  sql: Statements,
  operation: string,
  draft: Starting,
  at: number
): Either.Either<void, CheckpointStore.Conflict> => {
  if (draft.taskId === null) return Either.void
  const started = sql.change(start, draft.id, draft.id, draft.startedAt, at, draft.taskId)
  if (started.rows > 0) return Either.void
  const [settled] = sql.run("SELECT run_id AS id FROM task WHERE id = ?", draft.taskId)
  return settled === undefined
    ? Either.void
    : Either.left(new CheckpointStore.Conflict({ operation, on: "task", holder: null }))
}

const end = `UPDATE task
  SET status = CASE ? WHEN 'completed' THEN 'done' WHEN 'cancelled' THEN 'todo' ELSE status END,
      done_at = CASE ? WHEN 'completed' THEN ? ELSE done_at END,
      updated_at = ?
  WHERE run_id = ? AND status = 'doing'`

const count = `UPDATE task_loop
  SET iterations_completed = iterations_completed + 1, tasks_completed = tasks_completed + ?
  WHERE id = (SELECT CASE WHEN json_valid(spec) THEN spec ->> '$.loop.id' END FROM checkpoint WHERE id = ?)`

/**
 * The run of a task ended: completed, the task is done; cancelled, it is to be done again; otherwise it can go on. Its loop
 * counts what came to an end of its own.
 */
export const taskEnds = (sql: Statements, id: Ids.CheckpointId, state: State.EndState, at: number): void => {
  sql.run(end, state, state, at, at, id)
  if (state === "completed" || state === "failed") sql.run(count, state === "completed" ? 1 : 0, id)
}

/** The same for the runs of dead owners, which are interrupted or cancelled. */
export const tasksOfDeadRuns = (sql: Statements, ids: ReadonlyArray<Ids.CheckpointId>, at: number): void => {
  sql.run(
    `UPDATE task SET status = 'todo', updated_at = ?
     WHERE status = 'doing' AND run_id IN (
       SELECT c.id FROM json_each(?) j JOIN checkpoint c ON c.id = j.value WHERE c.state = 'cancelled')`,
    at,
    JSON.stringify(ids)
  )
}
