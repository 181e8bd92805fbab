/**
 * Brings frames onto the screen: each changed line is written at its own place, nothing else is touched. No line is
 * written relative to where the cursor happens to be, so a resize leaves nothing behind, nothing ever scrolls, and the
 * scrollback is never cleared. Ink's own writer erases and redraws the whole frame each time, and takes the text of every
 * frame apart into cells, which costs ten times as much as all the rest (measured: 30 ms a frame of 120x36).
 */
import { escapes } from "./escapes.js"

/** The bytes that turn one frame into another. `before`: what is on the screen; `null`: unknown. */
export const paintDiff = (before: ReadonlyArray<string> | null, after: ReadonlyArray<string>): string => {
  const changes = after.flatMap((line, row) =>
    before !== null && before[row] === line ? [] : [`${escapes.to(row)}${escapes.eraseLine}${line}${escapes.plain}`]
  )
  const gone =
    before === null
      ? []
      : before.slice(after.length).map((_, index) => `${escapes.to(after.length + index)}${escapes.eraseLine}`)
  const all = [...(before === null ? [escapes.clear] : []), ...changes, ...gone]
  return all.length === 0 ? "" : `${escapes.beginFrame}${all.join("")}${escapes.to(after.length)}${escapes.endFrame}`
}

export interface Painter {
  /** Shows a frame: its lines, with their colours. */
  readonly paint: (frame: ReadonlyArray<string>) => void
  /** Shows the last frame again on a cleared screen. */
  readonly repaint: () => void
  /** From now on nothing is written: the screen is somebody else's. */
  readonly stop: () => void
  /** The screen is ours again. */
  readonly resume: () => void
}

export const makePainter = (write: (bytes: string) => void): Painter => {
  let shown: ReadonlyArray<string> | null = null
  let wanted: ReadonlyArray<string> | null = null
  let stopped = false
  const show = (): void => {
    // Nothing was ever to be shown: a screen reader reads the ordinary screen.
    if (stopped || wanted === null) return
    const bytes = paintDiff(shown, wanted)
    shown = wanted
    if (bytes !== "") write(bytes)
  }
  return {
    paint: (frame) => {
      wanted = frame
      show()
    },
    repaint: () => {
      shown = null
      show()
    },
    stop: () => {
      stopped = true
    },
    resume: () => {
      stopped = false
      shown = null
      show()
    }
  }
}
