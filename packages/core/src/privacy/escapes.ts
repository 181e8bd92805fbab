/**
 * Where a terminal's escape sequence ends. One scanner for everything that must see a text as a reader of a terminal
 * would: the sanitiser, the redactor, the one-line form.
 *
 * Works on UTF-16 units, one pass, no recursion: a sequence inside another, or one split by ignored controls, cannot
 * leave a working sequence behind, because no control character outside a sequence survives its callers either.
 */

const NUL = 0x00
const TAB = 0x09
const NEWLINE = 0x0a
const BEL = 0x07
const CR = 0x0d
const CANCEL = 0x18
const SUBSTITUTE = 0x1a
const ESC = 0x1b
const DELETE = 0x7f
const STRING_TERMINATOR = 0x9c

/** Whether a unit begins an escape sequence: ESC, or the 8-bit forms of SS2, SS3, DCS, SOS, CSI, ST, OSC, PM, APC. */
export const beginsEscape = (unit: number): boolean =>
  unit === ESC || unit === 0x8e || unit === 0x8f || unit === 0x90 || unit === 0x98 || (unit >= 0x9b && unit <= 0x9f)

/**
 * The index after the escape sequence that begins at `start` (which `beginsEscape`). A sequence that is not closed ends
 * with its line or with the text: a terminal would swallow what follows, a reader should not have to.
 */
export const escapeEnd = (text: string, start: number): number => {
  const first = text.charCodeAt(start)
  switch (first) {
    case 0x8e:
    case 0x8f:
      return singleShiftEnd(text, start + 1)
    case 0x9b:
      return controlSequenceEnd(text, start + 1)
    case 0x9d:
      return stringEnd(text, start + 1, true)
    case 0x90:
    case 0x98:
    case 0x9e:
    case 0x9f:
      return stringEnd(text, start + 1, false)
    case STRING_TERMINATOR:
      return start + 1
  }
  const index = skipIgnored(text, start + 1)
  if (index >= text.length) return index
  const unit = text.charCodeAt(index)
  switch (unit) {
    case CANCEL:
    case SUBSTITUTE:
      return index + 1
    case 0x4e: // N, SS2
    case 0x4f: // O, SS3
      return singleShiftEnd(text, index + 1)
    case 0x5b: // [
      return controlSequenceEnd(text, index + 1)
    case 0x5d: // ]
    case 0x6b: // k, the window title of screen and tmux
      return stringEnd(text, index + 1, true)
    case 0x50: // P
    case 0x58: // X
    case 0x5e: // ^
    case 0x5f: // _
      return stringEnd(text, index + 1, false)
  }
  if (unit >= 0x20 && unit <= 0x2f) return intermediateEnd(text, index + 1)
  return unit >= 0x30 && unit <= 0x7e ? index + 1 : index
}

/** Terminals carry these out, or drop them, in the middle of a sequence and then go on with the sequence. */
const skipIgnored = (text: string, start: number): number => {
  let index = start
  while (index < text.length && isIgnoredInside(text.charCodeAt(index))) index++
  return index
}

const isIgnoredInside = (unit: number): boolean =>
  unit === DELETE ||
  (unit >= NUL &&
    unit < 0x20 &&
    unit !== TAB &&
    unit !== NEWLINE &&
    unit !== CR &&
    unit !== CANCEL &&
    unit !== SUBSTITUTE &&
    unit !== ESC)

/** SS2 and SS3 take the next character from another set. */
const singleShiftEnd = (text: string, start: number): number => {
  const index = skipIgnored(text, start)
  const unit = text.charCodeAt(index)
  return unit > 0x20 && unit < DELETE ? index + 1 : index
}

/** ESC, intermediates, one final: character sets, alignment test, encodings. */
const intermediateEnd = (text: string, start: number): number => {
  let index = start
  for (; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit >= 0x30 && unit <= 0x7e) return index + 1
    if (unit === CANCEL || unit === SUBSTITUTE) return index + 1
    if (!(unit >= 0x20 && unit <= 0x2f) && !isIgnoredInside(unit)) return index
  }
  return index
}

/** Parameters and intermediates, then one final from `@` to `~`; anything else breaks the sequence off. */
const controlSequenceEnd = (text: string, start: number): number => {
  let index = start
  for (; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit >= 0x40 && unit <= 0x7e) return index + 1
    if (unit === CANCEL || unit === SUBSTITUTE) return index + 1
    if (!(unit >= 0x20 && unit <= 0x3f) && !isIgnoredInside(unit)) return index
  }
  return index
}

/**
 * OSC, DCS, APC, PM, SOS: up to ST (or BEL where the string takes one), a cancel, another escape, or the line's end. A
 * doubled ESC is payload: tmux passes sequences through that way.
 */
const stringEnd = (text: string, start: number, endsWithBell: boolean): number => {
  let index = start
  for (; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit === NEWLINE || unit === CR) return index
    if (unit === STRING_TERMINATOR || unit === CANCEL || unit === SUBSTITUTE) return index + 1
    if (unit === BEL && endsWithBell) return index + 1
    if (unit === ESC) {
      const next = text.charCodeAt(index + 1)
      if (next === 0x5c) return index + 2
      if (next !== ESC || endsWithBell) return index
      index++
    }
  }
  return index
}
