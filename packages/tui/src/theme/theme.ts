/**
 * Colours. Only the terminal's own 16 are used, so they are readable on dark and on light; nothing is told by colour alone.
 */
import type { Tone as RowTone } from "../list/index.js"

/** What a piece of text means; a theme gives each its looks. */
export type Tone = RowTone | "accent" | "heading"

export const themeNames = ["default", "mono", "high-contrast", "deuteranopia"] as const
export type ThemeName = (typeof themeNames)[number]

/** Parameters of the SGR sequence of each tone; empty: the terminal's own looks. */
export type Theme = Readonly<Record<Tone, ReadonlyArray<number>>>

const bold = 1
const dim = 2
const underline = 4
const [red, green, yellow, blue, magenta, cyan] = [31, 32, 33, 34, 35, 36]

export const themes: Readonly<Record<ThemeName, Theme>> = {
  default: {
    plain: [],
    dim: [dim],
    strong: [bold],
    heading: [bold],
    live: [cyan],
    good: [green],
    warn: [yellow],
    bad: [bold, red],
    accent: [cyan]
  },
  /** No colours at all: bold, dim, underline and inverse remain. */
  mono: {
    plain: [],
    dim: [dim],
    strong: [bold],
    heading: [bold],
    live: [],
    good: [],
    warn: [bold],
    bad: [bold, underline],
    accent: [underline]
  },
  "high-contrast": {
    plain: [],
    dim: [],
    strong: [bold],
    heading: [bold, underline],
    live: [bold, cyan],
    good: [bold, green],
    warn: [bold, yellow],
    bad: [bold, red],
    accent: [bold, blue]
  },
  /** No pair of red and green. */
  deuteranopia: {
    plain: [],
    dim: [dim],
    strong: [bold],
    heading: [bold],
    live: [cyan],
    good: [cyan],
    warn: [yellow],
    bad: [bold, magenta],
    accent: [cyan]
  }
}

/** The theme in use: without colours (`NO_COLOR`, `--color never`) it is always `mono`. */
export const themeOf = (name: ThemeName, colour: boolean): Theme => (colour ? themes[name] : themes.mono)
