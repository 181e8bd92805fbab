/** The last bytes of a stream of any length, in memory of a fixed size. */
export interface Tail {
  readonly push: (chunk: Buffer) => void
  /** What is kept, as text; the first character may be damaged where the cut went through it. */
  readonly text: () => string
}

/** Keeps the last `limit` bytes. */
export const makeTail = (limit: number): Tail => {
  let kept: Buffer = Buffer.alloc(0)
  return {
    push: (chunk) => {
      const end = chunk.subarray(Math.max(0, chunk.length - limit))
      kept = Buffer.concat([kept.subarray(Math.max(0, kept.length + end.length - limit)), end])
    },
    text: () => kept.toString("utf8")
  }
}
