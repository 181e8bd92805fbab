/** The command table as the completion library wants it, with what can stand for a value. */
import { type Complete, RootCommand } from "@bomb.sh/tab"
import type { OptionSpec } from "../arguments/Option.js"
import type { CommandSpec, GroupSpec } from "../Command.js"

/** A value that can be typed, and what it is. */
export interface Suggestion {
  readonly value: string
  readonly about: string
}

/** What is known at this moment of the things that commands are given. */
export interface Known {
  readonly runs: ReadonlyArray<Suggestion>
  readonly providers: ReadonlyArray<Suggestion>
}

export const shells = ["bash", "zsh", "fish", "powershell"] as const

const nothing: ReadonlyArray<Suggestion> = []

export const commandTree = (
  commands: ReadonlyArray<CommandSpec>,
  groups: ReadonlyArray<GroupSpec>,
  globals: ReadonlyArray<OptionSpec>,
  known: Known
): RootCommand => {
  const root = new RootCommand()
  for (const group of groups) root.command(group.name, group.help)
  for (const spec of commands) {
    if (spec.hidden === true) continue
    const command = spec.path.length === 0 ? root : root.command(spec.path.join(" "), spec.help)
    for (const { name } of spec.arguments ?? []) {
      const values = valuesOfArgument(spec, name, known)
      command.argument(name.replaceAll(/[<>[\].]/g, ""), offer(values), name.includes("..."))
    }
    for (const option of [...(spec.options ?? []), ...globals]) {
      if (option.hidden === true) continue
      const [, short, long = ""] = /^(?:-(\w), )?--([\w-]+)/.exec(option.flags) ?? []
      const values = option.kind === "flag" ? null : valuesOfOption(option, long, known)
      if (values === null) command.option(long, option.help, ...(short === undefined ? [] : [short]))
      else command.option(long, option.help, offer(values), short)
    }
  }
  return root
}

const offer =
  (values: ReadonlyArray<Suggestion>) =>
  (complete: Complete): void => {
    for (const { about, value } of values) complete(value, about)
  }

const valuesOfArgument = (spec: CommandSpec, name: string, known: Known): ReadonlyArray<Suggestion> => {
  if (/^[<[]shell\b/.test(name)) return shells.map((value) => ({ value, about: "" }))
  if (!/^[<[]id\b/.test(name)) return nothing
  if (spec.path[0] === "providers") return known.providers
  // A task's id is its own.
  return spec.path[0] === "task" ? nothing : known.runs
}

const valuesOfOption = (option: OptionSpec, name: string, known: Known): ReadonlyArray<Suggestion> => {
  if (option.kind === "choice" || option.kind === "choices") {
    return option.choices.map((value) => ({ value, about: "" }))
  }
  return name === "provider" ? known.providers : nothing
}
