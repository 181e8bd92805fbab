/** Events that cannot be read. Nothing is decided by an event: without one, a run's history has a gap where it was. */
import * as Effect from "effect/Effect"
import { decodeEvent, eventColumns } from "../../checkpoints/row.js"
import type { Kind } from "./Kind.js"

/** An event of a kind that only a newer program knows is passed over by readers, and is not damaged for that. */
const decode: Kind["decode"] = (row) =>
  decodeEvent(/^[a-z]+(?:_[a-z]+)*$/.test(String(row.kind)) ? { ...row, kind: "notice" } : row)

export const events: Kind = {
  select: `SELECT seq AS number, seq AS id, ${eventColumns} FROM event WHERE seq > ? ORDER BY seq`,
  page: 2000,
  decode,
  about: ({ checkpoint_id, kind }) => `${kind} of ${checkpoint_id}`,
  stored: (sql, seq) =>
    Effect.map(sql.unprepared("SELECT * FROM event WHERE seq = ?", seq), ([record]) =>
      record === undefined ? null : { record }
    ),
  takeOut: (sql, seq) => sql.change("DELETE FROM event WHERE seq = ?", seq).rows > 0
}
