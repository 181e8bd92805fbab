/** Where something stands in a JSON text, and why a text is no JSON. Loaded only when there is something to tell. Pure. */
import { type Node, type ParseError, type ParseOptions, parseTree, printParseErrorCode } from "jsonc-parser"
import type { Keys } from "./fault.js"

/** Line and column from 1; the column in UTF-16 units. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** JSON as the standard has it. */
const strict: ParseOptions = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false }

/** The position of an offset, with the line ends of any system. */
const positionAt = (text: string, offset: number): Position => {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/)
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

const treeOf = (text: string, errors: Array<ParseError> = []): Node | null => {
  try {
    return parseTree(text, errors, strict) ?? null
  } catch {
    // Nested deeper than the parser's stack: then nothing is known of places in it.
    return null
  }
}

/** The member of an object with a name, as `JSON.parse` has it: of several with the same name the last. */
const memberOf = (node: Node, key: string | number): Node | null =>
  node.type === "object"
    ? (node.children?.findLast(({ children }) => children?.[0]?.value === key) ?? null)
    : node.type === "array" && typeof key === "number"
      ? (node.children?.[key] ?? null)
      : null

/**
 * Where the names lead to in a valid JSON text: to the last of them itself, or to its value. Where the text ends before
 * the names do (something is missing there), the last that is found; `null` where the text cannot be read.
 */
export const positionOf = (text: string, keys: Keys, about: "name" | "value"): Position | null => {
  let at = treeOf(text)
  if (at === null) return null
  let offset = at.offset
  for (const [index, key] of keys.entries()) {
    const member = memberOf(at, key)
    if (member === null) break
    const value: Node = member.type === "property" ? (member.children?.[1] ?? member) : member
    offset = index === keys.length - 1 && about === "value" ? value.offset : member.offset
    at = value
  }
  return positionAt(text, offset)
}

/** A name that an object holds twice: only the last of them counts, which is seldom meant. */
export interface Duplicate extends Position {
  readonly name: string
  /** The line of the one that counts. */
  readonly countsInLine: number
}

/** The names that an object of the text holds more than once, each at the place that does not count. */
export const duplicatesIn = (text: string): ReadonlyArray<Duplicate> => {
  const found: Array<Duplicate> = []
  const waiting = [treeOf(text)]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node === null) continue
    const members = node.type === "object" ? (node.children ?? []) : []
    for (const member of members) {
      const name = String(member.children?.[0]?.value)
      const counts = memberOf(node, name)
      if (counts === null || counts === member) continue
      found.push({ name, ...positionAt(text, member.offset), countsInLine: positionAt(text, counts.offset).line })
    }
    waiting.push(...(node.children ?? []))
  }
  return found.sort((a, b) => a.line - b.line || a.column - b.column)
}

export interface SyntaxFault extends Position {
  /** What is wrong there, without a full stop. */
  readonly message: string
}

/** Why a text that `JSON.parse` refuses is no JSON, at the first place where it is none. */
export const syntaxFault = (text: string): SyntaxFault => {
  if (text.includes("\u0000") || text.startsWith("\ufffd")) {
    return { line: 1, column: 1, message: "the file is no UTF-8 text; save it as UTF-8" }
  }
  if (text.trim() === "") return { line: 1, column: 1, message: 'the file is empty; the least is "{}"' }
  const errors: Array<ParseError> = []
  treeOf(text, errors)
  const first = errors.reduce<ParseError | null>(
    (least, each) => (least === null || each.offset < least.offset ? each : least),
    null
  )
  if (first === null) return { line: 1, column: 1, message: "the text cannot be read as JSON" }
  return { ...positionAt(text, first.offset), message: wordsFor(first, text) }
}

const wordsFor = ({ error, offset }: ParseError, text: string): string => {
  const kind: string = printParseErrorCode(error)
  const sign = text[offset]
  if ((sign === "}" || sign === "]") && text.slice(0, offset).trimEnd().endsWith(",")) {
    return `there is a comma before this "${sign}" that nothing follows; take it out`
  }
  if (sign === "'") return "texts and names stand in double quotes in JSON"
  if (sign === undefined || text.slice(offset).trim() === "") {
    return kind === "UnexpectedEndOfString"
      ? 'a text is not closed; a closing " is missing'
      : 'the text ends too early; a closing "}" or "]" is missing'
  }
  return words[kind] ?? "this is no JSON"
}

/** By the parser's names. */
const words: Readonly<Record<string, string>> = {
  InvalidSymbol: "names and texts stand in double quotes; other words are only true, false and null",
  InvalidNumberFormat: "this is no number as JSON writes it",
  PropertyNameExpected: "a name in double quotes is expected here",
  ValueExpected: "a value is expected here",
  ColonExpected: 'a ":" is expected here, between the name and its value',
  CommaExpected: 'a "," is expected here, after what stands before it',
  CloseBraceExpected: 'a "," or the closing "}" is expected here',
  CloseBracketExpected: 'a "," or the closing "]" is expected here',
  EndOfFileExpected: "there is something after the end of the outermost object",
  InvalidCommentToken: "JSON has no comments; take it out",
  UnexpectedEndOfComment: "JSON has no comments; take it out",
  UnexpectedEndOfString: 'a text is not closed; a closing " is missing in this line',
  UnexpectedEndOfNumber: "this is no number as JSON writes it",
  InvalidUnicode: "\\u is followed by four digits of 0-9 a-f",
  InvalidEscapeCharacter: "a \\ in a text is written twice: \\\\",
  InvalidCharacter: "a text cannot hold this sign as it is; write \\n or \\t for a line end or a tab"
}
