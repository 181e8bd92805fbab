/** Text in terminal cells, remembered: a screen shows nearly the same texts over and over, and measuring is slow. */
import { clip as cut, cells as measure } from "../list/index.js"

/** Texts remembered at most; then all are forgotten. */
const most = 4000

const ascii = /^[\x20-\x7e]*$/

const remembered = <Value>(compute: (text: string) => Value): ((text: string) => Value) => {
  const known = new Map<string, Value>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    if (known.size >= most) known.clear()
    const value = compute(text)
    known.set(text, value)
    return value
  }
}

const measured = remembered(measure)

export const isAscii = (text: string): boolean => ascii.test(text)

/** How many cells a text takes. */
export const cells = (text: string): number => (ascii.test(text) ? text.length : measured(text))

const cuts = new Map<string, string>()

/** The text in at most `width` cells, `ellipsis` as its last sign where it was cut. Never cuts a grapheme. */
export const clip = (text: string, width: number, ellipsis: string): string => {
  if (cells(text) <= width) return text
  if (width > ellipsis.length && ascii.test(text)) return `${text.slice(0, width - cells(ellipsis))}${ellipsis}`
  const key = `${width}${ellipsis}${text}`
  const before = cuts.get(key)
  if (before !== undefined) return before
  if (cuts.size >= most) cuts.clear()
  // Nothing beyond a few units a cell can be shown: a long text is not looked at to its end.
  const value = cut(
    text.length > width * 16 + 64 ? text.slice(0, width * 16 + 64).toWellFormed() : text,
    width,
    ellipsis
  )
  cuts.set(key, value)
  return value
}

/** The text in exactly `width` cells, filled with spaces on the side that `align` leaves. */
export const fit = (text: string, width: number, ellipsis: string, align: "left" | "right" = "left"): string => {
  const clipped = clip(text, width, ellipsis)
  const space = " ".repeat(Math.max(0, width - cells(clipped)))
  return align === "left" ? `${clipped}${space}` : `${space}${clipped}`
}

export { remembered }
