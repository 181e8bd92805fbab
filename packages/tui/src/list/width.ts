/** Text in terminal cells: how wide it is, and made exactly as wide as a column. Nothing here cuts through a grapheme. */
import { Text } from "@alluka/core"
import stringWidth from "string-width"

/** How many cells a text takes. */
export const cells = (text: string): number => (ascii.test(text) ? text.length : stringWidth(text))

const ascii = /^[\x20-\x7e]*$/

/** The longest beginning of a text that takes at most `width` cells. */
const head = (text: string, width: number): { readonly text: string; readonly width: number } => {
  const kept: Array<string> = []
  let used = 0
  for (const part of Text.graphemes(text)) {
    const next = stringWidth(part)
    if (used + next > width) break
    kept.push(part)
    used += next
  }
  return { text: kept.join(""), width: used }
}

/** The text in at most `width` cells: cut behind a whole grapheme, with `ellipsis` as its last sign where it was cut. */
export const clip = (text: string, width: number, ellipsis = "…"): string => {
  if (width <= 0) return ""
  if (cells(text) <= width) return text
  const mark = cells(ellipsis) <= width ? ellipsis : ""
  return `${head(text, width - cells(mark)).text}${mark}`
}

/** The text in exactly `width` cells: clipped, or filled with spaces behind it (`left`) or before it (`right`). */
export const inCells = (text: string, width: number, align: "left" | "right" = "left", ellipsis = "…"): string => {
  const clipped = clip(text, width, ellipsis)
  const space = " ".repeat(Math.max(0, width - cells(clipped)))
  return align === "left" ? `${clipped}${space}` : `${space}${clipped}`
}
