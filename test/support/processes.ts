/** The processes of this machine, found by a variable in their environment (Linux), and ended by number only. */
import { readdirSync, readFileSync } from "node:fs"
import { eventually } from "./eventually.js"

export interface MarkedProcess {
  readonly pid: number
  readonly command: string
  readonly env: Readonly<Record<string, string>>
}

const readProc = (pid: number, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8")
  } catch {
    // Gone since the folder was listed, or another user's.
    return ""
  }
}

const environment = (pid: number): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readProc(pid, "environ")
      .split("\0")
      .flatMap((pair) => {
        const at = pair.indexOf("=")
        return at > 0 ? [[pair.slice(0, at), pair.slice(at + 1)] as const] : []
      })
  )

/** Whether the process exists and is no zombie. */
export const isRunning = (pid: number): boolean => {
  const stat = readProc(pid, "stat")
  const state = stat.slice(stat.lastIndexOf(")") + 2)[0]
  return state !== undefined && state !== "Z" && state !== "X"
}

/** Live processes whose environment has the variable, with that value if one is given; never this process. */
export const processesWith = (name: string, value?: string): ReadonlyArray<MarkedProcess> =>
  readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => pid !== process.pid)
    .flatMap((pid) => {
      const env = environment(pid)
      const found = env[name]
      if (found === undefined || (value !== undefined && found !== value) || !isRunning(pid)) return []
      return [{ pid, command: readProc(pid, "cmdline").replaceAll("\0", " ").trim(), env }]
    })

/** Sends a signal; a process that has already gone is fine. */
export const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ESRCH") throw cause
  }
}

/** Kills every process that carries the variable with this value, looking again until none is left. */
export const endAllWith = async (name: string, value: string): Promise<void> => {
  await eventually(
    () => {
      const left = processesWith(name, value)
      for (const one of left) signal(one.pid, "SIGKILL")
      return left.length === 0
    },
    { withinMs: 15_000, what: `the end of every process with ${name}=${value}` }
  )
}
