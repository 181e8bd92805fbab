/** What an invocation says, and where: the answer on stdout, everything else on stderr, as JSON or in words. */

import { Documents, Redactor, TerminalText } from "@alluka/core"
import type { Options } from "../arguments/Option.js"
import type { Hint, Problem } from "../errors.js"
import { mayAsk } from "../interactive.js"
import { shellLine } from "../invocation.js"
import { colored, type Paint, plain, wantsColor } from "./color.js"
import type { Io } from "./Io.js"
import { jsonLine, withoutSecrets } from "./json.js"

export interface Output {
  readonly json: boolean
  readonly quiet: boolean
  /** Questions may be asked. */
  readonly interactive: boolean
  /** `--yes`. */
  readonly yes: boolean
  readonly paint: Paint
  /** The same for stderr. */
  readonly errPaint: Paint
  readonly ascii: boolean
  /** Cells of a line; `null`: no terminal, lines are as long as they are. */
  readonly width: number | null
  readonly program: string
  /** Replaces secrets, those of this process's environment among them. */
  readonly redact: (text: string) => string
  /** A command as it can be typed here. */
  readonly command: (argv: ReadonlyArray<string>) => string
  /** One JSON document or line on stdout. */
  readonly document: (value: object) => Promise<void>
  /** Words on stdout, redacted and made safe by who made them. */
  readonly text: (text: string) => Promise<void>
  /** A note, a warning or progress on stderr; never with `--quiet`. */
  readonly note: (text: string) => Promise<void>
  /** Words on stderr that `--quiet` does not keep back: a refusal. */
  readonly words: (text: string) => Promise<void>
  /** Why nothing came of it, on stderr. */
  readonly problem: (problem: Problem) => Promise<void>
}

export const outputOf = (io: Io, options: Options): Output => {
  const json = options.flag("json")
  const quiet = options.flag("quiet")
  const color = options.text("color")
  const paint = !json && wantsColor({ flag: color, env: io.env, terminal: io.stdoutTerminal }) ? colored : plain
  let onStderr: Paint | null = null
  const errPaint: Paint = (text, tone) => {
    onStderr ??= !json && wantsColor({ flag: color, env: io.env, terminal: io.stderrTerminal }) ? colored : plain
    return onStderr(text, tone)
  }
  const { redact } = Redactor.fromEnvironment(io.env)
  const safe = (text: string): string => TerminalText.terminalText(redact(text))
  const command = (argv: ReadonlyArray<string>): string =>
    argv.length === 0 ? io.program : `${io.program} ${shellLine(argv)}`
  return {
    json,
    quiet,
    get interactive() {
      return (
        io.stdoutTerminal &&
        mayAsk({
          stdinTerminal: io.stdinTerminal,
          stdoutTerminal: io.stdoutTerminal,
          env: io.env,
          noInput: options.refused("input"),
          json
        })
      )
    },
    yes: options.flag("yes"),
    paint,
    errPaint,
    ascii: options.flag("ascii") || asciiOnly(io.env),
    width: io.columns,
    program: io.program,
    redact,
    command,
    document: (value) => io.out(jsonLine(withoutSecrets(value, redact))),
    text: (text) => io.out(withLineEnd(text)),
    note: (text) => (quiet ? Promise.resolve() : io.err(withLineEnd(safe(text)))),
    words: (text) => io.err(withLineEnd(text)),
    problem: ({ code, detail, hints, message, place, retryable }) => {
      const tries = hints.length === 0 ? [{ argv: ["help"], why: "lists the commands" }] : hints
      return io.err(
        json
          ? jsonLine(
              Documents.errorDocument({
                code,
                message: safe(message),
                detail: detail === null ? null : safe(detail),
                retryable,
                place: place === null ? null : { ...place, path: safe(place.path) },
                try: tries.map((hint) => safe(typeof hint === "string" ? hint : command(hint.argv)))
              })
            )
          : withLineEnd(
              [
                `${errPaint("alluka:", "bad")} ${safe(message)}`,
                ...(detail === null ? [] : [safe(detail)]),
                ...tries.map((hint) => errPaint(`  ${safe(hintText(hint, command))}`, "dim"))
              ].join("\n")
            )
      )
    }
  }
}

const hintText = (hint: Hint, command: Output["command"]): string =>
  typeof hint === "string" ? hint : `${command(hint.argv)}  (${hint.why})`

const withLineEnd = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`)

/** Where the locale or the terminal has no more than ASCII. */
const asciiOnly = (env: Io["env"]): boolean => {
  const set = env.ALLUKA_ASCII
  if (set !== undefined && set !== "") return set !== "0"
  if (env.TERM === "linux") return true
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG
  return locale !== undefined && locale !== "" && !/utf-?8/i.test(locale)
}
