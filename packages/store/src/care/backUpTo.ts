/**
 * A copy of the store for a person to keep. SQLite makes it inside one read transaction, so it is the store as it was at
 * one moment whatever others write meanwhile. It appears under its name only when it is whole and on the disk.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import type { CheckpointStore } from "@alluka/core"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Database } from "../connection/Database.js"
import { codeOf, unavailable } from "../connection/failures.js"
import { open } from "../connection/Sql.js"
import { createPrivateFile, syncFile } from "../files/privateFile.js"

/** The copy cannot be put there. Nothing was written. */
export class BackupRefused extends Data.TaggedError("BackupRefused")<{
  readonly operation: string
  readonly file: string
  readonly why: "exists" | "no_folder" | "belongs_to_store"
}> {
  override get message(): string {
    return reasons[this.why](this.file)
  }
}

const reasons = {
  exists: (file: string) => `${file} exists already; a backup overwrites nothing`,
  no_folder: (file: string) => `there is no folder ${Path.dirname(file)} to put the backup in`,
  belongs_to_store: (file: string) => `${file} would be taken for a part of the run store itself`
} as const

export interface Backup {
  /** Absolute path. */
  readonly file: string
  readonly bytes: number
  /** `user_version` of the copy. */
  readonly schema: number
  readonly runs: number
  /** The number of the newest event in it. */
  readonly seq: number
}

const operation = "StoreCare.backUpTo"

const look = (path: string): Effect.Effect<Omit<Backup, "file" | "bytes">, unknown> =>
  Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* open({ filename: path, readonly: true })
      const [check] = yield* sql.unprepared("PRAGMA quick_check(1)")
      if (check?.quick_check !== "ok")
        return yield* Effect.fail(new Error(`the copy is not sound: ${check?.quick_check}`))
      const [version] = yield* sql.unprepared("PRAGMA user_version")
      const [counts] = yield* sql.unprepared(
        "SELECT (SELECT count(*) FROM checkpoint) AS runs, (SELECT coalesce(max(seq), 0) FROM event) AS seq"
      )
      return { schema: Number(version?.user_version), runs: Number(counts?.runs), seq: Number(counts?.seq) }
    })
  )

/** Reserves the name: from here on nobody else can take it, and nothing that was there is touched. */
const reserve = (
  database: Database,
  file: string
): Effect.Effect<void, BackupRefused | CheckpointStore.StoreUnavailable> =>
  Effect.try({
    try: () => {
      const inStore = Path.dirname(realOr(file)) === database.home.folder && /^alluka\.db/.test(Path.basename(file))
      if (inStore) throw new BackupRefused({ operation, file, why: "belongs_to_store" })
      createPrivateFile(file)
    },
    catch: (cause) => {
      if (cause instanceof BackupRefused) return cause
      const code = codeOf(cause)
      if (code === "EEXIST") return new BackupRefused({ operation, file, why: "exists" })
      if (code === "ENOENT" || code === "ENOTDIR") return new BackupRefused({ operation, file, why: "no_folder" })
      return unavailable(operation, file, cause)
    }
  })

/** The file by the real path of its folder. */
const realOr = (file: string): string => {
  try {
    return Path.join(Fs.realpathSync(Path.dirname(file)), Path.basename(file))
  } catch {
    return file
  }
}

/** A name beside it that nobody else uses. */
const partOf = (file: string): string => `${file}.part-${process.pid}`

export const backUpTo =
  (database: Database) =>
  (given: string): Effect.Effect<Backup, BackupRefused | CheckpointStore.StoreFailure> => {
    const file = Path.resolve(given)
    const part = partOf(file)
    const attempt = <A>(run: () => A) => Effect.try({ try: run, catch: (cause) => unavailable(operation, file, cause) })
    const remove = Effect.sync(() => {
      for (const path of [part, `${part}-journal`, file]) Fs.rmSync(path, { force: true })
    })
    return Effect.acquireUseRelease(
      reserve(database, file),
      () =>
        Effect.gen(function* () {
          // An empty file is what VACUUM INTO accepts; made by SQLite itself it would be readable by everybody.
          yield* attempt(() => createPrivateFile(part))
          yield* database.read(operation, (sql) => sql.unprepared("VACUUM INTO ?", part))
          const found = yield* Effect.mapError(look(part), (cause) => unavailable(operation, file, cause))
          return yield* attempt(() => {
            syncFile(part)
            const { size } = Fs.statSync(part)
            Fs.renameSync(part, file)
            syncFile(Path.dirname(file))
            return { file, bytes: size, ...found }
          })
        }),
      (_, exit) => (Exit.isSuccess(exit) ? Effect.void : remove)
    )
  }
