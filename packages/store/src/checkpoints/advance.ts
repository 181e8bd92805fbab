/** What the owner of a running checkpoint writes: progress, and the end. Every write is fenced by owner and state. */
import { CheckpointStore, type Ids } from "@alluka/core"
import * as Either from "effect/Either"
import { defaultWaitMs } from "../connection/busy.js"
import type { Database } from "../connection/Database.js"
import type { Statements } from "../connection/Statements.js"
import { taskEnds } from "../tasks/runs.js"
import { orConflict, type Wanted } from "./conflict.js"
import { insertEvents } from "./events.js"
import { type ProgressColumns, progressColumns } from "./row.js"

const text = (value: unknown): string | null => (typeof value === "string" ? value : null)

/** No row took the write: the run is not ours any more. */
const fenced = (operation: string, id: Ids.CheckpointId, rows: number): Either.Either<void, CheckpointStore.Fenced> =>
  rows === 0 ? Either.left(new CheckpointStore.Fenced({ operation, id })) : Either.void

/**
 * The conversation of an attempt was seen to be open: from now on the attempt is the tip, and its source is superseded. A
 * source that somebody removed meanwhile changes nothing about that.
 */
const confirm = (sql: Statements, id: Ids.CheckpointId, source: Ids.CheckpointId): void => {
  sql.run("UPDATE checkpoint SET resumed_by = ?, is_tip = 0 WHERE id = ? AND resumed_by IS NULL", id, source)
  sql.run(
    `UPDATE checkpoint SET is_tip = 1 WHERE id = ? AND is_tip = 0
       AND NOT EXISTS (SELECT 1 FROM checkpoint s WHERE s.id = ? AND s.resumed_by <> ?)`,
    id,
    source,
    id
  )
}

/** Of the unique columns a write of the owner sets the provider's session only. */
const wantedBy = (id: Ids.CheckpointId, columns: ProgressColumns): Wanted => ({
  id,
  rootId: null,
  sessionId: null,
  key: null,
  taskId: null,
  provider: columns.provider,
  providerSessionId: columns.providerSessionId
})

/**
 * The owner keeps what it could not write and tries again a moment later, so it waits little: while it waits it neither
 * sees a cancel nor reads its provider.
 */
const progressWaitMs = { full: 2000, normal: 250 } as const

/** What every write of the owner sets, and the row that it is fenced to, in the order of the statements. */
const written = (columns: ProgressColumns, write: Pick<CheckpointStore.OwnerWrite, "at" | "id" | "owner">) =>
  [
    columns.progress,
    columns.provider,
    columns.model,
    columns.providerSessionId,
    write.at,
    write.id,
    write.owner
  ] as const

/** Only what always changes: each column that is set costs the indexes it is in, although it stays what it was. */
const updateSame = `UPDATE checkpoint SET progress = ?, updated_at = ?
  WHERE id = ? AND owner_id = ? AND state = 'running'
    AND provider = ? AND model IS ? AND provider_session_id IS ?`

const updateProgress = `UPDATE checkpoint
  SET progress = ?, provider = ?, model = ?, provider_session_id = ?, updated_at = ?
  WHERE id = ? AND owner_id = ? AND state = 'running'`

export const progress =
  (database: Database): CheckpointStore.CheckpointStore["Type"]["progress"] =>
  (write) => {
    const operation = "CheckpointStore.progress"
    const { durability } = write
    const options = { operation, durability, waitMs: progressWaitMs[durability], whenReadOnly: "refuse" } as const
    return database.write(options, (sql) =>
      Either.gen(function* () {
        const columns = progressColumns(write.progress)
        const same = sql.change(
          updateSame,
          columns.progress,
          write.at,
          write.id,
          write.owner,
          columns.provider,
          columns.model,
          columns.providerSessionId
        )
        const rows =
          same.rows > 0
            ? same.rows
            : yield* orConflict(
                sql,
                operation,
                wantedBy(write.id, columns),
                () => sql.change(updateProgress, ...written(columns, write)).rows
              )
        yield* fenced(operation, write.id, rows)
        if (write.confirmsResumeOf !== null) confirm(sql, write.id, write.confirmsResumeOf)
        return insertEvents(sql, write.id, write.taskId, write.events)
      })
    )
  }

/** Cannot conflict: the rules are about running rows, and this statement makes it one no longer. */
const updateEnd = `UPDATE checkpoint
  SET state = ?, reason = ?, reason_code = ?, ended_at = ?,
      progress = ?, provider = ?, model = ?, provider_session_id = ?, updated_at = ?
  WHERE id = ? AND owner_id = ? AND state = 'running'`

export const end =
  (database: Database): CheckpointStore.CheckpointStore["Type"]["end"] =>
  (write) => {
    const operation = "CheckpointStore.end"
    const options = {
      operation,
      durability: "full",
      waitMs: Number.POSITIVE_INFINITY,
      whenReadOnly: "refuse"
    } as const
    return database.write(options, (sql) =>
      Either.gen(function* () {
        const columns = progressColumns(write.progress)
        const { rows } = sql.change(
          updateEnd,
          write.state,
          write.reason === null ? null : JSON.stringify(write.reason),
          write.reason?.code ?? null,
          write.endedAt,
          ...written(columns, write)
        )
        yield* fenced(operation, write.id, rows)
        if (write.confirmsResumeOf !== null) confirm(sql, write.id, write.confirmsResumeOf)
        if (write.taskId !== null) taskEnds(sql, write.id, write.state, write.at)
        return insertEvents(sql, write.id, write.taskId, write.events)
      })
    )
  }

/** Events beside a run: a refused decision, a hook that failed. Nothing is written for a checkpoint that is not there. */
export const note =
  (database: Database): CheckpointStore.CheckpointStore["Type"]["note"] =>
  (id, events) => {
    const options = {
      operation: "CheckpointStore.note",
      durability: "normal",
      waitMs: defaultWaitMs,
      whenReadOnly: "refuse"
    } as const
    return database.write(options, (sql) => {
      const [row] = sql.run("SELECT task_id FROM checkpoint WHERE id = ?", id)
      return Either.right(row === undefined ? [] : insertEvents(sql, id, text(row.task_id), events))
    })
  }
