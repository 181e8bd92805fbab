/** Keeps the beginning and the end of an output of any size. */

export interface HeadAndTail {
  readonly push: (chunk: Uint8Array) => void
  /**
   * What was kept. Where something was left out between the two, the head ends with a whole line and the tail begins with
   * one, so that nothing is cut through; a single line longer than what is kept goes as a whole.
   */
  readonly read: () => { readonly head: string; readonly tail: string; readonly omittedBytes: number }
}

const newline = 10

/** `limit`: bytes kept of each end. */
export const headAndTail = (limit: number): HeadAndTail => {
  let head = Buffer.alloc(0)
  let tail = Buffer.alloc(0)
  let total = 0
  return {
    push: (chunk) => {
      total += chunk.length
      const room = Math.max(0, limit - head.length)
      if (room > 0) head = Buffer.concat([head, chunk.subarray(0, room)])
      if (chunk.length > room) {
        const rest = Buffer.concat([tail, chunk.subarray(room)])
        tail = rest.length > 2 * limit ? Buffer.from(rest.subarray(rest.length - limit)) : rest
      }
    },
    read: () => {
      if (total <= head.length + tail.length && tail.length <= limit) {
        return { head: Buffer.concat([head, tail]).toString("utf8"), tail: "", omittedBytes: 0 }
      }
      const end = tail.subarray(Math.max(0, tail.length - limit))
      const wholeHead = head.subarray(0, head.lastIndexOf(newline) + 1)
      const wholeTail = end.includes(newline) ? end.subarray(end.indexOf(newline) + 1) : Buffer.alloc(0)
      return {
        head: wholeHead.toString("utf8"),
        tail: wholeTail.toString("utf8"),
        omittedBytes: total - wholeHead.length - wholeTail.length
      }
    }
  }
}
