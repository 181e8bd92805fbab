/**
 * Keeps back what anybody writes to a stream while the screen is ours: a warning in the middle of a frame would destroy it,
 * and be lost with it. It is written when the screen is given back.
 */

interface Writable {
  write: (...args: ReadonlyArray<never>) => boolean
}

/** Text kept at most; of more, the newest. */
const maxKept = 64 * 1024

/** Begins to keep; the answer ends it and writes what was kept. */
export const holdWrites = (stream: NodeJS.WritableStream): (() => void) => {
  const target = stream as unknown as Writable
  const before = target.write
  const own = Object.hasOwn(target, "write")
  let kept = ""
  target.write = (...args: ReadonlyArray<unknown>): boolean => {
    const [chunk] = args
    kept =
      `${kept}${typeof chunk === "string" ? chunk : chunk instanceof Uint8Array ? Buffer.from(chunk).toString("utf8") : ""}`.slice(
        -maxKept
      )
    const done = args.find((arg) => typeof arg === "function")
    if (typeof done === "function") queueMicrotask(() => done())
    return true
  }
  return () => {
    if (own) target.write = before
    else Reflect.deleteProperty(target, "write")
    if (kept !== "") stream.write(kept)
    kept = ""
  }
}
