/**
 * Bytes to lines, in bounded memory. A line ends at LF and nowhere else (the programs' JSON may hold U+2028, which Node's
 * own readline takes for an end of line). The result depends on the bytes only, never on how they were cut into chunks.
 */
import * as Data from "effect/Data"

/** The longest line that is read, in bytes; longer ones are counted and skipped, and the stream goes on. */
export const maxLineBytes = 1024 * 1024

/** How much of a skipped line is kept for people, in bytes. */
const excerptBytes = 200

export type LineItem = Data.TaggedEnum<{
  /** A whole line without its LF. Bytes that are no UTF-8 have become U+FFFD. */
  Line: { readonly text: string; readonly bytes: number }
  Oversize: { readonly bytes: number; readonly excerpt: string }
}>
export const LineItem = Data.taggedEnum<LineItem>()

export interface LineReader {
  /** The lines that this chunk completes. */
  readonly push: (chunk: Buffer) => ReadonlyArray<LineItem>
  /** The rest, if the bytes did not end with LF. Nothing may be pushed after it. */
  readonly end: () => ReadonlyArray<LineItem>
}

/** A reader for one stream of bytes. `limit`: the longest line it gives out, in bytes. */
export const makeLineReader = (limit: number = maxLineBytes): LineReader => {
  let held = Buffer.alloc(0)
  let size = 0
  let over: { bytes: number; readonly excerpt: string } | null = null

  const hold = (part: Buffer): void => {
    if (over !== null) {
      over.bytes += part.length
    } else if (size + part.length > limit) {
      const length = Math.min(limit, excerptBytes)
      const start = Buffer.concat([held.subarray(0, size), part.subarray(0, length)]).subarray(0, length)
      over = { bytes: size + part.length, excerpt: start.toString("utf8") }
      held = Buffer.alloc(0)
      size = 0
    } else {
      if (size + part.length > held.length) {
        const grown = Buffer.alloc(Math.min(limit, Math.max(1024, (size + part.length) * 2)))
        held.copy(grown, 0, 0, size)
        held = grown
      }
      part.copy(held, size)
      size += part.length
    }
  }

  const release = (): LineItem => {
    const item =
      over === null
        ? LineItem.Line({ text: held.toString("utf8", 0, size), bytes: size })
        : LineItem.Oversize({ bytes: over.bytes, excerpt: over.excerpt })
    over = null
    size = 0
    return item
  }

  return {
    push: (chunk) => {
      const items: Array<LineItem> = []
      let from = 0
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
        hold(chunk.subarray(from, at))
        items.push(release())
        from = at + 1
      }
      if (from < chunk.length) hold(chunk.subarray(from))
      return items
    },
    end: () => (size > 0 || over !== null ? [release()] : [])
  }
}
