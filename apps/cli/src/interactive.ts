/** When a question may be asked. */

export interface InteractiveFacts {
  readonly stdinTerminal: boolean
  readonly stdoutTerminal: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  /** `--no-input`. */
  readonly noInput: boolean
  /** `--json`: its reader is a program, which cannot answer. */
  readonly json: boolean
}

const on = (value: string | undefined): boolean =>
  value !== undefined && value !== "" && value !== "0" && value.toLowerCase() !== "false"

/** Only if stdin and stdout are terminals, and nothing says that nobody is there. */
export const mayAsk = ({ env, json, noInput, stdinTerminal, stdoutTerminal }: InteractiveFacts): boolean =>
  stdinTerminal && stdoutTerminal && !noInput && !json && !on(env.ALLUKA_NO_INPUT) && !on(env.CI) && env.TERM !== "dumb"
