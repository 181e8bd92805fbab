/**
 * Blocks of private keys in PEM form, whole or cut: with real line ends, with `\n` as in JSON and environment files, or
 * all on one line.
 */
import type { Span } from "./Span.js"

export const privateKeyLabel = "private-key"

/** The beginning or end of a private key's block; certificates and public keys are not secret. */
const marker = /-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
/** A line end, real or written as an escape. */
const lineEnd = /(?<!\\)(?:\\+[nr])+|[\r\n]+/g
const base64 = /^[ \t>|#*+-]{0,8}[A-Za-z0-9+/=]{1,100}[ \t,"']{0,3}$/
const header = /^[ \t]{0,8}(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID): [^\n]{0,200}$/

/** Adds every private key; one without an end reaches as far as its lines look like one. */
export const findPrivateKeys = (text: string, found: Array<Span>): void => {
  if (!text.includes("PRIVATE KEY")) return
  marker.lastIndex = 0
  let open: { readonly start: number; readonly bodyStart: number } | null = null
  /** Nothing before this belongs to another block. */
  let floor = 0
  const close = (block: { readonly start: number; readonly bodyStart: number }, limit: number): void => {
    const end = bodyEnd(text, block.bodyStart, limit)
    found.push({ start: block.start, end, label: privateKeyLabel })
    floor = end
  }
  for (let hit = marker.exec(text); hit !== null; hit = marker.exec(text)) {
    const after = hit.index + hit[0].length
    if (hit[1] === "BEGIN") {
      if (open !== null) close(open, hit.index)
      open = { start: hit.index, bodyStart: after }
    } else {
      if (open !== null && hit.index - open.start <= longestBlock) {
        found.push({ start: open.start, end: after, label: privateKeyLabel })
      } else {
        if (open !== null) close(open, hit.index)
        found.push({ start: bodyStart(text, floor, hit.index), end: after, label: privateKeyLabel })
      }
      floor = after
      open = null
    }
  }
  if (open !== null) close(open, text.length)
}

/** Longer than any real key; between two markers further apart, something else was cut out. */
const longestBlock = 64 * 1024

/** How far the lines after a beginning look like a key. */
const bodyEnd = (text: string, start: number, limit: number): number => {
  let end = start
  let index = start
  while (index < limit) {
    lineEnd.lastIndex = index
    const next = lineEnd.exec(text)
    const stop = next === null ? limit : Math.min(next.index, limit)
    const content = text.slice(index, stop)
    if (base64.test(content) || header.test(content)) end = stop
    else if (content.trim() !== "") {
      const words = wordsLength(content)
      return words === 0 ? end : index + words
    }
    if (next === null) return end
    index = next.index + next[0].length
  }
  return end
}

const keyWords = /^(?:[ \t]*[A-Za-z0-9+/=]{20,})+[A-Za-z0-9+/=]*/

/** The length of the key-like words at the beginning of a text. */
const wordsLength = (text: string): number => keyWords.exec(text.slice(0, longestBlock))?.[0].length ?? 0

/** How far the lines before an end without a beginning look like a key. */
const bodyStart = (text: string, floor: number, end: number): number => {
  const before = text.slice(Math.max(floor, end - longestBlock), end)
  const lines = before.split(/(\r?\n|(?<!\\)(?:\\+[nr])+)/)
  let start = end
  for (let index = lines.length - 1; index >= 0; index--) {
    const part = lines[index] ?? ""
    const content = index % 2 === 0 ? part : ""
    if (content !== "" && !base64.test(content)) {
      // The cut line may begin with other text: its last word belongs to the key.
      const word = /[A-Za-z0-9+/=]{20,}[ \t]*$/.exec(content)
      return word === null ? start : start - word[0].length
    }
    start -= part.length
  }
  return start
}

/** Whether a text ends inside a private key: what comes next may belong to it. */
export const endsInPrivateKey = (text: string): boolean => {
  if (!text.includes("PRIVATE KEY")) return false
  const found: Array<Span> = []
  findPrivateKeys(text, found)
  const last = found.at(-1)
  return (
    last !== undefined && !text.slice(last.start, last.end).includes("-----END") && text.slice(last.end).trim() === ""
  )
}

/** Whether a line can be part of a private key that was begun before. */
export const continuesPrivateKey = (text: string): boolean => {
  const content = text.trimEnd()
  return content === "" || base64.test(content) || header.test(content)
}

/** The index after the end marker of a private key that was begun before; -1 without one. */
export const privateKeyEnd = (text: string): number => {
  marker.lastIndex = 0
  const first = marker.exec(text)
  return first?.[1] === "END" ? first.index + first[0].length : -1
}
