/** Runs that cannot be read. */
import * as Effect from "effect/Effect"
import { checkpointColumns, checkpointSource, decodeCheckpoint } from "../../checkpoints/row.js"
import type { Kind } from "./Kind.js"

/**
 * The one attempt of its lineage, or one that is not its tip: without it every other record means the same. Without its
 * newest attempt a run that went on, or was completed, would look as if an earlier attempt could be resumed.
 */
const takeOut = `DELETE FROM checkpoint WHERE seq = ? AND state <> 'running' AND (is_tip = 0 OR NOT EXISTS (
    SELECT 1 FROM checkpoint o WHERE o.root_id = checkpoint.root_id AND o.seq <> checkpoint.seq)) RETURNING id`

export const runs: Kind = {
  select: `SELECT c.seq AS number, ${checkpointColumns} FROM ${checkpointSource} WHERE c.seq > ? ORDER BY c.seq`,
  page: 500,
  decode: decodeCheckpoint,
  about: ({ state, title }) => `${state}, ${title}`,
  stored: (sql, seq) =>
    Effect.gen(function* () {
      const [record] = yield* sql.unprepared("SELECT * FROM checkpoint WHERE seq = ?", seq)
      if (record === undefined) return null
      const events = yield* sql.unprepared(
        "SELECT * FROM event WHERE checkpoint_id = ? ORDER BY seq",
        String(record.id)
      )
      return { record, events }
    }),
  takeOut: (sql, seq) => {
    const rows = sql.run(takeOut, seq)
    for (const { id } of rows) sql.run("DELETE FROM event WHERE checkpoint_id = ?", String(id))
    return rows.length > 0
  }
}
