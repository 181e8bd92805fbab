/** A resume decision in words: the same words in a preview, before a resume, and for a refusal. Pure. */
import type { Decision } from "@alluka/core"
import type { Paint } from "../color.js"
import { line } from "./safe.js"

export interface DecisionOptions {
  readonly paint: Paint
  readonly ascii: boolean
  /** A command as it can be typed. */
  readonly command: (argv: ReadonlyArray<string>) => string
}

const looks = {
  resuming_same_session: { glyph: "»", ascii: ">>", tone: "good", word: "SAME SESSION" },
  falling_back_to_fresh_invocation: { glyph: "+", ascii: "+", tone: "warn", word: "FRESH START" },
  refusing_to_resume: { glyph: "!", ascii: "!!", tone: "bad", word: "WILL NOT RESUME" }
} as const

export const renderDecision = (decision: Decision.Decision, { ascii, command, paint }: DecisionOptions): string => {
  const look = looks[decision.status]
  const cause = decision.cause === null ? "" : `, because of ${decision.cause}`
  const named = (title: string, items: ReadonlyArray<string>): ReadonlyArray<string> =>
    items.length === 0 ? [] : [`  ${title} ${items.map((item) => line(item)).join(", ")}`]
  return [
    line(decision.message),
    `  ${paint(`${ascii ? look.ascii : look.glyph} ${look.word}`, look.tone)}  ${paint(`${decision.reason}${cause}`, "dim")}`,
    `  ${line(decision.detail, 600)}`,
    ...named("Keeps:", decision.keeps),
    ...named("Loses:", decision.loses),
    ...decision.warnings.map((warning) => `  ${paint("Note:", "warn")} ${line(warning, 600)}`),
    ...alternatives(decision, command)
  ].join("\n")
}

/** What a person could do instead, each with the command that does it. */
const alternatives = (decision: Decision.Decision, command: DecisionOptions["command"]): ReadonlyArray<string> => {
  const offered = decision.alternatives.filter(({ argv }) => argv.length > 0)
  if (decision.status !== "refusing_to_resume" || offered.length === 0) return []
  return ["  What you can do:", ...offered.map(({ argv, title }) => `    ${line(title)}:  ${line(command(argv))}`)]
}
