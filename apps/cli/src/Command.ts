/** What a command is: its line in the table, and what it is called with. */
import type { OptionSpec, Options } from "./arguments/Option.js"
import type { Io } from "./output/Io.js"

/** One call of a command, read from the command line. */
export interface Invocation {
  readonly path: ReadonlyArray<string>
  readonly args: ReadonlyArray<string>
  /** What stood behind `--`, for the provider's program. */
  readonly passThrough: ReadonlyArray<string>
  readonly options: Options
}

/** Runs a command and answers the exit code of the process. */
export type Command = (invocation: Invocation, io: Io) => Promise<number>

export interface ArgumentSpec {
  /** As commander writes it: `<id>`, `[prompt]`, `<id...>`. */
  readonly name: string
  readonly help: string
}

export interface CommandSpec {
  /** `["runs", "list"]`; the empty path is `alluka` alone. */
  readonly path: ReadonlyArray<string>
  readonly aliases?: ReadonlyArray<string>
  readonly help: string
  readonly arguments?: ReadonlyArray<ArgumentSpec>
  readonly options?: ReadonlyArray<OptionSpec>
  /** What stands behind `--` goes to the provider's program. */
  readonly passThrough?: boolean
  readonly hidden?: boolean
  /** The command that its group runs when no other is named. */
  readonly isDefault?: boolean
  readonly examples?: ReadonlyArray<string>
  /** Loads the command's module: nothing of it is read before it is called for. */
  readonly load: () => Promise<Command>
}

/** A group of commands, like `runs`. */
export interface GroupSpec {
  /** One inside another, which comes before it, is named with both words: `task run`. */
  readonly name: string
  readonly aliases?: ReadonlyArray<string>
  readonly help: string
}
