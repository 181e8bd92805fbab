/**
 * A text as its reader sees it: without escape sequences, other controls and invisible characters, raw or written as
 * escapes in JSON or code. A key with a colour code in its middle is still that key.
 */
import { beginsEscape, escapeEnd } from "./escapes.js"
import { invisibleRanges } from "./invisible.js"

export interface ReaderView {
  readonly text: string
  /** The position in the original text of a position in the view. */
  readonly original: (index: number) => number
}

const writtenEscape = "\\\\(?:u001b|x1b|033|e)(?:\\[[0-9;:?<=>]{0,32}[@-~]|[()][A-Z0-9]|[78=>c])"
const writtenInvisible = "\\\\u(?:00ad|200[b-f]|202[a-e]|206[0-9a-f]|feff|000[0-8bef]|001[0-9a-f]|007f|008[0-9a-f]|009[0-9a-f])"
const hiddenSource = `[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f${invisibleRanges}]|${writtenEscape}|${writtenInvisible}`
const hiddenOnce = new RegExp(hiddenSource, "iu")
const hidden = new RegExp(hiddenSource, "giu")

/** Whether a reader sees something else than the units of the text. */
export const hasHidden = (text: string): boolean => hiddenOnce.test(text)

/** ESC or an 8-bit control that begins a string (OSC, DCS, ...), whose text is not shown but may be read elsewhere. */
const stringIntroducer = /[\u0090\u0098\u009d-\u009f]|\u001b[\]PX^_k]/y

/**
 * The view of a text. `strings`: whether the payload of OSC, DCS, APC, PM and SOS is part of it: a terminal hides it, a
 * log does not.
 */
export const readerView = (text: string, strings: "hidden" | "shown"): ReaderView => {
  const parts: Array<string> = []
  /** Where each part begins in the view, and in the original. */
  const viewStarts: Array<number> = []
  const starts: Array<number> = []
  let length = 0
  let kept = 0
  const keep = (end: number) => {
    if (end <= kept) return
    parts.push(text.slice(kept, end))
    viewStarts.push(length)
    starts.push(kept)
    length += end - kept
  }
  hidden.lastIndex = 0
  for (let hit = hidden.exec(text); hit !== null; hit = hidden.exec(text)) {
    keep(hit.index)
    kept = Math.max(kept, endOfHidden(text, hit.index, hit[0], strings))
    hidden.lastIndex = kept
  }
  keep(text.length)
  return {
    text: parts.join(""),
    original: (index) => {
      let low = 0
      let high = viewStarts.length - 1
      while (low < high) {
        const middle = (low + high + 1) >> 1
        if ((viewStarts[middle] ?? 0) <= index) low = middle
        else high = middle - 1
      }
      return (starts[low] ?? 0) + index - (viewStarts[low] ?? 0)
    }
  }
}

const endOfHidden = (text: string, index: number, hit: string, strings: "hidden" | "shown"): number => {
  if (!beginsEscape(text.charCodeAt(index))) return index + hit.length
  if (strings === "shown") {
    stringIntroducer.lastIndex = index
    const introducer = stringIntroducer.exec(text)
    if (introducer !== null) return index + introducer[0].length
  }
  return escapeEnd(text, index)
}
