import { describe, expect, it } from "vitest"
import { parsePs } from "./ps.js"

const sample = [
  "    1     0     0 Ss   Mon Nov 30 08:00:01 2026     /sbin/launchd",
  " 4242   501   501 S+   Tue Dec  1 09:15:07 2026     /usr/local/bin/claude -p HOME=/Users/a ALLUKA_RUN=ckpt_000000000000 X=y",
  " 4243  4242   501 Z    Tue Dec  1 09:15:08 2026     (sh)",
  "",
  "  PID  PPID   UID STAT STARTED COMMAND"
].join("\n")

describe("the output of ps", () => {
  it("is read line by line, and what is no process is left out", () => {
    const lines = parsePs(sample)
    expect(lines.map(({ pid, parent, uid, dead }) => [pid, parent, uid, dead])).toEqual([
      [1, 0, 0, false],
      [4242, 501, 501, false],
      [4243, 4242, 501, true]
    ])
    expect(lines[1]?.start).toBe("Tue Dec 1 09:15:07 2026")
    expect(lines[1]?.command.split(" ")).toContain("ALLUKA_RUN=ckpt_000000000000")
  })

  it("may be nothing", () => expect(parsePs("")).toEqual([]))
})
