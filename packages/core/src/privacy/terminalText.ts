/**
 * The one function that makes untrusted text safe for a terminal. Everything that comes from an agent, a provider, a
 * file name or another process goes through here before it is shown: titles, messages, errors, model ids, paths.
 */
import { beginsEscape, escapeEnd } from "./escapes.js"
import { invisibleRanges, isInvisible } from "./invisible.js"

export interface TerminalTextOptions {
  /** Line ends and tabs become one space, so that one line stays one line. */
  readonly singleLine?: boolean
}

const suspect = new RegExp(`[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\p{Cs}${invisibleRanges}]`, "u")
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/

/**
 * The text with every escape sequence removed (7-bit and 8-bit, closed or not), every other control character except
 * newline and tab replaced by U+FFFD (a lone carriage return by a newline, so that nothing is overwritten), bidirectional,
 * zero-width and tag characters shown as `<U+XXXX>`, and lone surrogates replaced by U+FFFD. What belongs to a visible
 * character stays: joined emoji, flags of regions, presentation selectors, joiners between letters of scripts that use them.
 *
 * Total and idempotent; at most eight times as long as what comes in.
 */
export const terminalText = (text: string, { singleLine = false }: TerminalTextOptions = {}): string => {
  const safe = suspect.test(text) ? showInvisible(withoutControls(text).toWellFormed()) : text
  return singleLine ? safe.replace(/[\n\t]+/g, " ") : safe
}

const withoutControls = (text: string): string => {
  if (!control.test(text)) return text
  let out = ""
  let kept = 0
  let index = 0
  while (index < text.length) {
    const unit = text.charCodeAt(index)
    if ((unit >= 0x20 && unit < 0x7f) || unit > 0x9f || unit === 0x0a || unit === 0x09) {
      index++
      continue
    }
    out += text.slice(kept, index)
    if (beginsEscape(unit)) {
      index = escapeEnd(text, index)
    } else {
      if (unit !== 0x0d) out += "\ufffd"
      else if (text.charCodeAt(index + 1) !== 0x0a) out += "\n"
      index++
    }
    kept = index
  }
  return out + text.slice(kept)
}

const ZWNJ = 0x200c
const ZWJ = 0x200d
const BLACK_FLAG = 0x1f3f4

const showInvisible = (text: string): string => {
  let out = ""
  let kept = 0
  let index = 0
  /** The last code point that was kept as it is. */
  let before = 0
  while (index < text.length) {
    const point = text.codePointAt(index) ?? 0
    const width = point > 0xffff ? 2 : 1
    if (!isInvisible(point)) {
      before = point
      index += width
      continue
    }
    const end = belongingEnd(text, index, point, before)
    if (end > index) {
      before =
        text.codePointAt(end - (text.charCodeAt(end - 1) >= 0xdc00 && text.charCodeAt(end - 1) <= 0xdfff ? 2 : 1)) ?? 0
      index = end
      continue
    }
    out += `${text.slice(kept, index)}<U+${point.toString(16).toUpperCase().padStart(4, "0")}>`
    before = 0
    index += width
    kept = index
  }
  return kept === 0 ? text : out + text.slice(kept)
}

/** Expressions over Unicode's tables take longer to make than most texts to look at, and few texts need them. */
const lazily = (make: () => RegExp): (() => RegExp) => {
  let made: RegExp | null = null
  return () => {
    made ??= make()
    return made
  }
}

const pictograph = lazily(() => /^(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f)$/u)
const joinedNext = lazily(() => /^\p{Extended_Pictographic}$/u)
/** Scripts in which ZWJ and ZWNJ choose between visible forms. */
const joiningScripts =
  "\\p{Script_Extensions=Arabic}\\p{Script_Extensions=Syriac}\\p{Script_Extensions=Mongolian}\\p{Script_Extensions=Devanagari}" +
  "\\p{Script_Extensions=Bengali}\\p{Script_Extensions=Gurmukhi}\\p{Script_Extensions=Gujarati}\\p{Script_Extensions=Oriya}" +
  "\\p{Script_Extensions=Tamil}\\p{Script_Extensions=Telugu}\\p{Script_Extensions=Kannada}\\p{Script_Extensions=Malayalam}" +
  "\\p{Script_Extensions=Sinhala}\\p{Script_Extensions=Khmer}\\p{Script_Extensions=Myanmar}"
const joiningBefore = lazily(() => new RegExp(`^(?=[\\p{L}\\p{M}])[${joiningScripts}]$`, "u"))
const joiningAfter = lazily(() => new RegExp(`^(?=\\p{L})[${joiningScripts}]$`, "u"))
const takesSelector = lazily(() => /^(?:[\p{Emoji}\p{L}\p{S}]|\p{P})$/u)
const ideograph = lazily(() => /^\p{Script=Han}$/u)
/** Tag letters of a region's subdivision, as in the flag of Wales, and the cancel tag. */
const regionTags = /(?:[\u{e0061}-\u{e007a}]{2}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,3}\u{e007f})/uy

/** The index after an invisible run that belongs to the visible character before it; `index` itself if it does not. */
const belongingEnd = (text: string, index: number, point: number, before: number): number => {
  if (before === 0) return index
  const last = String.fromCodePoint(before)
  if (point === ZWJ || point === ZWNJ) {
    const next = text.codePointAt(index + 1)
    if (next === undefined || isInvisible(next)) return index
    const following = String.fromCodePoint(next)
    const joins =
      (point === ZWJ && pictograph().test(last) && joinedNext().test(following)) ||
      (joiningBefore().test(last) && joiningAfter().test(following))
    return joins ? index + 1 : index
  }
  if (point === 0xfe0e || point === 0xfe0f) return takesSelector().test(last) ? index + 1 : index
  if (point >= 0xfe00 && point <= 0xfe0d) return ideograph().test(last) ? index + 1 : index
  if (point >= 0xe0100 && point <= 0xe01ef) return ideograph().test(last) ? index + 2 : index
  if (before === BLACK_FLAG && point >= 0xe0000 && point <= 0xe007f) {
    regionTags.lastIndex = index
    const tags = regionTags.exec(text)
    return tags === null ? index : index + tags[0].length
  }
  return index
}
