/** What a writer said that the store had acknowledged, and whether a store holds it. */

import Database from "better-sqlite3"
import { expect } from "vitest"

export interface Acknowledged {
  readonly id: string
  readonly seq: number
  readonly steps: number
  readonly ended: boolean
}

interface Line {
  readonly what: string
  readonly id: string
  readonly seq: number
  /** Length of the write-ahead log when it was acknowledged. */
  readonly logBytes: number
}

export const linesOf = (said: ReadonlyArray<string>): ReadonlyArray<Line> =>
  said.map((text) => {
    const words = text.split(" ")
    return { what: words[0] ?? "", id: words[1] ?? "", seq: Number(words[2]), logBytes: Number(words.at(-1)) }
  })

/** The runs that some acknowledgements tell of, by id. */
export const runsOf = (lines: ReadonlyArray<Line>): ReadonlyMap<string, Acknowledged> => {
  const runs = new Map<string, Acknowledged>()
  for (const { id, seq, what } of lines) {
    const before = runs.get(id) ?? { id, seq, steps: 0, ended: false }
    runs.set(id, {
      ...before,
      steps: before.steps + (what === "progress" ? 1 : 0),
      ended: before.ended || what === "ended"
    })
  }
  return runs
}

interface Row {
  readonly id: string
  readonly seq: number
  readonly state: string
  readonly steps: number
}

/** Expects a sound database that holds everything acknowledged; returns its rows. */
export const expectHolds = (
  file: string,
  acknowledged: ReadonlyMap<string, Acknowledged>,
  what: string
): ReadonlyMap<string, Row> => {
  const database = new Database(file, { readonly: true })
  try {
    expect(database.pragma("integrity_check", { simple: true }), what).toBe("ok")
    const rows = database
      .prepare(
        `SELECT id, seq, state, (SELECT count(*) FROM event e WHERE e.checkpoint_id = c.id AND kind = 'message') AS steps
         FROM checkpoint c`
      )
      .all() as Array<Row>
    const byId = new Map(rows.map((row) => [row.id, row]))
    for (const run of acknowledged.values()) {
      const row = byId.get(run.id)
      expect(row, `${what}: ${run.id}`).toMatchObject({ seq: run.seq })
      expect(row?.steps, `${what}: ${run.id}`).toBeGreaterThanOrEqual(run.steps)
      if (run.ended) expect(row?.state, `${what}: ${run.id}`).toBe("completed")
    }
    // Every number up to the newest is there once: nothing from the middle is missing.
    const events = database.prepare("SELECT count(*) AS count, coalesce(max(seq), 0) AS newest FROM event").get() as {
      readonly count: number
      readonly newest: number
    }
    expect(events.count, what).toBe(events.newest)
    return byId
  } finally {
    database.close()
  }
}
