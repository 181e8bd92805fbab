/** The script of a stub agent: what it prints, when, and how it ends. `agent.mjs` plays it. */

export type Step =
  /** Bytes on stdout; `$SESSION`, `$MODEL`, `$PERMISSION` and `$CWD` stand for what the stub was called with. */
  | { readonly out: string }
  | { readonly err: string }
  /** Milliseconds. */
  | { readonly wait: number }
  /** That many bytes on a stream: one line without its end, or lines of a kilobyte. */
  | { readonly flood: { readonly to: "out" | "err"; readonly bytes: number; readonly lines: boolean } }
  /** Goes on when this file exists. */
  | { readonly until: string }
  | { readonly forever: true }
  | { readonly closeStdout: true }
  | { readonly ignore: ReadonlyArray<NodeJS.Signals> }
  | { readonly exit: number }
  | { readonly signal: NodeJS.Signals }
  | { readonly grandchild: { readonly seconds: number; readonly ownSession?: boolean } }
  /** Runs a program and logs its answer; `$RUN` stands for the checkpoint's id. */
  | { readonly ask: ReadonlyArray<string> }

export type Steps = ReadonlyArray<Step>

export interface StubScript {
  /** Played for a new conversation. */
  readonly fresh: Steps
  /** Played when called to continue one; without it `fresh` is played. */
  readonly resume?: Steps
}

/** One invocation of a stub. */
export interface StubStart {
  readonly name: string
  readonly argv: ReadonlyArray<string>
  readonly cwd: string
  readonly stdin: string
  readonly at: number
  readonly pid: number
  /** The checkpoint's id, from the mark in its environment. */
  readonly run: string | null
  readonly session: string
  readonly resumed: boolean
}

/** The answer to an `ask` step. */
export interface StubAnswer {
  readonly asked: ReadonlyArray<string>
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export const exit = (code: number): Step => ({ exit: code })
export const forever: Step = { forever: true }
export const wait = (ms: number): Step => ({ wait: ms })
export const until = (file: string): Step => ({ until: file })
export const stderr = (text: string): Step => ({ err: text })
export const stdout = (text: string): Step => ({ out: text })
/** One line of a JSON stream. */
export const line = (value: object): Step => ({ out: `${JSON.stringify(value)}\n` })
export const flood = (to: "out" | "err", bytes: number, lines: boolean): Step => ({ flood: { to, bytes, lines } })
