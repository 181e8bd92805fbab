/** Files and folders of the data folder that other users of the machine could read or write. */
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as Effect from "effect/Effect"

/** Rights of group and others. */
const others = 0o077

/** Links are passed over: what they lead to is not ours. */
const walk = (path: string): ReadonlyArray<string> => {
  const stat = Fs.lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined || stat.isSymbolicLink()) return []
  const own = (stat.mode & others) === 0 ? [] : [path]
  return stat.isDirectory() ? [...own, ...Fs.readdirSync(path).flatMap((name) => walk(Path.join(path, name)))] : own
}

export const exposedFiles = (folder: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.orElseSucceed(
    Effect.try(() => walk(folder)),
    () => []
  )

/** Takes the rights of group and others away; the owner's stay as they are. */
export const closeExposed = (paths: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>> =>
  Effect.sync(() =>
    paths.filter((path) => {
      try {
        const stat = Fs.lstatSync(path)
        if (!stat.isSymbolicLink()) Fs.chmodSync(path, stat.mode & 0o700)
        return false
      } catch {
        return Fs.existsSync(path)
      }
    })
  )
