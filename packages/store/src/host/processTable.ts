/** The processes of this machine, whichever way the system tells of them. */
import { isDead, listPids, readEnvironment, readStat, userOf } from "./proc.js"
import * as Ps from "./ps.js"

export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  /** Tells a process apart from a later one with the same number. */
  readonly pidStart: string
  readonly command: string
}

export interface ProcessTable {
  /** A live process; `null` if there is none with this number (a zombie counts as none). */
  readonly find: (pid: number) => ProcessEntry | null
  /** Live processes of a user whose environment began with one of the `NAME=value` texts, each with the text it carries. */
  readonly marked: (uid: number, marks: ReadonlySet<string>) => ReadonlyArray<ProcessEntry & { readonly mark: string }>
}

export const linux: ProcessTable = {
  find: (pid) => {
    const stat = readStat(pid)
    return stat === null || isDead(stat)
      ? null
      : { pid, parent: stat.parent, pidStart: stat.start, command: stat.command }
  },
  marked: (uid, marks) =>
    listPids().flatMap((pid) => {
      if (userOf(pid) !== uid) return []
      const mark = readEnvironment(pid)?.find((variable) => marks.has(variable))
      const entry = mark === undefined ? null : linux.find(pid)
      return mark === undefined || entry === null ? [] : [{ ...entry, mark }]
    })
}

/** The name of the program: `ps` gives the whole command line. */
const programOf = (command: string): string => command.split(" ")[0]?.split("/").at(-1) ?? ""

const entryOf = (line: Ps.PsLine): ProcessEntry => ({
  pid: line.pid,
  parent: line.parent,
  pidStart: line.start,
  command: programOf(line.command)
})

export const byPs: ProcessTable = {
  find: (pid) => {
    const line = Ps.readProcess(pid)
    return line === null || line.dead ? null : entryOf(line)
  },
  marked: (uid, marks) =>
    Ps.readAll().flatMap((line) => {
      if (line.uid !== uid || line.dead) return []
      const mark = line.command.split(" ").find((word) => marks.has(word))
      return mark === undefined ? [] : [{ ...entryOf(line), mark }]
    })
}

export const here: ProcessTable = process.platform === "linux" ? linux : byPs
