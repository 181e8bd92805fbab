/** Reads a command line by the table. Pure: prints nothing, ends nothing, loads no command. */
import { Command as Commander, CommanderError, Help, InvalidArgumentError, Option } from "commander"
import type { CommandSpec, GroupSpec, Invocation } from "../Command.js"
import { parseDuration, parseMoment } from "./duration.js"
import { type OptionSpec, Options } from "./Option.js"
import { similar } from "./similar.js"

export type Parsed =
  | { readonly _tag: "Call"; readonly spec: CommandSpec; readonly invocation: Invocation }
  /** `--help` or `--version` was asked for, or a group was called without a command. */
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Version"; readonly options: Options }
  | { readonly _tag: "Usage"; readonly message: string; readonly command: ReadonlyArray<string> }

export interface Table {
  readonly commands: ReadonlyArray<CommandSpec>
  readonly groups: ReadonlyArray<GroupSpec>
  readonly globals: ReadonlyArray<OptionSpec>
}

export interface ParseOptions {
  /** How the program was called, for its help. */
  readonly program: string
  readonly now: number
  /** Columns that help may take. */
  readonly width: number
}

/** Reads `argv` (without node and the program itself). */
export const parse = (argv: ReadonlyArray<string>, table: Table, options: ParseOptions): Parsed => {
  const dashes = argv.indexOf("--")
  const behind = dashes === -1 ? [] : argv.slice(dashes + 1)
  let found: Parsed | null = null
  let failed: { readonly message: string; readonly command: ReadonlyArray<string> } | null = null
  const printed: Array<string> = []

  const call = (spec: CommandSpec, command: Commander): void => {
    const operands = [...command.args]
    // Commander gives what stands behind `--` as further operands.
    const passThrough = spec.passThrough === true ? operands.splice(operands.length - behind.length) : []
    const values = new Options(given(command))
    const most = (spec.arguments ?? []).some(({ name }) => name.includes("..."))
      ? Infinity
      : (spec.arguments ?? []).length
    const extra = operands[most]
    if (extra !== undefined) {
      failed = { message: tooMany(spec, extra, table), command: spec.path }
      return
    }
    found = values.flag("version")
      ? { _tag: "Version", options: values }
      : { _tag: "Call", spec, invocation: { path: spec.path, args: operands, passThrough, options: values } }
  }

  const root = build(narrowed(argv, table), options, call, (text) => printed.push(text))
  try {
    root.parse([...argv], { from: "user" })
  } catch (cause) {
    if (!(cause instanceof CommanderError)) throw cause
    if (cause.code === "commander.helpDisplayed" || cause.code === "commander.help") {
      return { _tag: "Text", text: printed.join("") }
    }
    return { _tag: "Usage", message: sentence(cause.message), command: namedCommand(argv, table) }
  }
  if (failed !== null) return { _tag: "Usage", ...(failed as { message: string; command: ReadonlyArray<string> }) }
  return found ?? { _tag: "Text", text: printed.join("") }
}

/**
 * The part of the table that a command line surely means, where it begins with the words of a command: the rest need not
 * be set up for it. Whatever is less clear gets the whole table.
 */
const narrowed = ([first, second, third]: ReadonlyArray<string>, table: Table): Table => {
  const group = table.groups.find(({ aliases = [], name }) => name === first || aliases.includes(first ?? ""))
  const path = group === undefined ? [first] : [group.name, second]
  const found = table.commands.find(
    (spec) => spec.path.length === path.length && spec.path.every((word, at) => word === path[at])
  )
  // Groups within groups are few; they are left to the whole table.
  const deeper =
    table.groups.some(({ name }) => name.startsWith(`${path.join(" ")} `) || name === path.join(" ")) ||
    third === "help"
  return found === undefined || deeper
    ? table
    : { ...table, commands: [found], groups: group === undefined ? [] : [group] }
}

/** The help text of a command or group, by its path. */
export const helpOf = (path: ReadonlyArray<string>, table: Table, options: ParseOptions): string | null => {
  const root = build(
    table,
    options,
    () => {},
    () => {}
  )
  let command: Commander = root
  for (const word of path) {
    const next = command.commands.find((each) => each.name() === word || each.aliases().includes(word))
    if (next === undefined) return null
    command = next
  }
  return command.helpInformation()
}

