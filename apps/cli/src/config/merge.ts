/** Settings from all their sources: each key has the value of the strongest source that names it. Pure. */
import { isFault, readText, readValue, type SettingValue, settingOf, settings, variableOf } from "./settings.js"

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
  readonly json: unknown
}

/** A provider that a configuration describes, as it stands there: what it must hold is the providers' own business. */
export interface DescribedProvider {
  readonly json: object
  readonly origin: Origin
}

export interface Config {
  readonly settings: ReadonlyMap<string, Setting>
  /** By the provider's id. */
  readonly described: ReadonlyMap<string, DescribedProvider>
  /** What could not be used, one sentence each. */
  readonly faults: ReadonlyArray<string>
}

/** Sources from the weakest to the strongest; the environment is stronger than all of them. */
export const merge = (sources: ReadonlyArray<Source>, env: Readonly<Record<string, string | undefined>>): Config => {
  const merged = new Map<string, Setting>()
  const described = new Map<string, DescribedProvider>()
  const faults: Array<string> = []
  for (const spec of settings) {
    if (!spec.key.includes("*")) {
      merged.set(spec.key, { key: spec.key, value: spec.default, origin: { kind: "default", where: null } })
    }
  }
  for (const source of sources) {
    for (const [key, value] of entriesOf(source.json)) {
      if (isDescription(key, value)) {
        described.set(key.slice("providers.".length), {
          json: value,
          origin: { kind: source.kind, where: source.path }
        })
        continue
      }
      const spec = settingOf(key)
      if (spec === null) {
        faults.push(`${source.path}: there is no setting ${key}`)
        continue
      }
      const read = readValue(spec, key, value)
      if (isFault(read)) faults.push(`${source.path}: ${read.message}`)
      else merged.set(key, { key, value: read, origin: { kind: source.kind, where: source.path } })
    }
  }
  for (const key of [...merged.keys(), ...commandKeys(env)]) {
    const variable = variableOf(key)
    const text = env[variable]
    const spec = settingOf(key)
    if (text === undefined || text === "" || spec === null) continue
    const read = readText(spec, key, text)
    if (isFault(read)) faults.push(`${variable}: ${read.message}`)
    else merged.set(key, { key, value: read, origin: { kind: "environment", where: variable } })
  }
  return { settings: merged, described, faults }
}

/** `providers.NAME.command` for each variable `ALLUKA_PROVIDERS_NAME_COMMAND`. */
const commandKeys = (env: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> =>
  Object.keys(env).flatMap((name) => {
    const provider = /^ALLUKA_PROVIDERS_([A-Z0-9_]+)_COMMAND$/.exec(name)?.[1]
    return provider === undefined ? [] : [`providers.${provider.toLowerCase().replaceAll("_", "-")}.command`]
  })

/** The leaves of a configuration file with their dotted keys; `{"run": {"provider": "x"}}` and `{"run.provider": "x"}` are the same. */
export const entriesOf = (json: unknown, prefix = ""): ReadonlyArray<readonly [key: string, value: unknown]> =>
  typeof json !== "object" || json === null || Array.isArray(json)
    ? []
    : Object.entries(json).flatMap(([name, value]) => {
        const key = prefix === "" ? name : `${prefix}.${name}`
        const nested =
          typeof value === "object" &&
          value !== null &&
          !Array.isArray(value) &&
          settingOf(key) === null &&
          !isDescription(key, value)
        return nested ? entriesOf(value, key) : [[key, value] as const]
      })

/** `providers.NAME` with a `type` describes a provider of its own; without one it is about a built-in. */
const isDescription = (key: string, value: unknown): value is object =>
  /^providers\.[^.]+$/.test(key) && typeof value === "object" && value !== null && "type" in value

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
