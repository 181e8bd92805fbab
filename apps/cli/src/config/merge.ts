/** Settings from all their sources: each key has the value of the strongest source that names it. Pure. */
import type { ConfigFault, Keys } from "./fault.js"
import {
  isFault,
  readText,
  readValue,
  type SettingSpec,
  type SettingValue,
  settingOf,
  settings,
  settingsIn,
  unknownSetting,
  variableOf
} from "./settings.js"

export interface Origin {
  readonly kind: "default" | "user" | "project" | "environment"
  /** The file or the variable; `null` for a default. */
  readonly where: string | null
}

export interface Setting {
  readonly key: string
  readonly value: SettingValue
  readonly origin: Origin
}

export interface Source {
  readonly kind: "user" | "project"
  readonly path: string
  /** What the file holds, and the same read. */
  readonly text: string
  readonly json: unknown
}

/** A provider that a configuration describes, as it stands there: what it must hold is the providers' own business. */
export interface DescribedProvider {
  readonly json: object
  readonly origin: Origin
  /** Where it stands in the file with this text. */
  readonly text: string
  readonly keys: Keys
}

export interface Config {
  readonly settings: ReadonlyMap<string, Setting>
  /** By the provider's id. */
  readonly described: ReadonlyMap<string, DescribedProvider>
  /** The files that count, the weakest first. */
  readonly files: ReadonlyArray<Source>
  /** What could not be used. */
  readonly faults: ReadonlyArray<ConfigFault>
}

/** Sources from the weakest to the strongest; the environment is stronger than all of them. */
export const merge = (sources: ReadonlyArray<Source>, env: Readonly<Record<string, string | undefined>>): Config => {
  const merged = new Map<string, Setting>()
  const described = new Map<string, DescribedProvider>()
  const faults: Array<ConfigFault> = []
  for (const spec of settings) {
    if (!spec.key.includes("*")) {
      merged.set(spec.key, { key: spec.key, value: spec.default, origin: { kind: "default", where: null } })
    }
  }
  const take = (spec: SettingSpec, key: string, read: ReturnType<typeof readValue>, origin: Origin): string | null => {
    if (!isFault(read)) {
      merged.set(key, { key, value: read, origin })
      return null
    }
    // Whoever wrote a permission wanted a limit: a wrong word must not become more than was meant.
    if (spec.kind !== "permission") return read.message
    merged.set(key, { key, value: "read", origin })
    return `${read.message}; until then it is read`
  }
  for (const { json, kind, path: where, text } of sources) {
    const origin = { kind, where }
    for (const { key, keys, value } of entriesOf(json)) {
      if (isDescription(key, value)) {
        described.set(key.slice("providers.".length), { json: value, origin, text, keys })
        continue
      }
      const spec = settingOf(key)
      if (spec === null) faults.push({ where, text, keys, about: "name", message: unknownSetting(key) })
      else {
        const message = take(spec, key, readValue(spec, key, value), origin)
        if (message !== null) faults.push({ where, text, keys, about: "value", message })
      }
    }
  }
  for (const key of [...merged.keys(), ...commandKeys(env)]) {
    const where = variableOf(key)
    const text = env[where]
    const spec = settingOf(key)
    if (text === undefined || text === "" || spec === null) continue
    const message = take(spec, key, readText(spec, key, text), { kind: "environment", where })
    if (message !== null) faults.push({ where, text: null, keys: [], about: "value", message })
  }
  return { settings: merged, described, files: sources, faults }
}

/** `providers.NAME.command` for each variable `ALLUKA_PROVIDERS_NAME_COMMAND`. */
const commandKeys = (env: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> =>
  Object.keys(env).flatMap((name) => {
    const provider = /^ALLUKA_PROVIDERS_([A-Z0-9_]+)_COMMAND$/.exec(name)?.[1]
    return provider === undefined ? [] : [`providers.${provider.toLowerCase().replaceAll("_", "-")}.command`]
  })

/** A leaf of a configuration file: its dotted key, the names that lead to it, and its value. */
interface Entry {
  readonly key: string
  readonly keys: Keys
  readonly value: unknown
}

/** Settings are three names deep at most; what is deeper is none, however deep it goes. */
const deepest = 4

/** The leaves of a configuration file; `{"run": {"provider": "x"}}` and `{"run.provider": "x"}` are the same. */
export const entriesOf = (json: unknown): ReadonlyArray<Entry> =>
  // What editors take the file's JSON Schema from.
  leavesOf(json, []).filter(({ keys }) => keys.length !== 1 || keys[0] !== "$schema")

const leavesOf = (json: unknown, above: ReadonlyArray<string>): ReadonlyArray<Entry> =>
  Object.entries(json as object).flatMap(([name, value]) => {
    const keys = [...above, name]
    const key = keys.join(".")
    const nested =
      typeof value === "object" &&
      value !== null &&
      !Array.isArray(value) &&
      keys.length < deepest &&
      settingOf(key) === null &&
      !isDescription(key, value)
    if (!nested) return [{ key, keys, value }]
    const leaves = leavesOf(value, keys)
    // Nothing in it: then the name itself is all there is to look at.
    return leaves.length === 0 && settingsIn(key).length === 0 && !isProvider(key) ? [{ key, keys, value }] : leaves
  })

const isProvider = (key: string): boolean => /^providers\.[^.]+$/.test(key)

/** `providers.NAME` with a `type` describes a provider of its own; without one it is about a built-in. */
const isDescription = (key: string, value: unknown): value is object =>
  isProvider(key) && typeof value === "object" && value !== null && "type" in value

export const textSetting = (config: Config, key: string): string | null => {
  const value = config.settings.get(key)?.value
  return typeof value === "string" ? value : null
}

/** A program with its arguments; `null`: not set. */
export const argvSetting = (config: Config, key: string): readonly [string, ...string[]] | null => {
  const value = config.settings.get(key)?.value
  return Array.isArray(value) ? (value as [string, ...string[]]) : null
}

export const numberSetting = (config: Config, key: string, otherwise: number): number => {
  const value = config.settings.get(key)?.value
  return typeof value === "number" ? value : otherwise
}

export const permissionSetting = (config: Config, key: string): "read" | "edit" | "full" => {
  const value = config.settings.get(key)?.value
  return value === "read" || value === "full" ? value : "edit"
}

/** The programs named for providers, by the provider's id. */
export const providerCommands = (config: Config): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...config.settings.values()].flatMap(({ key, value }) => {
      const id = /^providers\.(.+)\.command$/.exec(key)?.[1]
      return id === undefined || typeof value !== "string" ? [] : [[id, value]]
    })
  )
