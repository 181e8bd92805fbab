/**
 * A text as its reader sees it: without escape sequences, other controls and invisible characters, raw or written as
 * escapes in JSON or code. A key with a colour code in its middle is still that key.
 */
import { beginsEscape, escapeEnd } from "./escapes.js"

export interface ReaderView {
  readonly text: string
  /** The position in the original text of a position in the view. */
  readonly original: (index: number) => number
}

/** ESC and the rest of a sequence, or another control or invisible character, as JSON or code writes them. */
const writtenEscape = "\\\\(?:u001[bB]|x1[bB]|033|e)(?:\\[[0-9;:?<=>]{0,32}[@-~]|[()][A-Z0-9]|[78=>c])"
const writtenInvisible =
  "\\\\u(?:00[aA][dD]|200[b-fB-F]|202[a-eA-E]|206[0-9a-fA-F]|[fF][eE][fF]{2}|000[0-8bBeEfF]|001[0-9a-fA-F]|007[fF]|00[89][0-9a-fA-F])"
/** Only after ASCII, where a key could be: in other text joiners and selectors belong to its characters. */
const invisible =
  "(?<=[!-~])[\\u00ad\\u034f\\u061c\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufe00-\\ufe0f\\ufeff]+|\\udb40[\\udc00-\\udfff]"
const hiddenSource = `[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]|${invisible}|${writtenEscape}|${writtenInvisible}`
const hiddenOnce = new RegExp(hiddenSource)
const hidden = new RegExp(hiddenSource, "g")

/** Whether a reader sees something else than the units of the text. */
export const hasHidden = (text: string): boolean => hiddenOnce.test(text)

/** ESC or an 8-bit control that begins a string (OSC, DCS, ...), whose text is not shown but may be read elsewhere. */
const stringIntroducer = /[\u0090\u0098\u009d-\u009f]|\u001b[\]PX^_k]/y

/** Whether a text has such strings, so that its two views differ. */
export const hasStrings = (text: string): boolean => /[\u0090\u0098\u009d-\u009f]|\u001b[\]PX^_k]/.test(text)

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
