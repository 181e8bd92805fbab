/**
 * A text that is being typed, with its cursor. Pure: every key is a function of the text before it, so nothing is lost
 * however fast keys come.
 */
import { Text } from "@alluka/core"

export interface TextField {
  readonly text: string
  /** Index in UTF-16 units, always between graphemes. */
  readonly cursor: number
}

export const emptyField: TextField = { text: "", cursor: 0 }

export const fieldOf = (text: string): TextField => ({ text, cursor: text.length })

export interface FieldLimits {
  readonly multiline: boolean
  /** UTF-16 units at most; what is beyond is not taken. */
  readonly max: number
}

const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** What a paste or a key may put into a field: line ends as `\n`, no control characters. */
export const typed = (text: string, multiline: boolean): string => {
  const lines = text.toWellFormed().replace(/\r\n?/g, "\n").replaceAll("\t", "  ").replace(controls, "")
  return multiline ? lines : lines.replace(/\n+/g, " ")
}

export const insert = (field: TextField, text: string, { multiline, max }: FieldLimits): TextField => {
  const room = Math.max(0, max - field.text.length)
  const clean = typed(text, multiline)
  const taken = clean.length <= room ? clean : Text.graphemes(clean.slice(0, room)).slice(0, -1).join("")
  return {
    text: field.text.slice(0, field.cursor) + taken + field.text.slice(field.cursor),
    cursor: field.cursor + taken.length
  }
}

const before = ({ text, cursor }: TextField): number =>
  cursor - (Text.graphemes(text.slice(Math.max(0, cursor - 64), cursor)).at(-1)?.length ?? 0)

const after = ({ text, cursor }: TextField): number =>
  cursor + (Text.graphemes(text.slice(cursor, cursor + 64))[0]?.length ?? 0)

const lineStart = ({ text, cursor }: TextField): number => text.lastIndexOf("\n", cursor - 1) + 1

const lineEnd = ({ text, cursor }: TextField): number => {
  const end = text.indexOf("\n", cursor)
  return end === -1 ? text.length : end
}

const wordStart = ({ text, cursor }: TextField): number => {
  const head = text.slice(0, cursor).trimEnd()
  return Math.max(head.lastIndexOf(" "), head.lastIndexOf("\n")) + 1
}

const without = (field: TextField, from: number, to: number): TextField => ({
  text: field.text.slice(0, from) + field.text.slice(to),
  cursor: from
})

/** The same column in the line above or below; `null` where there is none. */
const vertical = (field: TextField, by: -1 | 1): TextField | null => {
  const start = lineStart(field)
  const column = field.cursor - start
  if (by === -1) {
    if (start === 0) return null
    const above = lineStart({ text: field.text, cursor: start - 1 })
    return { ...field, cursor: snapped(field.text, Math.min(above + column, start - 1)) }
  }
  const end = lineEnd(field)
  if (end === field.text.length) return null
  const belowEnd = lineEnd({ text: field.text, cursor: end + 1 })
  return { ...field, cursor: snapped(field.text, Math.min(end + 1 + column, belowEnd)) }
}

/** The nearest place before an index that is between graphemes. */
const snapped = (text: string, index: number): number => {
  const start = text.lastIndexOf("\n", index - 1) + 1
  let at = start
  for (const part of Text.graphemes(text.slice(start, index + 32))) {
    if (at + part.length > index) break
    at += part.length
  }
  return at
}

/** Names of the keys that edit a field; others are not for it. */
export const editField = (field: TextField, key: string): TextField | null => {
  switch (key) {
    case "left":
      return { ...field, cursor: before(field) }
    case "right":
      return { ...field, cursor: after(field) }
    case "home":
    case "ctrl+a":
      return { ...field, cursor: lineStart(field) }
    case "end":
    case "ctrl+e":
      return { ...field, cursor: lineEnd(field) }
    case "up":
      return vertical(field, -1)
    case "down":
      return vertical(field, 1)
    case "backspace":
      return without(field, before(field), field.cursor)
    case "ctrl+d":
      return without(field, field.cursor, after(field))
    case "ctrl+u":
      return without(field, lineStart(field), field.cursor)
    case "ctrl+k":
      return without(field, field.cursor, lineEnd(field))
    case "ctrl+w":
    case "alt+backspace":
      return without(field, wordStart(field), field.cursor)
    default:
      return null
  }
}
