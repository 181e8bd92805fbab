/** What people change about checkpoints that are not theirs to run: put away, name, delete. */
import type { CheckpointStore, Event, Ids } from "@alluka/core"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { defaultWaitMs } from "../connection/busy.js"
import type { Database } from "../connection/Database.js"
import type { Row } from "../connection/Sql.js"
import type { Statements } from "../connection/Statements.js"
import { insertEvent } from "./events.js"
import { idsOf, told } from "./row.js"

type Tidy = CheckpointStore.CheckpointStore["Type"]

const options = (name: string) =>
  ({
    operation: `CheckpointStore.${name}`,
    durability: "normal",
    waitMs: defaultWaitMs,
    whenReadOnly: "refuse"
  }) as const

const tell = (sql: Statements, id: Ids.CheckpointId, row: Row, event: Omit<Event.NewEvent, "phase">): void => {
  insertEvent(sql, id, typeof row.task_id === "string" ? row.task_id : null, {
    ...event,
    phase: Number(row.phase ?? 0)
  })
}

/** `at` null shows it again. Says whether anything changed. */
export const dismiss =
  (database: Database): Tidy["dismiss"] =>
  (id, at) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      database.write(options("dismiss"), (sql) => {
        const [row] = sql.run(
          `UPDATE checkpoint SET dismissed_at = ?
           WHERE id = ? AND (dismissed_at IS NULL) <> (? IS NULL) RETURNING ${told}`,
          at,
          id,
          at
        )
        if (row === undefined) return Either.right(false)
        tell(sql, id, row, {
          kind: "dismissed",
          timestamp: at ?? now,
          message: at === null ? "shown in lists again" : "dismissed from lists",
          payload: { dismissed: at !== null }
        })
        return Either.right(true)
      })
    )

/** Says whether anything changed. */
export const rename =
  (database: Database): Tidy["rename"] =>
  (id, title, at) =>
    database.write(options("rename"), (sql) => {
      const [row] = sql.run(
        `UPDATE checkpoint SET title = ? WHERE id = ? AND title <> ? RETURNING ${told}`,
        title,
        id,
        title
      )
      if (row === undefined) return Either.right(false)
      tell(sql, id, row, { kind: "renamed", timestamp: at, message: `renamed to ${title}`, payload: { title } })
      return Either.right(true)
    })

/**
 * The rows that go with a checkpoint. With a tip goes its whole lineage: what is left of it would never be listed again,
 * and could never be resumed, or worse, a source of a completed attempt would look as if it could. Any other attempt goes
 * alone. Nothing goes of a lineage that is running.
 */
const doomed = `SELECT d.id, d.task_id FROM checkpoint c
  JOIN checkpoint d ON d.id = c.id OR (c.is_tip = 1 AND d.root_id = c.root_id)
  WHERE c.id = ? AND NOT EXISTS (SELECT 1 FROM checkpoint r WHERE r.root_id = c.root_id AND r.state = 'running')
  ORDER BY d.seq`

const removeOne = (sql: Statements, id: Ids.CheckpointId, at: number): ReadonlyArray<Ids.CheckpointId> => {
  const gone = idsOf(sql.run(doomed, id))
  for (const each of gone) {
    sql.run("DELETE FROM event WHERE checkpoint_id = ?", each)
    const [row] = sql.run(`DELETE FROM checkpoint WHERE id = ? RETURNING ${told}`, each)
    tell(sql, each, row ?? {}, { kind: "removed", timestamp: at, message: "deleted", payload: {} })
  }
  return gone
}

/** How many are deleted in one transaction: other writers wait meanwhile. */
const batch = 200

/** Deletes a few hundred at a time; the answer names what went besides what was asked for. */
export const remove =
  (database: Database): Tidy["remove"] =>
  (ids, at) =>
    Effect.map(
      Effect.forEach(Chunk.chunksOf(Chunk.fromIterable(ids), batch), (some) =>
        database.write(options("remove"), (sql) => Either.right([...some].flatMap((id) => removeOne(sql, id, at))))
      ),
      (all) => all.flat()
    )
