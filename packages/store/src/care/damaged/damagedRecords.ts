/**
 * Records that cannot be read. Everything that is stored of one is written into a file, as it is, so that a person can
 * still look at it. Then the row is taken out, but only where no other record changes its meaning by that.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import type { CheckpointStore } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { type Database, synced } from "../../connection/Database.js"
import { unavailable } from "../../connection/failures.js"
import { createPrivateFile, makePrivateFolder, syncFile } from "../../files/privateFile.js"
import { events } from "./events.js"
import type { DamagedRecord, Kind } from "./Kind.js"
import { runs } from "./runs.js"
import { tasks } from "./tasks.js"

export interface SetAside {
  /** Where everything that was stored of it is now; `null`: it was gone already, with the run that it was about. */
  readonly file: string | null
  /** `false`: it is still in the store, where it hides nothing. */
  readonly removed: boolean
}

/** How many of a kind are named; the next examination finds the others. */
export const mostDamaged = 1000

const kinds: Readonly<Record<DamagedRecord["kind"], Kind>> = { run: runs, task: tasks, event: events }
const kindNames = Object.keys(kinds) as ReadonlyArray<DamagedRecord["kind"]>

const damagedOf = (
  database: Database,
  kind: DamagedRecord["kind"]
): Effect.Effect<ReadonlyArray<DamagedRecord>, CheckpointStore.StoreFailure> =>
  Effect.gen(function* () {
    const { about, decode, page, select } = kinds[kind]
    const found: Array<DamagedRecord> = []
    for (let after = 0; found.length < mostDamaged; ) {
      const rows = yield* database.read("StoreCare.damaged", (sql) => sql.run(`${select} LIMIT ${page}`, after))
      for (const row of rows) {
        if (Either.isRight(decode(row))) continue
        found.push({ kind, number: Number(row.number), id: String(row.id), about: about(row) })
      }
      if (rows.length < page) break
      after = Number(rows.at(-1)?.number)
    }
    return found.slice(0, mostDamaged)
  })

export const damagedRecords = (
  database: Database
): Effect.Effect<ReadonlyArray<DamagedRecord>, CheckpointStore.StoreFailure> =>
  Effect.map(
    Effect.forEach(kindNames, (kind) => damagedOf(database, kind)),
    (found) => found.flat()
  )

export const setAside =
  (database: Database) =>
  ({ kind, number }: DamagedRecord): Effect.Effect<SetAside, CheckpointStore.StoreFailure> =>
    Effect.gen(function* () {
      const operation = "StoreCare.setAside"
      const { stored, takeOut } = kinds[kind]
      const all = yield* database.read(operation, (sql) => stored(sql, number))
      if (all === null) return { file: null, removed: true }
      const file = Path.join(database.home.folder, "damaged", `${kind}-${number}.json`)
      yield* Effect.try({
        try: () => {
          makePrivateFolder(Path.dirname(file))
          // Set aside before and left in the store: that copy is the older and so the better one.
          if (Fs.existsSync(file)) return
          createPrivateFile(file)
          Fs.writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`)
          syncFile(file)
        },
        catch: (cause) => unavailable(operation, file, cause)
      })
      const removed = yield* database.write(synced(operation), (sql) => Either.right(takeOut(sql, number)))
      return { file, removed }
    })