const build = (
  table: Table,
  { now, program, width }: ParseOptions,
  call: (spec: CommandSpec, command: Commander) => void,
  print: (text: string) => void
): Commander => {
  const configure = (command: Commander): Commander => {
    command
      .exitOverride()
      .allowExcessArguments(true)
      .showHelpAfterError(false)
      .configureOutput({ writeOut: print, writeErr: print, getOutHelpWidth: () => width, getErrHelpWidth: () => width })
      .helpOption("-h, --help", "what this command does, with its options")
      .helpCommand(false)
    return command
  }
  const withGlobals = (command: Commander): Commander => {
    for (const spec of table.globals) command.addOption(optionOf(spec, now).helpGroup("Everywhere:"))
    return command
  }
  const root = configure(new Commander(program)).enablePositionalOptions()
  const parents = new Map<string, Commander>([["", root]])
  for (const group of table.groups) {
    const words = group.name.split(" ")
    const command = configure(new Commander(words.at(-1)))
      .description(group.help)
      .enablePositionalOptions()
    for (const alias of group.aliases ?? []) command.alias(alias)
    const above = parents.get(words.slice(0, -1).join(" ")) ?? root
    above.addCommand(withGlobals(command))
    parents.set(group.name, command)
  }
  for (const spec of table.commands) {
    const own = spec.path.length === 0
    const parent = parents.get(spec.path.slice(0, -1).join(" ")) ?? root
    const command = own ? root : configure(new Commander(spec.path.at(-1) ?? ""))
    command.description(own ? "Every agent run leaves a checkpoint, and an interrupted one can go on." : spec.help)
    if (own) command.option("-V, --version", "print the version")
    for (const { name, help } of spec.arguments ?? []) command.argument(name, help)
    for (const option of spec.options ?? []) command.addOption(optionOf(option, now))
    withGlobals(command)
    if (spec.passThrough === true) command.usage(`${usageOf(command)} [-- ARGS...]`)
    if (spec.examples !== undefined) {
      command.addHelpText("after", `\nExamples:\n${spec.examples.map((each) => `  ${program} ${each}`).join("\n")}`)
    }
    command.action(() => call(spec, command))
    if (!own) parent.addCommand(command, { hidden: spec.hidden === true, isDefault: spec.isDefault === true })
  }
  return root
}

/** What was given on the command line, to the command or to what it belongs to; the nearest wins. Commander's own defaults say nothing. */
const given = (command: Commander): Readonly<Record<string, unknown>> => {
  const own = Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) !== "default")
  return { ...(command.parent === null ? {} : given(command.parent)), ...Object.fromEntries(own) }
}

/** What is wrong with a word that no argument takes: where a command could stand, it names none. */
const tooMany = (spec: CommandSpec, word: string, { commands, groups }: Table): string => {
  const group = spec.path.slice(0, -1)
  if (spec.path.length === 0 || spec.isDefault === true) {
    const known = new Set([
      ...commands
        .filter(({ hidden }) => hidden !== true)
        .flatMap(({ path }) =>
          group.every((each, index) => path[index] === each) && path.length > group.length
            ? [path[group.length] ?? ""]
            : []
        ),
      ...(group.length === 0 ? groups.flatMap(({ aliases = [], name }) => [name, ...aliases]) : [])
    ])
    const meant = similar(word, [...known])
    return `there is no command "${[...group, word].join(" ")}"${meant === null ? "" : `; did you mean "${[...group, meant].join(" ")}"?`}`
  }
  return `"${word}" is one argument too many${spec.arguments === undefined ? "" : "; put quotes around a text with spaces"}`
}

const usageOf = (command: Commander): string => new Help().commandUsage(command).replace(/^\S+\s*/, "")

const optionOf = (spec: OptionSpec, now: number): Option => {
  const option = new Option(spec.flags, spec.help)
  if (spec.hidden === true) option.hideHelp()
  switch (spec.kind) {
    case "flag":
    case "text":
      return option
    case "choice":
      return option.choices([...spec.choices])
    case "choices":
      return option.argParser((text: string) => {
        const named = text.split(",").map((each) => each.trim())
        const wrong = named.find((each) => !spec.choices.includes(each))
        if (wrong !== undefined) throw new InvalidArgumentError(`"${wrong}" is none of ${spec.choices.join(", ")}.`)
        return named
      })
    case "list":
      return option.argParser((text: string, before: unknown) => [...(Array.isArray(before) ? before : []), text])
    case "pairs":
      return option.argParser((text: string, before: unknown) => {
        if (text.indexOf("=") < 1) throw new InvalidArgumentError("It is written KEY=VALUE.")
        return [...(Array.isArray(before) ? before : []), text]
      })
    case "duration":
      return option.argParser((text: string) => {
        const ms = parseDuration(text)
        if (ms === null) throw new InvalidArgumentError("A duration is written 30s, 5m, 1h30m or 7d.")
        return ms
      })
    case "moment":
      return option.argParser((text: string) => {
        const at = parseMoment(text, now)
        if (at === null) throw new InvalidArgumentError("A moment is a date (2026-11-30) or a duration ago (2h, 7d).")
        return at
      })
    case "index":
      return option.argParser((text: string) => {
        if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("It is a whole number from 0 up.")
        return Number(text)
      })
    case "count":
      return option.argParser((text: string) => {
        if (!/^\d{1,9}$/.test(text) || Number(text) === 0)
          throw new InvalidArgumentError("It is a whole number from 1 up.")
        return Number(text)
      })
  }
}

/** Commander's messages begin with `error: ` and put a suggestion on a line of its own. */
const sentence = (message: string): string =>
  message
    .replace(/^error: /, "")
    .replace(/\s*\n\s*/g, " ")
    .trim()

/** The command that a faulty command line names, for the hint at its help. */
const namedCommand = (argv: ReadonlyArray<string>, table: Table): ReadonlyArray<string> => {
  const words = argv.filter((word) => !word.startsWith("-"))
  return (
    table.commands
      .filter(({ hidden, path }) => hidden !== true && path.every((word, index) => words[index] === word))
      .sort((a, b) => b.path.length - a.path.length)[0]?.path ?? []
  )
}
