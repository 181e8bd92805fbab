/** The traces of bugs in the data folder: the newest few of the last weeks are kept, since more of them tell no more. */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { createPrivateFile, makePrivateFolder } from "./privateFile.js"

const folderOf = (home: string): string => Path.join(home, "logs")

const most = 20
const longestMs = 30 * 24 * 60 * 60 * 1000

interface CrashLog {
  readonly path: string
  /** When it was written, ms since 1970. */
  readonly at: number
}

/** The logs that are to go at a time, of those that there are. Pure. */
export const expired = (logs: ReadonlyArray<CrashLog>, now: number): ReadonlyArray<string> =>
  [...logs]
    .sort((a, b) => b.at - a.at || (a.path < b.path ? 1 : -1))
    .flatMap(({ at, path }, index) => (index >= most || now - at > longestMs ? [path] : []))

const logsIn = (folder: string): ReadonlyArray<CrashLog> => {
  try {
    return Fs.readdirSync(folder)
      .filter((name) => /^crash-.+\.log$/.test(name))
      .flatMap((name) => {
        const path = Path.join(folder, name)
        const stat = Fs.lstatSync(path, { throwIfNoEntry: false })
        return stat?.isFile() === true ? [{ path, at: stat.mtimeMs }] : []
      })
  } catch {
    return []
  }
}

/** The crash logs of a data folder (`home`) that are to go. */
export const expiredCrashLogs = (home: string, now: number): ReadonlyArray<string> =>
  expired(logsIn(folderOf(home)), now)

export const removeFiles = (paths: ReadonlyArray<string>): void => {
  for (const path of paths) Fs.rmSync(path, { force: true })
}

/** Keeps a trace in a private file of its own and lets go of those that are to go; the file. Throws what the file system says. */
export const keepCrashLog = (home: string, trace: string, now: number): string => {
  const folder = folderOf(home)
  const stamp = new Date(now).toISOString().replace(/[:.]/g, "-")
  const file = Path.join(folder, `crash-${stamp}-${process.pid}.log`)
  makePrivateFolder(folder)
  createPrivateFile(file)
  Fs.writeFileSync(file, `${trace}\n`)
  removeFiles(expiredCrashLogs(home, now))
  return file
}
