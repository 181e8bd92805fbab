/**
 * What Linux says about processes under `/proc` (proc(5)): the shapes, and the files they come from. A process that is gone,
 * or may not be looked at, is `null`.
 */
import * as Fs from "node:fs"

/** From `/proc/PID/stat`. */
export interface Stat {
  readonly command: string
  /** One letter; `Z` and `X` are dead. */
  readonly state: string
  readonly parent: number
  /** Clock ticks since the machine started: with the number it names one process of this boot. */
  readonly start: string
}

/** Parses the one line of `/proc/PID/stat`; the command is in parentheses, and may hold any character. Pure. */
export const parseStat = (text: string): Stat | null => {
  const open = text.indexOf("(")
  const close = text.lastIndexOf(")")
  if (open < 0 || close < open) return null
  const fields = text.slice(close + 2).split(" ")
  const [state, parent] = fields
  const start = fields[19]
  if (state === undefined || parent === undefined || start === undefined) return null
  return { command: text.slice(open + 1, close), state, parent: Number(parent), start }
}

const read = (path: string): string | null => {
  try {
    return Fs.readFileSync(path, "utf8")
  } catch {
    return null
  }
}

export const readStat = (pid: number | "self"): Stat | null => {
  const text = read(`/proc/${pid}/stat`)
  return text === null ? null : parseStat(text)
}

export const isDead = (stat: Stat): boolean => stat.state === "Z" || stat.state === "X" || stat.state === "x"

/** The environment that a process was started with, as `NAME=value` texts. Readable for the same user only. */
export const readEnvironment = (pid: number): ReadonlyArray<string> | null =>
  read(`/proc/${pid}/environ`)?.split("\0") ?? null

/** The user that a process runs as. */
export const userOf = (pid: number): number | null =>
  Fs.statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid ?? null

export const listPids = (): ReadonlyArray<number> => {
  try {
    return Fs.readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}

/** One boot of the machine. It stays the same when a container is restarted. */
export const bootId = (): string | null => read("/proc/sys/kernel/random/boot_id")?.trim() ?? null

/** In which numbering of processes this process lives: `pid:[4026531836]`. */
export const pidNamespace = (): string | null => {
  try {
    return Fs.readlinkSync("/proc/self/ns/pid")
  } catch {
    return null
  }
}
