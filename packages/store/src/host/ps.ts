/**
 * The same facts on macOS (and other systems without Linux's `/proc`), where `ps` must be asked. Not tested on a Mac: the
 * formats are those of ps(1), and the parser is tested on samples of them.
 */
import { execFileSync } from "node:child_process"

export interface PsLine {
  readonly pid: number
  readonly parent: number
  readonly uid: number
  readonly dead: boolean
  /** When it was started, as `ps` writes it in the C locale: `Mon Nov 30 22:48:03 2026`. */
  readonly start: string
  /** The command line, with the environment behind it where that was asked for. */
  readonly command: string
}

const line = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\w{3}\s+\w{3}\s+\d+\s+[\d:]{8}\s+\d{4})\s+(.*)$/

/** Parses the output of `ps -o pid=,ppid=,uid=,stat=,lstart=,command=`; lines of another shape are left out. Pure. */
export const parsePs = (output: string): ReadonlyArray<PsLine> =>
  output.split("\n").flatMap((text) => {
    const [, pid, parent, uid, stat, start, command] = line.exec(text) ?? []
    if (pid === undefined || stat === undefined || start === undefined) return []
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        uid: Number(uid),
        dead: stat.startsWith("Z"),
        start: start.replaceAll(/\s+/g, " "),
        command: command ?? ""
      }
    ]
  })

const ps = (args: ReadonlyArray<string>): string => {
  try {
    return execFileSync("ps", [...args, "-o", "pid=,ppid=,uid=,stat=,lstart=,command="], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C", TZ: "UTC" },
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: 64 * 1024 * 1024,
      timeout: 5000
    })
  } catch {
    return ""
  }
}

export const readProcess = (pid: number): PsLine | null =>
  parsePs(ps(["-ww", "-p", String(pid)])).find((found) => found.pid === pid) ?? null

/** Every process, with the environment behind its command (`-E`), which macOS shows for processes of the same user. */
export const readAll = (): ReadonlyArray<PsLine> => parsePs(ps(["-axww", "-E"]))

/** One boot of the machine: the system's own id of the boot session. */
export const bootSession = (): string | null => {
  try {
    const output = execFileSync("sysctl", ["-n", "kern.bootsessionuuid"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 5000
    })
    return output.trim() || null
  } catch {
    return null
  }
}
