/** How each state looks: never by its colour alone, so that it can be read without one. */
import type { State } from "@alluka/core"

/** What a piece of text means; a theme gives each its colour. */
export type Tone = "plain" | "dim" | "strong" | "live" | "good" | "warn" | "bad"

export interface Look {
  /** One cell wide. */
  readonly glyph: string
  readonly ascii: string
  readonly tone: Tone
  readonly word: string
}

export const looks: Readonly<Record<State.State, Look>> = {
  running: { glyph: "●", ascii: "*", tone: "live", word: "running" },
  completed: { glyph: "✓", ascii: "+", tone: "good", word: "completed" },
  interrupted: { glyph: "◐", ascii: "~", tone: "warn", word: "interrupted" },
  failed: { glyph: "✗", ascii: "x", tone: "bad", word: "failed" },
  cancelled: { glyph: "⊘", ascii: "-", tone: "dim", word: "cancelled" }
}
