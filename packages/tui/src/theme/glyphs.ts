/** Signs and frames, with their twins in 7-bit ASCII. Each is as wide as its twin stands for in `layout`. */
import type { Decision, State } from "@alluka/core"
import { looks } from "../list/index.js"
import type { Tone } from "./theme.js"

export interface Glyphs {
  readonly ascii: boolean
  readonly cursor: string
  readonly ellipsis: string
  readonly mark: string
  readonly open: string
  readonly closed: string
  readonly bullet: string
  readonly horizontal: string
  readonly vertical: string
  readonly teeDown: string
  readonly teeUp: string
  readonly corners: readonly [topLeft: string, topRight: string, bottomLeft: string, bottomRight: string]
  readonly spinner: ReadonlyArray<string>
  readonly idle: string
  readonly queued: string
  readonly arrows: { readonly up: string; readonly down: string; readonly both: string; readonly right: string }
  readonly tool: string
}

export const unicodeGlyphs: Glyphs = {
  ascii: false,
  cursor: "›",
  ellipsis: "…",
  mark: "◆",
  open: "▾",
  closed: "▸",
  bullet: "·",
  horizontal: "─",
  vertical: "│",
  teeDown: "┬",
  teeUp: "┴",
  corners: ["┌", "┐", "└", "┘"],
  spinner: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
  idle: "◌",
  queued: "○",
  arrows: { up: "↑", down: "↓", both: "↑↓", right: "→" },
  tool: "▸"
}

export const asciiGlyphs: Glyphs = {
  ascii: true,
  cursor: ">",
  ellipsis: "~",
  mark: "#",
  open: "v",
  closed: ">",
  bullet: "-",
  horizontal: "-",
  vertical: "|",
  teeDown: "+",
  teeUp: "+",
  corners: ["+", "+", "+", "+"],
  spinner: ["|", "/", "-", "\\"],
  idle: "?",
  queued: ".",
  arrows: { up: "^", down: "v", both: "up/down", right: "->" },
  tool: ">"
}

export const glyphsOf = (ascii: boolean): Glyphs => (ascii ? asciiGlyphs : unicodeGlyphs)

/** The sign of a state; a running one turns with `spin` unless motion is reduced (`null`), a silent one stands still. */
export const stateGlyph = (
  glyphs: Glyphs,
  state: State.State,
  { spin, silent }: { readonly spin: number | null; readonly silent: boolean }
): { readonly text: string; readonly tone: Tone } => {
  if (state === "running" && silent) return { text: glyphs.idle, tone: "warn" }
  const look = looks[state]
  if (state === "running" && spin !== null) {
    return { text: glyphs.spinner[spin % glyphs.spinner.length] ?? look.glyph, tone: look.tone }
  }
  return { text: glyphs.ascii ? look.ascii : look.glyph, tone: look.tone }
}

/** How each decision is shown: the same sign, word and colour everywhere. */
export const decisionLooks: Readonly<
  Record<
    Decision.DecisionStatus,
    { readonly glyph: string; readonly ascii: string; readonly tone: Tone; readonly word: string }
  >
> = {
  resuming_same_session: { glyph: "»", ascii: ">>", tone: "good", word: "SAME SESSION" },
  falling_back_to_fresh_invocation: { glyph: "+", ascii: "+", tone: "warn", word: "FRESH START" },
  refusing_to_resume: { glyph: "!", ascii: "!!", tone: "bad", word: "WILL NOT RESUME" }
}

/** Box-drawing and punctuation that our own sentences use, in ASCII. Text of agents and people stays as it is. */
const twins: ReadonlyArray<readonly [string, string]> = [
  ["…", "..."],
  ["·", "-"],
  ["→", "->"],
  ["»", ">>"],
  ["↑↓", "up/down"],
  ["↑", "up"],
  ["↓", "down"],
  ["—", "-"],
  ["✓", "+"],
  ["●", "*"],
  ["◐", "~"],
  ["✗", "x"],
  ["⊘", "-"]
]

/** A sentence of ours for the terminal at hand. */
export const sayIn = (glyphs: Glyphs, sentence: string): string =>
  glyphs.ascii ? twins.reduce((text, [sign, twin]) => text.replaceAll(sign, twin), sentence) : sentence
