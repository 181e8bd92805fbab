/** A program in a real pseudo-terminal. */
import { spawn } from "@lydell/node-pty"
import { eventually } from "./eventually.js"
import { program, type World } from "./world.js"

export interface Terminal {
  readonly pid: number
  /** Everything written to the terminal so far, with its control sequences. */
  readonly output: () => string
  readonly write: (keys: string) => void
  readonly resize: (columns: number, rows: number) => void
  /** Closes the terminal, as closing its window does: its processes get SIGHUP and cannot write any more. */
  readonly close: () => void
  readonly shows: (text: string | RegExp, withinMs?: number) => Promise<void>
  readonly ended: (withinMs?: number) => Promise<{ readonly exitCode: number; readonly signal: number | undefined }>
}

export interface TerminalOptions {
  readonly columns?: number
  readonly rows?: number
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** Opens a terminal with `alluka ARGS` in it. */
export const openTerminal = (world: World, args: ReadonlyArray<string>, options: TerminalOptions = {}): Terminal =>
  openTerminalWith(world, [process.execPath, program, ...args], options)

/** Opens a terminal with any program in it. */
export const openTerminalWith = (
  world: World,
  [file = "", ...args]: ReadonlyArray<string>,
  options: TerminalOptions = {}
): Terminal => {
  const pty = spawn(file, args, {
    // What the terminal library puts into TERM, whatever the environment says.
    name: options.env?.TERM ?? "xterm-256color",
    cols: options.columns ?? 120,
    rows: options.rows ?? 40,
    cwd: options.cwd ?? world.work,
    env: { TERM: "xterm-256color", ...world.env, ...options.env }
  })
  let output = ""
  let end: { exitCode: number; signal: number | undefined } | null = null
  pty.onData((data) => {
    output += data
  })
  pty.onExit(({ exitCode, signal }) => {
    end = { exitCode, signal }
  })
  return {
    pid: pty.pid,
    output: () => output,
    write: (keys) => pty.write(keys),
    resize: (columns, rows) => pty.resize(columns, rows),
    // `destroy` closes the master side; it is there, but missing from the type.
    close: () => (pty as unknown as { readonly destroy: () => void }).destroy(),
    shows: async (text, withinMs = 10_000) => {
      await eventually(
        () => {
          if (typeof text === "string" ? output.includes(text) : text.test(output)) return true
          throw new Error(JSON.stringify(output.slice(-800)))
        },
        { withinMs, what: `the terminal showing ${text}` }
      )
    },
    ended: (withinMs = 15_000) => eventually(() => end, { withinMs, what: "the end of the program in the terminal" })
  }
}
