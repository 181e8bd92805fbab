/** Whether output is coloured, and how: the terminal's own sixteen colours, so that it can be read on any background. */
import type { Tone } from "@alluka/tui/list"

export interface ColorFacts {
  /** `--color`. */
  readonly flag: string | null
  readonly env: Readonly<Record<string, string | undefined>>
  readonly terminal: boolean
}

/** `--color` over `NO_COLOR` over `FORCE_COLOR` over whether there is a terminal that can. */
export const wantsColor = ({ env, flag, terminal }: ColorFacts): boolean => {
  if (flag === "always") return true
  if (flag === "never") return false
  if ((env.NO_COLOR ?? "") !== "") return false
  const forced = env.FORCE_COLOR
  if (forced !== undefined) return forced !== "0" && forced !== "false"
  return terminal && env.TERM !== "dumb"
}

export type Paint = (text: string, tone: Tone) => string

const codes: Readonly<Record<Tone, string | null>> = {
  plain: null,
  dim: "2",
  strong: "1",
  live: "36",
  good: "32",
  warn: "33",
  bad: "31"
}

export const plain: Paint = (text) => text

export const colored: Paint = (text, tone) => {
  const code = codes[tone]
  return code === null || text === "" ? text : `\u001b[${code}m${text}\u001b[0m`
}
