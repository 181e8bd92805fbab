/**
 * Redaction of text that comes in pieces: a secret that is split over two of them, or over several lines, is found.
 */
import { continuesPrivateKey, endsInPrivateKey, privateKeyEnd } from "./privateKeys.js"

/**
 * Redacts a text line by line. In: one line without its end. Out: the line to keep, or `null` where the line is part of a
 * private key whose replacement was given with its first line.
 */
export type LineRedactor = (line: string) => string | null

/** A line redactor over a redacting function; it remembers only whether it stands inside a private key. */
export const makeLineRedactor = (redact: (text: string) => string): LineRedactor => {
  let insideKey = false
  return (line) => {
    let rest = line
    if (insideKey) {
      const end = privateKeyEnd(line)
      if (end === -1 && continuesPrivateKey(line)) return null
      insideKey = false
      if (end !== -1) {
        rest = line.slice(end)
        if (rest.trim() === "") return null
      }
    }
    insideKey = endsInPrivateKey(rest)
    return redact(rest)
  }
}

export interface StreamRedactor {
  /** Takes the next piece; gives back what can be let go: whole lines, or much of a very long one. */
  readonly push: (chunk: string) => string
  /** Gives back what was still held. The redactor can be used again afterwards. */
  readonly flush: () => string
}

/** A line longer than this is let go in parts. */
const longestHeld = 64 * 1024
/** What is kept back of such a line: longer than any pattern needs to be recognised. */
const tail = 4 * 1024

/**
 * A redactor for pieces of text over a redacting function. The pieces given back, joined, are the redacted text. At most
 * 64 KiB and the last piece are held.
 */
export const makeStreamRedactor = (redact: (text: string) => string): StreamRedactor => {
  let line = makeLineRedactor(redact)
  let held = ""
  /** A secret filled the part of a long line that was let go: what goes on with it is dropped. */
  let swallowing = false

  const finish = (text: string, end: string): string => {
    const rest = swallowing ? text.replace(secretRest, "") : text
    swallowing = false
    const redacted = line(rest)
    return redacted === null ? "" : redacted + end
  }

  const letGo = (): string => {
    const rest = swallowing ? held.replace(secretRest, "") : held
    if (swallowing && rest === "") {
      held = ""
      return ""
    }
    swallowing = false
    held = rest
    if (held.length <= longestHeld) return ""
    const cut = safeCut(held, redact)
    const out = redact(held.slice(0, cut))
    swallowing = cut === held.length && /\[redacted:[\w.-]+\]$/.test(out)
    held = held.slice(cut)
    return out
  }

  return {
    push: (chunk) => {
      const searched = held.length
      held += chunk
      let out = ""
      let start = 0
      for (let end = held.indexOf("\n", searched); end !== -1; end = held.indexOf("\n", start)) {
        out += finish(held.slice(start, end), "\n")
        start = end + 1
      }
      held = held.slice(start)
      return held.length > longestHeld ? out + letGo() : out
    },
    flush: () => {
      const out = held === "" ? "" : finish(held, "")
      held = ""
      swallowing = false
      line = makeLineRedactor(redact)
      return out
    }
  }
}

const secretRest = /^[^\s"'`,;]*/

/** The last place where a long line can be cut without cutting a secret: the halves, redacted, are the whole, redacted. */
const safeCut = (text: string, redact: (text: string) => string): number => {
  const whole = redact(text)
  for (let from = text.length - tail; from > text.length / 4; from = Math.floor(from * 0.8)) {
    const cut = breakBefore(text, from)
    if (redact(text.slice(0, cut)) + redact(text.slice(cut)) === whole) return cut
  }
  return text.length
}

const breakBefore = (text: string, from: number): number => {
  for (let index = from; index > from - tail && index > 0; index--) {
    if (/[\s,;}]/.test(text.charAt(index - 1))) return index
  }
  return from
}
