/**
 * The process's own streams. A reader that goes away (`| head`), or a terminal that is closed, must neither end the
 * program with a trace nor stop a run: from then on, what is written goes nowhere.
 */
import { readlinkSync } from "node:fs"
import { isatty } from "node:tty"

export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** The arguments, without node and the program itself. */
  readonly argv: ReadonlyArray<string>
  /** The program's file, as node was given it. */
  readonly script: string
  /** How a hint names the program. */
  readonly program: string
  readonly stdinTerminal: boolean
  readonly stdoutTerminal: boolean
  readonly stderrTerminal: boolean
  /** Cells of a line on the terminal that stdout is; `null`: it is none. */
  readonly columns: number | null
  /** Writes to stdout, and waits until the reader has taken it or is gone. */
  readonly out: (text: string) => Promise<void>
  readonly err: (text: string) => Promise<void>
  /** Waits until everything written has left the process, a bounded time. */
  readonly flushed: () => Promise<void>
}

interface Sink {
  readonly write: (text: string) => Promise<void>
  readonly flushed: () => Promise<void>
}

/** How long an unread pipe is waited for when the program has nothing else to do, ms. */
const flushMs = 5000

/** The stream is made when it is first written to: a command that says nothing there need not pay for it. */
const sinkOf = (stream: () => NodeJS.WriteStream): Sink => {
  let opened: NodeJS.WriteStream | null = null
  let closed = false
  let last: Promise<void> = Promise.resolve()
  const waiting = new Set<() => void>()
  const open = (): NodeJS.WriteStream => {
    if (opened !== null) return opened
    opened = stream()
    // EPIPE, EIO of a terminal that is gone, ENOSPC of a file: nobody is there to be told.
    opened.on("error", () => {
      closed = true
      for (const resolve of waiting) resolve()
      waiting.clear()
    })
    return opened
  }
  return {
    write: (text) => {
      if (closed || text === "") return Promise.resolve()
      last = new Promise<void>((resolve) => {
        const done = (): void => {
          waiting.delete(done)
          resolve()
        }
        waiting.add(done)
        open().write(text, done)
      })
      return last
    },
    flushed: () => {
      if (opened === null) return Promise.resolve()
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, flushMs)
      })
      return Promise.race([last, late]).finally(() => clearTimeout(timer))
    }
  }
}

export const processIo = (program: (script: string, cwd: string) => string): Io => {
  const out = sinkOf(() => process.stdout)
  const err = sinkOf(() => process.stderr)
  const script = process.argv[1] ?? ""
  const cwd = currentFolder()
  const stdoutTerminal = process.stdout.isTTY === true
  return {
    env: process.env,
    cwd,
    argv: process.argv.slice(2),
    script,
    program: program(script, cwd),
    // Asked for only where it matters: looking loads the terminal's module.
    get stdinTerminal() {
      return isatty(0)
    },
    stdoutTerminal,
    get stderrTerminal() {
      return isatty(2)
    },
    columns: stdoutTerminal ? columnsOf(process.stdout) : null,
    out: out.write,
    err: err.write,
    flushed: async () => {
      await out.flushed()
      await err.flushed()
    }
  }
}

/** A terminal that does not tell its width is taken for the usual one. */
const columnsOf = (stream: NodeJS.WriteStream): number => (stream.columns > 0 ? stream.columns : 80)

/**
 * The current folder may be gone; then its last known path will do, and whoever needs the folder says what is wrong. The
 * process itself moves to one that is there: libraries ask for the current folder while they are loaded.
 */
const currentFolder = (): string => {
  try {
    return process.cwd()
  } catch {
    const path = removedFolder()
    process.chdir("/")
    return path
  }
}

/** The path of a current folder that was removed; never that of another folder. */
const removedFolder = (): string => {
  try {
    return readlinkSync("/proc/self/cwd").replace(/ \(deleted\)$/, "")
  } catch {
    return process.env.PWD || "/(removed folder)"
  }
}
