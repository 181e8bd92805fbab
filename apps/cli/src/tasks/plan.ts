/** How a task is to be done, from the command line and the configuration. */

import { resolve } from "node:path"
import { GateCommand, type Phases, type State, Task } from "@alluka/core"
import * as Effect from "effect/Effect"
import type { Options } from "../arguments/Option.js"
import { argvSetting, type Config, numberSetting, textSetting } from "../config/merge.js"
import { usage } from "../errors.js"
import { Refusal } from "../Refusal.js"
import { splitWords } from "./words.js"

const refuse = (message: string): Refusal => new Refusal({ problem: usage(message) })

/** A text that was given; an empty one takes the setting back. */
const text = (options: Options, name: string): string | null => options.text(name) || null

export const settingsOf = (options: Options): Task.Settings => ({
  provider: text(options, "provider"),
  model: text(options, "model"),
  thinking: text(options, "thinking"),
  permission: text(options, "permission") as State.Permission | null
})

/** `--phases`; `null`: not given. */
export const phasesOf = (options: Options): Effect.Effect<Phases.PhaseCount | null, Refusal> => {
  const count = options.number("phases")
  return count === null || count === 1 || count === 2 || count === 3
    ? Effect.succeed(count)
    : Effect.fail(refuse("a task has 1, 2 (plan, implement) or 3 phases (plan, implement, review)"))
}

/** `--gate`, `--gate-shell`, `--gate-timeout`, `--no-gate`; `null`: none of them was given. */
export const gateOf = (
  options: Options,
  config: Config
): Effect.Effect<GateCommand.GateCommand | "none" | null, Refusal> =>
  Effect.gen(function* () {
    const timeoutMs = options.number("gateTimeout") ?? gateTimeout(config)
    if (options.refused("gate")) return "none"
    const [argv, inShell] = [options.text("gate"), options.text("gateShell")]
    if (argv !== null && inShell !== null) return yield* refuse("the gate is given twice: with --gate and --gate-shell")
    if (inShell !== null) {
      return inShell.trim() === "" ? yield* refuse("the gate is empty") : { argv: [inShell], shell: true, timeoutMs }
    }
    if (argv === null) return null
    const split = splitWords(argv)
    if ("fault" in split) {
      return yield* refuse(
        split.fault.includes("shell")
          ? `the gate is run without a shell, and ${split.fault}: give it with --gate-shell`
          : `the gate cannot be read: ${split.fault}`
      )
    }
    return { argv: split.words as GateCommand.GateCommand["argv"], shell: false, timeoutMs }
  })

const gateTimeout = (config: Config): number =>
  numberSetting(config, "task.gate_timeout", GateCommand.defaultGateTimeoutMs)

const phaseNames: ReadonlySet<string> = new Set(Task.PhaseName.literals)
const permissions: ReadonlySet<string> = new Set(["read", "edit", "full"])

/** `--phase-model plan=opus` and the like, over what was set before; an empty value takes a setting back. */
const ofPhases = (options: Options, before: Task.Plan["ofPhases"]): Effect.Effect<Task.Plan["ofPhases"], Refusal> =>
  Effect.gen(function* () {
    const all: Record<string, Task.Settings> = {}
    for (const name of Task.PhaseName.literals) {
      const settings = before[name]
      if (settings !== undefined) all[name] = settings
    }
    for (const setting of ["provider", "model", "thinking", "permission"] as const) {
      const given = options.pairs(`phase${setting.charAt(0).toUpperCase()}${setting.slice(1)}`)
      for (const [name, value] of Object.entries(given)) {
        if (!phaseNames.has(name)) {
          return yield* refuse(`there is no phase "${name}"; there are ${[...phaseNames].join(", ")}`)
        }
        if (setting === "permission" && value !== "" && !permissions.has(value)) {
          return yield* refuse(`"${value}" is no permission; there are ${[...permissions].join(", ")}`)
        }
        all[name] = { ...(all[name] ?? Task.noSettings), [setting]: value === "" ? null : value }
      }
    }
    return all
  })

const named = ["provider", "model", "thinking", "permission"] as const

/** The plan as the options change it; `before`: that of the task, or none. */
export const planOf = (
  options: Options,
  config: Config,
  cwd: string,
  before: Task.Plan = Task.noPlan
): Effect.Effect<Task.Plan, Refusal> =>
  Effect.gen(function* () {
    const given = settingsOf(options)
    const changed = Object.fromEntries(
      named.flatMap((name) => (options.text(name) === null ? [] : [[name, given[name]] as const]))
    )
    const dirs = options.list("addDir").map((dir) => resolve(cwd, dir))
    return {
      phases: (yield* phasesOf(options)) ?? before.phases,
      settings: { ...before.settings, ...changed },
      ofPhases: yield* ofPhases(options, before.ofPhases),
      addDirs: dirs.length > 0 ? dirs : before.addDirs,
      gate: (yield* gateOf(options, config)) ?? before.gate
    }
  })

/** The gate that the configuration names. */
export const configuredGate = (config: Config): GateCommand.GateCommand | null => {
  const argv = argvSetting(config, "task.gate")
  const shell = textSetting(config, "task.gate_shell")
  const timeoutMs = gateTimeout(config)
  if (shell !== null) return { argv: [shell], shell: true, timeoutMs }
  return argv === null ? null : { argv, shell: false, timeoutMs }
}

/** What becomes of the folder when a gate is given up, as configured. */
export const configuredRevert = (config: Config): "ask" | "keep" | "revert" => {
  const mode = textSetting(config, "task.revert")
  return mode === "keep" || mode === "revert" ? mode : "ask"
}

/** What the command line and the configuration say about how tasks are done. */
export const defaultsOf = (options: Options, config: Config): Effect.Effect<Phases.Defaults, Refusal> =>
  Effect.gen(function* () {
    const count = numberSetting(config, "task.phases", 1)
    return {
      flags: settingsOf(options),
      phases: yield* phasesOf(options),
      gate: yield* gateOf(options, config),
      configured: {
        settings: {
          provider: textSetting(config, "run.provider"),
          model: textSetting(config, "task.model"),
          thinking: textSetting(config, "task.thinking"),
          permission: textSetting(config, "run.permission") as State.Permission | null
        },
        phases: count === 2 || count === 3 ? count : 1,
        gate: configuredGate(config)
      }
    }
  })
