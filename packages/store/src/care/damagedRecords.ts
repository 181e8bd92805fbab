/**
 * Records that cannot be read. Everything that is stored of one is written into a file, as it is, so that a person can
 * still look at it. Then the row is taken out, but only where no other record changes its meaning by that: without its
 * newest attempt a run that went on, or was completed, would look as if an earlier attempt could be resumed.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import type { CheckpointStore } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { checkpointColumns, checkpointSource, decodeCheckpoint } from "../checkpoints/row.js"
import { type Database, synced } from "../connection/Database.js"
import { unavailable } from "../connection/failures.js"
import type { Row } from "../connection/Sql.js"
import { createPrivateFile, makePrivateFolder, syncFile } from "../files/privateFile.js"

export interface DamagedRecord {
  readonly seq: number
  /** As it is stored: it may be no id of ours. */
  readonly id: string
  readonly state: string
  /** Its folder, agent and title are readable columns, and say which run it was. */
  readonly title: string
}

export interface SetAside {
  /** Where everything that was stored of it is now. */
  readonly file: string
  /** `false`: it is still in the store, where it hides nothing. */
  readonly removed: boolean
}

/** Rows that are looked at in one query. */
const page = 500

const select = `SELECT ${checkpointColumns} FROM ${checkpointSource} WHERE c.seq > ? ORDER BY c.seq LIMIT ${page}`

const recordOf = (row: Row): DamagedRecord => ({
  seq: Number(row.seq),
  id: String(row.id),
  state: String(row.state),
  title: String(row.title)
})

export const damagedRecords = (
  database: Database
): Effect.Effect<ReadonlyArray<DamagedRecord>, CheckpointStore.StoreFailure> => {
  const from = (after: number): Effect.Effect<ReadonlyArray<DamagedRecord>, CheckpointStore.StoreFailure> =>
    Effect.flatMap(
      database.read("StoreCare.damaged", (sql) => sql.run(select, after)),
      (rows) => {
        const found = rows.filter((row) => Either.isLeft(decodeCheckpoint(row))).map(recordOf)
        const last = rows.at(-1)
        return last === undefined || rows.length < page
          ? Effect.succeed(found)
          : Effect.map(
              Effect.suspend(() => from(Number(last.seq))),
              (more) => [...found, ...more]
            )
      }
    )
  return from(0)
}

/** The one attempt of its lineage, or one that is not its tip: without it every other record means the same. */
const takeOut = `DELETE FROM checkpoint WHERE seq = ? AND state <> 'running' AND (is_tip = 0 OR NOT EXISTS (
    SELECT 1 FROM checkpoint o WHERE o.root_id = checkpoint.root_id AND o.seq <> checkpoint.seq)) RETURNING id`

export const setAside =
  (database: Database) =>
  ({ seq }: DamagedRecord): Effect.Effect<SetAside, CheckpointStore.StoreFailure> =>
    Effect.gen(function* () {
      const operation = "StoreCare.setAside"
      const stored = yield* database.read(operation, (sql) =>
        Effect.all({
          record: sql.unprepared("SELECT * FROM checkpoint WHERE seq = ?", seq),
          events: sql.unprepared(
            "SELECT * FROM event WHERE checkpoint_id = (SELECT id FROM checkpoint WHERE seq = ?) ORDER BY seq",
            seq
          )
        })
      )
      const file = Path.join(database.home.folder, "damaged", `run-${seq}.json`)
      yield* Effect.try({
        try: () => {
          makePrivateFolder(Path.dirname(file))
          // Set aside before and left in the store: that copy is the older and so the better one.
          if (Fs.existsSync(file)) return
          createPrivateFile(file)
          Fs.writeFileSync(
            file,
            `${JSON.stringify({ record: stored.record[0] ?? null, events: stored.events }, null, 2)}\n`
          )
          syncFile(file)
        },
        catch: (cause) => unavailable(operation, file, cause)
      })
      const gone = yield* database.write(synced(operation), (sql) => {
        const rows = sql.run(takeOut, seq)
        for (const { id } of rows) sql.run("DELETE FROM event WHERE checkpoint_id = ?", String(id))
        return Either.right(rows.length)
      })
      return { file, removed: gone > 0 }
    })
