/** Text of agents, providers and files on its way to a person: redacted where it never was, safe for a terminal. */
import { TerminalText, Text } from "@alluka/core"

/** On one line, at most `max` graphemes. */
export const line = (text: string, max = 280): string =>
  Text.oneLine(TerminalText.terminalText(text, { singleLine: true }), max)

/** With its line ends. */
export const block = (text: string): string => TerminalText.terminalText(text).replace(/\s+$/u, "")

export const indented = (text: string, by: string): string =>
  text
    .split("\n")
    .map((each) => (each === "" ? each : `${by}${each}`))
    .join("\n")

/** A time for people, in their own zone: `2026-11-30 22:48:03`. */
export const clock = (ms: number): string => {
  const date = new Date(ms)
  const two = (value: number): string => `${value}`.padStart(2, "0")
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}
