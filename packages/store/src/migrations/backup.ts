/** The copy of a database that is made before its schema is changed. */
import * as Path from "node:path"
import type { CheckpointStore } from "@alluka/core"
import * as Either from "effect/Either"
import { unavailable } from "../connection/failures.js"
import type { Home } from "../connection/home.js"
import { onceOn } from "../connection/Statements.js"
import { createPrivateFile, makePrivateFolder, syncFile } from "../files/privateFile.js"

/** `20261130T224803Z`: a time as part of a file name. */
export const fileStamp = (at: number): string =>
  new Date(at)
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(/[-:]/g, "")

/** Makes the first free name `stem.ext`, `stem-2.ext`, ... with `create`, which throws `EEXIST` for a taken one. */
export const firstFree = (stem: string, ext: string, create: (path: string) => void): string => {
  for (let n = 1; ; n++) {
    const path = `${stem}${n === 1 ? "" : `-${n}`}${ext}`
    try {
      create(path)
      return path
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST") || n >= 1000) throw error
    }
  }
}

/**
 * Copies the committed state of the database into the backup folder (mode 0600, synced) and says where. `from`: its
 * schema; `at`: now. Reads through a connection of its own, so it may be called while this process holds the write lock;
 * then the copy is exactly what the migration begins from.
 */
export const backUp = (home: Home, from: number, at: number): Either.Either<string, CheckpointStore.StoreUnavailable> =>
  Either.try({
    try: () => {
      makePrivateFolder(home.backups)
      const stem = Path.join(home.backups, `alluka-schema${from}-${fileStamp(at)}`)
      // An empty file is what VACUUM INTO accepts; made by SQLite itself it would be readable by everybody.
      const target = firstFree(stem, ".db", createPrivateFile)
      onceOn({ filename: home.database, readonly: true }, (sql) => sql.unprepared("VACUUM INTO ?", target))
      syncFile(target)
      return target
    },
    catch: (cause) => unavailable("Database.backUp", home.database, cause)
  })
