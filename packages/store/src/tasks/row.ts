/** Between rows and tasks. Pure. */
import { Ids, type OwnerIdentity, Task, type TaskStore } from "@alluka/core"
import * as Schema from "@alluka/core/Schema"
import * as Either from "effect/Either"
import { decodeOwner } from "../checkpoints/row.js"
import type { Row } from "../connection/Sql.js"

/** What a query of tasks selects, from `taskSource`. */
export const taskColumns = `t.id, t.folder, t.cwd, t.position, t.title, t.prompt, t.prompt_redacted, t.status, t.plan,
  t.labels, t.created_at, t.updated_at, t.started_at, t.done_at, t.run_id, t.run_root, r.state AS run_state`

export const taskSource = "task t LEFT JOIN checkpoint r ON r.id = t.run_id"

const decodeFields = Schema.decodeUnknownEither(Task.Task)

const json = (value: unknown): unknown => JSON.parse(String(value))

/** A row selected as `taskColumns`, or why it is no task. */
export const decodeTask = (row: Row): Either.Either<Task.Task, unknown> =>
  Either.flatMap(
    Either.try({
      try: () => ({
        id: row.id,
        folder: row.folder,
        cwd: row.cwd,
        position: row.position,
        title: row.title,
        prompt: row.prompt,
        promptRedacted: row.prompt_redacted === 1,
        status: row.status,
        plan: json(row.plan),
        labels: json(row.labels),
        createdAt: row.created_at,
        updatedAt: row.updated_at,
        startedAt: row.started_at,
        doneAt: row.done_at,
        run: row.run_id === null ? null : { id: row.run_id, rootId: row.run_root, state: row.run_state }
      }),
      catch: (cause): unknown => cause
    }),
    decodeFields
  )

/** The readable ids of task rows. */
export const taskIdsOf = (rows: ReadonlyArray<Row>): ReadonlyArray<Task.TaskId> =>
  rows.flatMap(({ id }) => (Schema.is(Task.TaskId)(id) ? [id] : []))

export const loopColumns = `l.id, l.folder, l.started_at, l.ended_at, l.max_tasks, l.tasks_completed, l.iterations_completed,
  l.stop_requested_at, o.id AS owner_id, o.host, o.boot_id, o.pid, o.pid_start, o.pid_namespace`

export const loopSource = "task_loop l LEFT JOIN owner o ON o.id = l.owner_id"

const numberOrNull = (value: unknown): number | null => (typeof value === "number" ? value : null)

/** A row selected as `loopColumns`. An owner that cannot be read is one of whom nothing can be proven. */
export const loopOf = (row: Row): TaskStore.TaskLoop => ({
  id: String(row.id),
  folder: String(row.folder),
  owner: Either.getOrElse(decodeOwner({ ...row, id: row.owner_id }), lostOwner),
  startedAt: Number(row.started_at),
  endedAt: numberOrNull(row.ended_at),
  maxTasks: numberOrNull(row.max_tasks),
  tasksCompleted: Number(row.tasks_completed),
  iterationsCompleted: Number(row.iterations_completed),
  stopRequestedAt: numberOrNull(row.stop_requested_at)
})

const lostOwner = (): OwnerIdentity.OwnerRecord => ({
  id: Ids.OwnerId.make("own_000000000000"),
  host: "unknown",
  pid: 0,
  pidStart: null,
  bootId: null,
  pidNamespace: null
})
