import { Writable } from "node:stream"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { clipboardSequence, enterScreen, leaveScreen, notificationSequence, titleSequence } from "./escapes.js"
import { holdWrites } from "./heldWrites.js"
import { makePainter, paintDiff } from "./painter.js"

/** What a terminal of these sequences would show. */
const play = (screen: Array<string>, bytes: string): void => {
  let row = 0
  for (const [, move, clear, text] of bytes.matchAll(
    /\u001b\[(\d+);1H|\u001b\[(2J|2K|H|0m|\?2026[hl])|([^\u001b]+)/g
  )) {
    if (move !== undefined) row = Number(move) - 1
    else if (clear === "2J") screen.length = 0
    else if (clear === "H") row = 0
    else if (clear === "2K") screen[row] = ""
    else if (text !== undefined) screen[row] = `${screen[row] ?? ""}${text}`
  }
}

const frames = fc.array(fc.array(fc.constantFrom("", "one", "two", "three"), { maxLength: 6 }), {
  minLength: 1,
  maxLength: 8
})

describe("the painter", () => {
  it("leaves on the screen exactly the last frame, from any frame before it", () => {
    fc.assert(
      fc.property(frames, (all) => {
        const screen: Array<string> = ["what was there before"]
        const painter = makePainter((bytes) => play(screen, bytes))
        let shown = false
        for (const frame of all) {
          painter.paint(frame)
          shown = true
        }
        const last = (all.at(-1) ?? []).length === 0 ? [""] : (all.at(-1) ?? [])
        expect(shown).toBe(true)
        expect(Array.from({ length: Math.max(screen.length, last.length) }, (_, row) => screen[row] ?? "")).toEqual(
          Array.from({ length: Math.max(screen.length, last.length) }, (_, row) => last[row] ?? "")
        )
      })
    )
  })

  it("writes only the lines that changed, and nothing for the same frame", () => {
    expect(paintDiff(["a", "b", "c"], ["a", "B", "c"])).not.toContain("a")
    expect(paintDiff(["a", "b"], ["a", "b"])).toBe("")
  })

  it("never clears the scrollback", () => {
    expect(paintDiff(null, ["a"])).not.toContain("\u001b[3J")
  })

  it("writes nothing while the screen is somebody else's, and everything when it is its own again", () => {
    const written: Array<string> = []
    const painter = makePainter((bytes) => written.push(bytes))
    painter.paint(["one"])
    painter.stop()
    painter.paint(["two"])
    painter.repaint()
    expect(written.length).toBe(1)
    painter.resume()
    expect(written.at(-1)).toContain("two")
    expect(written.at(-1)).toContain("\u001b[2J")
  })

  it("writes nothing at all where nothing was ever shown", () => {
    const written: Array<string> = []
    const painter = makePainter((bytes) => written.push(bytes))
    painter.repaint()
    painter.resume()
    expect(written).toEqual([])
  })
})

describe("what is written while the screen is ours", () => {
  it("is kept back, and written when the screen is given back", () => {
    const written: Array<string> = []
    const stream = new Writable({
      write: (chunk: Buffer, _, done) => {
        written.push(chunk.toString())
        done()
      }
    })
    const release = holdWrites(stream)
    stream.write("a warning\n")
    stream.write(Buffer.from("another\n"))
    expect(written).toEqual([])
    release()
    expect(written.join("")).toBe("a warning\nanother\n")
    stream.write("later\n")
    expect(written.at(-1)).toBe("later\n")
    expect(Object.hasOwn(stream, "write")).toBe(false)
  })
})

describe("the terminal's sequences", () => {
  it("are all taken back in the other order", () => {
    for (const [on, off] of [
      ["?1049h", "?1049l"],
      ["?25l", "?25h"],
      ["?7l", "?7h"],
      ["?1004h", "?1004l"],
      ["?2004h", "?2004l"],
      ["22;0t", "23;0t"]
    ] as const) {
      expect(enterScreen).toContain(on)
      expect(leaveScreen).toContain(off)
    }
    expect(leaveScreen).toContain("?1006l")
  })

  it("hold nothing that a title or a message could end early", () => {
    expect(titleSequence("a\u0007b\u001b]0;c")).toBe("\u001b]2;a b ]0;c\u0007")
    expect(notificationSequence("done\u001b\\", false)).toBe("\u001b]9;done \\\u0007")
    expect(notificationSequence("done", true)).toBe("\u001bPtmux;\u001b\u001b]9;done\u0007\u001b\\")
    expect(clipboardSequence("Y2twdA==")).toBe("\u001b]52;c;Y2twdA==\u0007")
  })
})
