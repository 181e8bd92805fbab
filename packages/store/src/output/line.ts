/** One line of an output file: `{"t":1764543600000,"s":"stdout","x":"text"}`. Pure. */
import type { OutputLog } from "@alluka/core"

/** A line longer than this is cut: one line must not push everything else out of the file. */
export const maxText = 256 * 1024

const cut = "… (cut)"

export const encodeLine = (line: OutputLog.OutputLine): string => {
  const text = line.text.length <= maxText ? line.text : `${line.text.slice(0, maxText)}${cut}`
  return `${JSON.stringify({ t: line.at, s: line.from, x: text })}\n`
}

/** `null` for what is no line of ours: the writer died in the middle of it, or the disk was full. */
export const decodeLine = (text: string): OutputLog.OutputLine | null => {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== "object" || value === null || !("t" in value && "s" in value && "x" in value)) return null
    const { t, s, x } = value
    if (typeof t !== "number" || typeof x !== "string" || (s !== "stdout" && s !== "stderr")) return null
    return { at: t, from: s, text: x }
  } catch {
    return null
  }
}

/** The whole lines of a piece of a file, in order. */
export const decodeLines = (text: string): ReadonlyArray<OutputLog.OutputLine> =>
  text.split("\n").flatMap((line) => {
    const decoded = line === "" ? null : decodeLine(line)
    return decoded === null ? [] : [decoded]
  })

/** Stands where lines were dropped; it carries the time of the line that follows. */
export const gapLine = (next: OutputLog.OutputLine): OutputLog.OutputLine => ({
  at: next.at,
  from: "stderr",
  text: "(lines are missing here: of a long output the beginning and the newest part are kept)"
})
