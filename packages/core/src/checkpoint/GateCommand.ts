/** The command whose success a run must reach. */
import * as Schema from "../Schema.js"

export const GateCommand = Schema.Struct({
  /** The program with its arguments; with `shell` one text for `sh -c`. */
  argv: Schema.Array(Schema.String).pipe(Schema.minItems(1)),
  /** Only where a person asked for a shell. */
  shell: Schema.Boolean,
  /** How long it may take, ms. */
  timeoutMs: Schema.Number.pipe(Schema.int(), Schema.positive())
})
export type GateCommand = typeof GateCommand.Type

/** The limit where nobody set one, ms. */
export const defaultGateTimeoutMs = 30 * 60 * 1000

/** The command on one line, for people. */
export const gateLine = ({ argv }: Pick<GateCommand, "argv">): string => argv.join(" ")
