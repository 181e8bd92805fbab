/** The data folder: where everything of a store is, made private, and refused where it cannot be safe. */
import * as Fs from "node:fs"
import * as Path from "node:path"
import type { CheckpointStore } from "@alluka/core"
import * as Effect from "effect/Effect"
import { makePrivateFolder } from "../files/privateFile.js"
import { refused, unavailable } from "./failures.js"
import { mountTypeOf, needsMountType, unfitFileSystem } from "./fileSystem.js"

export interface Home {
  /** Real path of the data folder. */
  readonly folder: string
  readonly database: string
  readonly owners: string
  readonly output: string
  readonly backups: string
  /** Nothing can be written here by this process: the store is read from a copy. */
  readonly readOnly: boolean
}

const operation = "Home.open"

const userId = (): number | null => process.geteuid?.() ?? null

const statFileSystem = (folder: string): string | null => {
  // Other systems number their file systems differently, from release to release.
  if (process.platform !== "linux") return null
  const magic = Fs.statfsSync(folder).type
  const mountType = needsMountType(magic) ? mountTypeOf(Fs.readFileSync("/proc/self/mountinfo", "utf8"), folder) : null
  return unfitFileSystem(magic, mountType)
}

const canWrite = (path: string): boolean => {
  try {
    Fs.accessSync(path, Fs.constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Why a folder that others could change, or have laid, is not trusted; `null` if it is safe. Pure. */
export const unsafeFolder = (
  folder: string,
  stat: { readonly uid: number; readonly mode: number },
  uid: number | null
): string | null => {
  if (uid !== null && stat.uid !== uid) {
    return `the folder ${folder} belongs to another user (uid ${stat.uid}). Use a folder of your own: set ALLUKA_HOME or --home`
  }
  if ((stat.mode & 0o022) !== 0) {
    return `the folder ${folder} can be written by other users. Close it: chmod go-w ${folder}`
  }
  return null
}

/**
 * Makes the data folder (mode 0700) if it is missing, and looks at it: fails with `unsafe_folder` where another user owns
 * or may write it, and with `network_file_system` where SQLite's locks would not hold.
 */
export const openHome = (home: string): Effect.Effect<Home, CheckpointStore.StoreUnavailable> => {
  const given = Path.resolve(home)
  const database = Path.join(given, "alluka.db")
  return Effect.gen(function* () {
    const found = yield* Effect.try({
      try: () => {
        if (!Fs.existsSync(given)) makePrivateFolder(given)
        const folder = Fs.realpathSync(given)
        return { folder, stat: Fs.statSync(folder), unfit: statFileSystem(folder) }
      },
      catch: (cause) => unavailable(operation, database, cause)
    })
    const { folder, stat, unfit } = found
    if (!stat.isDirectory()) {
      return yield* refused(operation, database, "not_accessible", `${folder} is not a folder`)
    }
    if (unfit !== null) {
      return yield* refused(
        operation,
        database,
        "network_file_system",
        `the folder ${folder} is on ${unfit}, where SQLite's locks do not hold between processes. Use a folder on a local disk: set ALLUKA_HOME or --home`
      )
    }
    const unsafe = unsafeFolder(folder, stat, userId())
    if (unsafe !== null) return yield* refused(operation, database, "unsafe_folder", unsafe)
    const path = Path.join(folder, "alluka.db")
    return {
      folder,
      database: path,
      owners: Path.join(folder, "owners"),
      output: Path.join(folder, "output"),
      backups: Path.join(folder, "backups"),
      readOnly: !canWrite(folder) || (Fs.existsSync(path) && !canWrite(path))
    }
  })
}
