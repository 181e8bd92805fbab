import { describe, expect, it } from "vitest"
import { commandTable, globalOptions, groups } from "../commandTable.js"
import { helpOf, type Parsed, parse } from "./parse.js"

const table = { commands: commandTable, groups, globals: globalOptions }
const options = { program: "alluka", now: Date.parse("2026-11-30T12:00:00Z"), width: 100 }
const read = (...argv: ReadonlyArray<string>): Parsed => parse(argv, table, options)

const called = (...argv: ReadonlyArray<string>) => {
  const parsed = read(...argv)
  if (parsed._tag !== "Call") throw new Error(`${argv.join(" ")}: ${JSON.stringify(parsed)}`)
  return parsed.invocation
}

const fault = (...argv: ReadonlyArray<string>): string => {
  const parsed = read(...argv)
  if (parsed._tag !== "Usage") throw new Error(`${argv.join(" ")}: ${JSON.stringify(parsed)}`)
  return parsed.message
}

describe("commands", () => {
  it.each([
    [[], []],
    [["run", "do it"], ["run"]],
    [["runs"], ["runs", "list"]],
    [
      ["runs", "list"],
      ["runs", "list"]
    ],
    [
      ["checkpoints", "show", "x"],
      ["runs", "show"]
    ],
    [
      ["--json", "runs", "list"],
      ["runs", "list"]
    ],
    [["sessions"], ["sessions", "list"]]
  ])("%j calls %j", (argv, path) => expect(called(...argv).path).toEqual(path))

  it("takes global options before, between and after the words of a command", () => {
    expect(called("--json", "runs", "list").options.flag("json")).toBe(true)
    expect(called("runs", "--json", "list").options.flag("json")).toBe(true)
    expect(called("runs", "list", "--json").options.flag("json")).toBe(true)
    expect(called("runs", "list").options.flag("json")).toBe(false)
  })

  it("knows --no-input as a refusal", () => {
    expect(called("run", "x", "--no-input").options.refused("input")).toBe(true)
    expect(called("run", "x").options.refused("input")).toBe(false)
  })

  it.each([
    [["rusn"], 'there is no command "rusn"; did you mean "runs"?'],
    [["runs", "lsit"], 'there is no command "runs lsit"; did you mean "runs list"?'],
    [["wholly-unknown"], 'there is no command "wholly-unknown"']
  ])("%j is none, and it says what was meant", (argv, message) => expect(fault(...argv)).toBe(message))

  it("names the command of a faulty line, for its help", () => {
    const parsed = read("runs", "list", "--sate", "x")
    expect(parsed).toMatchObject({ _tag: "Usage", command: ["runs", "list"] })
  })
})

describe("arguments", () => {
  it("gives what stands behind -- to the provider, whatever it is", () => {
    const run = called("run", "--provider", "claude", "do it", "--", "--verbose", "-p", "run", "--json")
    expect(run.args).toEqual(["do it"])
    expect(run.passThrough).toEqual(["--verbose", "-p", "run", "--json"])
    expect(run.options.flag("json")).toBe(false)
    expect(run.options.text("prompt")).toBeNull()
  })

  it("takes no provider argument for the prompt", () => {
    const run = called("run", "-p", "do it", "--", "--verbose")
    expect(run.args).toEqual([])
    expect(run.passThrough).toEqual(["--verbose"])
  })

  it("refuses a prompt without quotes", () => expect(fault("run", "fix", "the", "test")).toMatch(/quotes/))
  it("refuses a missing argument", () => expect(fault("runs", "show")).toMatch(/missing required argument/))
  it("takes several ids", () => expect(called("cancel", "aaaa", "bbbb").args).toEqual(["aaaa", "bbbb"]))
})

describe("options", () => {
  it("reads each kind", () => {
    const run = called(
      ...["run", "x", "--timeout", "1h30m", "--label", "a=1", "--label", "b=x=y", "--add-dir", "p", "--add-dir", "q"],
      ...["--permission", "read", "--idle-timeout", "0"]
    ).options
    expect(run.number("timeout")).toBe(5_400_000)
    expect(run.number("idleTimeout")).toBe(0)
    expect(run.pairs("label")).toEqual({ a: "1", b: "x=y" })
    expect(run.list("addDir")).toEqual(["p", "q"])
    expect(run.text("permission")).toBe("read")
    const list = called("runs", "list", "--state", "failed,cancelled", "-L", "5", "--since", "2h").options
    expect(list.list("state")).toEqual(["failed", "cancelled"])
    expect(list.number("limit")).toBe(5)
    expect(list.number("since")).toBe(options.now - 7_200_000)
  })

  it.each([
    [["run", "x", "--timeout", "5"], /duration is written/],
    [["run", "x", "--permission", "root"], /Allowed choices are read, edit, full/],
    [["run", "x", "--label", "novalue"], /KEY=VALUE/],
    [["runs", "list", "--state", "dead"], /"dead" is none of/],
    [["runs", "list", "-L", "0"], /whole number/],
    [["runs", "list", "--since", "soon"], /moment is a date/],
    [["run", "x", "--provder", "claude"], /unknown option '--provder'.*Did you mean --provider/]
  ])("%j is refused", (argv, message) => expect(fault(...argv)).toMatch(message))
})

describe("help", () => {
  it("exists for every command of the table, and names each of its options", () => {
    for (const spec of commandTable) {
      const text = helpOf(spec.path, table, options)
      expect(text, spec.path.join(" ")).not.toBeNull()
      for (const option of spec.options ?? []) {
        if (option.hidden !== true) expect(text, spec.path.join(" ")).toContain(option.flags)
      }
    }
  })

  it("is a text on stdout, not a fault", () => {
    for (const argv of [["--help"], ["run", "--help"], ["runs", "--help"], ["-h"]]) {
      expect(read(...argv)).toMatchObject({ _tag: "Text" })
    }
  })

  it("is not there for what is no command", () => expect(helpOf(["nothing"], table, options)).toBeNull())
  it("gives the version to --version", () => expect(read("--version")._tag).toBe("Version"))
})
