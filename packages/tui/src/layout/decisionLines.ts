/** What a resume would do, in lines: the same words in the preview, in the dialog and on the command line. */
import type { Decision } from "@alluka/core"
import { decisionLooks, type Glyphs, sayIn } from "../theme/glyphs.js"
import type { Tone } from "../theme/theme.js"
import { clipLine, type Line, span, spread } from "./Line.js"
import { wrap } from "./wrap.js"

export interface DecisionText {
  /** `» SAME SESSION` */
  readonly head: string
  readonly tone: Tone
  /** `resuming_same_session` */
  readonly status: string
  /** `session_valid`, with the cause behind a confirmation. */
  readonly reason: string
  readonly detail: string
  readonly loses: string | null
  readonly keeps: string | null
  readonly warnings: ReadonlyArray<string>
}

export const decisionText = (decision: Decision.Decision, glyphs: Glyphs): DecisionText => {
  const look = decisionLooks[decision.status]
  return {
    head: `${glyphs.ascii ? look.ascii : look.glyph} ${look.word}`,
    tone: look.tone,
    status: decision.status,
    reason: decision.cause === null ? decision.reason : `${decision.reason} (${decision.cause})`,
    detail: decision.detail,
    loses: decision.loses.length === 0 ? null : `LOST: ${decision.loses.join("; ")}.`,
    keeps: decision.keeps.length === 0 ? null : `Keeps: ${decision.keeps.join(", ")}.`,
    warnings: decision.warnings.map((warning) => `Note: ${warning}`)
  }
}

const block = (text: string, width: number, tone: Tone, indent: string): ReadonlyArray<Line> =>
  wrap(text, Math.max(8, width - indent.length)).map((line) => [span(indent), span(line, tone)])

/** Head and status on one line; on a narrow screen the status moves below. */
export const decisionHead = (decision: Decision.Decision, glyphs: Glyphs, width: number): ReadonlyArray<Line> => {
  const text = decisionText(decision, glyphs)
  return width >= text.head.length + text.status.length + 3
    ? [spread([span(text.head, text.tone)], [span(text.status, "dim")], width, glyphs.ellipsis)]
    : [[span(text.head, text.tone)]]
}

/** The two lines that a dialog shows where there is no room for more. */
export const decisionBrief = (decision: Decision.Decision, glyphs: Glyphs, width: number): ReadonlyArray<Line> => {
  const text = decisionText(decision, glyphs)
  return [
    clipLine([span("  "), span(text.reason, "dim")], width, glyphs.ellipsis),
    clipLine(
      [span("  "), span(sayIn(glyphs, text.loses === null ? text.detail : `${text.loses} ${text.detail}`))],
      width,
      glyphs.ellipsis
    )
  ]
}

/** Everything below the head. */
export const decisionBody = (
  decision: Decision.Decision,
  glyphs: Glyphs,
  width: number,
  indent = "  "
): ReadonlyArray<Line> => {
  const text = decisionText(decision, glyphs)
  const say = (sentence: string): string => sayIn(glyphs, sentence)
  return [
    ...block(text.reason, width, "dim", indent),
    ...block(say(text.detail), width, "plain", indent),
    ...(text.loses === null ? [] : block(say(text.loses), width, "warn", indent)),
    ...(text.keeps === null ? [] : block(say(text.keeps), width, "plain", indent)),
    ...text.warnings.flatMap((warning) => block(say(warning), width, "warn", indent))
  ]
}
