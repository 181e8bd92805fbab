import { describe, expect, it } from "vitest"
import { parseStat, readStat } from "./proc.js"

const rest = "1 4242 4242 0 -1 4194304 100 0 0 0 5 3 0 0 20 0 11 0 267087 1234567 890 18446744073709551615"

describe("/proc/PID/stat", () => {
  it.each([
    ["node", `4242 (node) S ${rest}`, "node", "S"],
    ["a name with a parenthesis and spaces", `7 (a) b (c) ) Z ${rest}`, "a) b (c) ", "Z"]
  ])("of %s", (_, text, command, state) =>
    expect(parseStat(text)).toEqual({ command, state, parent: 1, start: "267087" })
  )

  it.each([[""], ["4242 node S 1"], ["4242 (node) S 1 2 3"]])("%j is none", (text) =>
    expect(parseStat(text)).toBeNull()
  )

  it.skipIf(process.platform !== "linux")("of this process names its parent", () =>
    expect(readStat("self")?.parent).toBe(process.ppid)
  )
})
