/** The script of a stub agent: what it prints, when, and how it ends. `agent.mjs` plays it. */

export type Step =
  /** Bytes on stdout; `$SESSION`, `$MODEL`, `$PERMISSION` and `$CWD` stand for what the stub was called with. */
  | { readonly out: string }
  /** Bytes on stdout, in base64. */
  | { readonly bytes: string }
  /** The same text on stdout over and over, as it is. */
  | { readonly repeat: { readonly text: string; readonly times: number } }
  | { readonly err: string }
  /** A file of the agent's own storage, made where it is not there yet; path and text have places as `out` has. */
  | { readonly keep: Kept }
  /** Makes a file, so that a test sees how far the script is. */
  | { readonly touch: string }
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

/** A file; `$HOME` stands for the home folder beside the other places. */
export interface Kept {
  readonly path: string
  readonly text: string
}

/** What an agent of the Agent Client Protocol plays besides. */
export type AcpStep =
  /** `half`: only the first half of the line. */
  | { readonly update: object; readonly half?: true }
  | { readonly answer: object }
  | { readonly refuse: object }
  /** Does not end with its input. */
  | { readonly linger: true }

export type Steps = ReadonlyArray<Step | AcpStep>

export interface StubScript {
  /** Played for a new conversation. */
  readonly fresh: Steps
  /** Played when called to continue one; without it `fresh` is played. */
  readonly resume?: Steps
  /** Begins the ids that the stub makes. */
  readonly idPrefix?: string
  /** Where the conversation would be kept: called to continue one that is not there, the stub plays `lost`. */
  readonly storage?: string
  readonly lost?: Steps
  /** Steps for calls whose first argument is this word. */
  readonly commands?: Readonly<Record<string, Steps>>
  /** Variables of the environment to log. */
  readonly showEnv?: ReadonlyArray<string>
  /** The stub speaks the Agent Client Protocol. */
  readonly acp?: AcpScript
  /** What such a stub keeps of every session that it opens. */
  readonly keep?: Kept
}

export interface AcpScript {
  readonly agentCapabilities: object
  /** Values of each config option; the first is the one that it begins with. */
  readonly options: Readonly<Record<string, ReadonlyArray<string>>>
  /** The error for a session that is not there. */
  readonly notFound: object
  /** The id that is announced, whatever was asked for. */
  readonly announce?: string
  /** Never answers the greeting, or only half of it; `reached` is made then. */
  readonly greeting?: { readonly half: boolean; readonly reached: string }
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
  /** The conversation that it was asked to copy. */
  readonly forkOf: string | null
  /** The word of `commands` that it was called with; `null`: a run. */
  readonly command: string | null
  readonly env: Readonly<Record<string, string | null>>
  /** Of a stub of the Agent Client Protocol: the session's settings. */
  readonly settings?: Readonly<Record<string, string>>
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
