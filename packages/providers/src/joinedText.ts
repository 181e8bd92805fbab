/**
 * Joins the pieces of a streamed text for the output file: it gives out whole lines, a few times a second. A model's
 * answer comes a word at a time; a secret in it would stand in halves, which no redaction recognises, and every word would
 * become a line of its own.
 */
export interface JoinedText {
  /** What the text belongs to; a piece of something else lets go of what is held. */
  readonly key: string
  readonly held: string
  /** When text was let go last, or the first piece came; ms since 1970. */
  readonly at: number
}

/** Text to be written, and what it belongs to. */
export interface Piece {
  readonly key: string
  readonly text: string
}

export const nothingHeld: JoinedText = { key: "", held: "", at: 0 }

const intervalMs = 500
/** Above this, whole lines are let go at once. */
const muchChars = 16 * 1024
/** Above this, everything is let go: memory is bounded whatever is streamed. */
const mostChars = 64 * 1024

/** Takes a piece in; answers what can be written now. */
export const join = (
  before: JoinedText,
  key: string,
  text: string,
  now: number
): readonly [JoinedText, ReadonlyArray<Piece>] => {
  if (before.held !== "" && before.key !== key) {
    const [next, more] = join(nothingHeld, key, text, now)
    return [next, [...letGo(before), ...more]]
  }
  const held = before.held + text
  const at = before.held === "" ? now : before.at
  if (held.length > mostChars) return [{ key, held: "", at: now }, [{ key, text: held }]]
  const cut = now - at >= intervalMs || held.length > muchChars ? wholeLines(held) : 0
  return cut === 0
    ? [{ key, held, at }, []]
    : [{ key, held: held.slice(cut), at: now }, [{ key, text: held.slice(0, cut) }]]
}

/** Everything that is still held. */
export const letGo = ({ held, key }: JoinedText): ReadonlyArray<Piece> => (held === "" ? [] : [{ key, text: held }])

/** Up to where a text consists of whole lines, none of them inside of a private key that has not ended. */
const wholeLines = (text: string): number => {
  const begin = text.lastIndexOf("-----BEGIN ")
  const open = begin !== -1 && text.indexOf("-----END ", begin) === -1
  return (open ? text.slice(0, begin) : text).lastIndexOf("\n") + 1
}
