/** Every key of the monitor names a command that does the same: they must be there. */
import { keyTable } from "@alluka/tui"
import { describe, expect, it } from "vitest"
import { parse } from "./arguments/parse.js"
import { commandTable, globalOptions, groups } from "./commandTable.js"

/** What stands for the names in a command line. */
const values: Readonly<Record<string, string>> = {
  ID: "ckpt_7k3m9x2qr4t8",
  RUN: "ckpt_7k3m9x2qr4t8",
  SESSION: "ses_7k3m9x2qr4t8",
  TASK: "T-0001",
  OTHER: "T-0002",
  TITLE: "title",
  TEXT: "text",
  PROMPT: "prompt",
  KEY: "newest"
}

const table = { commands: commandTable, groups, globals: globalOptions }

describe("the commands that the monitor's keys name", () => {
  const twins = keyTable.flatMap(({ action, twin }) => (twin === null ? [] : [[action, twin] as const]))

  it.each(twins)("%s: %s", (_, twin) => {
    const argv = (twin.split(" | ")[0] ?? "").split(" ").map((word) => values[word] ?? word)
    const parsed = parse(argv, table, { program: "alluka", now: 0, width: 100 })
    expect(parsed._tag === "Usage" ? parsed.message : parsed._tag).toBe("Call")
  })
})
