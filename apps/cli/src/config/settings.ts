/** Every setting with its kind, its default and what it is for: the one table that reading, `config` and help share. */
import { parseDuration, writeDuration } from "../arguments/duration.js"
import { similar } from "../arguments/similar.js"

export type SettingValue = string | number | boolean | ReadonlyArray<string> | null

export interface SettingSpec {
  /** With `*` for a name of the user's choice: `providers.*.command`. */
  readonly key: string
  readonly kind: SettingKind
  readonly default: SettingValue
  readonly help: string
  /** The only values that it can have. */
  readonly choices?: ReadonlyArray<string | number>
  /** Names a program that would be run: a project's own file sets it only where it is trusted. */
  readonly runsPrograms?: boolean
}

export type SettingKind =
  | "text"
  /** ms; written `30m`. */
  | "duration"
  /** The same, and above 0. */
  | "positive_duration"
  | "count"
  | "permission"
  | "flag"
  /** A program with its arguments. */
  | "argv"

export const settings: ReadonlyArray<SettingSpec> = [
  { key: "run.provider", kind: "text", default: null, help: "the agent program that runs are started with" },
  { key: "run.agent", kind: "text", default: "default", help: "the collaborator that runs belong to" },
  { key: "run.permission", kind: "permission", default: "edit", help: "what agents may do: read, edit or full" },
  { key: "run.timeout", kind: "duration", default: 0, help: "end a run after this long; 0: never" },
  {
    key: "run.idle_timeout",
    kind: "duration",
    default: 30 * 60_000,
    help: "end a run that says nothing for this long; 0: never"
  },
  {
    key: "resume.max_age",
    kind: "positive_duration",
    default: 24 * 3_600_000,
    help: "an older session is resumed only if you say so"
  },
  { key: "resume.max_attempts", kind: "count", default: 10, help: "attempts of one run before a resume asks" },
  { key: "permission.max", kind: "permission", default: "full", help: "the most that a stored permission may ask for" },
  {
    key: "hooks.on_state",
    kind: "argv",
    default: null,
    help: "a program that is told of every end of a run: it gets the state_changed line on stdin",
    runsPrograms: true
  },
  { key: "hooks.timeout", kind: "positive_duration", default: 10_000, help: "how long a hook may take" },
  { key: "task.prefix", kind: "text", default: "T", help: "what the ids of new tasks begin with" },
  {
    key: "task.phases",
    kind: "count",
    default: 1,
    choices: [1, 2, 3],
    help: "1: tasks are done in one pass; 2: plan, implement; 3: plan, implement, review"
  },
  { key: "task.model", kind: "text", default: null, help: "the model that tasks are done with" },
  { key: "task.thinking", kind: "text", default: null, help: "the thinking level that tasks are done with" },
  {
    key: "task.gate",
    kind: "argv",
    default: null,
    help: "the check that a task must pass: a program with its arguments",
    runsPrograms: true
  },
  { key: "task.gate_shell", kind: "text", default: null, help: "the same as a text for sh -c", runsPrograms: true },
  { key: "task.gate_timeout", kind: "positive_duration", default: 30 * 60_000, help: "how long the check may take" },
  {
    key: "task.revert",
    kind: "text",
    default: "ask",
    choices: ["ask", "keep", "revert"],
    help: "when the check is given up: ask, keep or revert the work"
  },
  {
    key: "task.on_lost_session",
    kind: "text",
    default: "refuse",
    choices: ["refuse", "fresh"],
    help: "where a task's conversation is lost: refuse, or begin fresh"
  },
  {
    key: "providers.*.command",
    kind: "text",
    default: null,
    help: "the program of a provider, a path or a name (default: looked for on PATH)",
    runsPrograms: true
  }
]

/** A key that names no setting, or a value that its setting cannot have, in one sentence. */
export interface SettingFault {
  readonly message: string
}

/** The settings whose keys begin with a name: `run` has `run.provider` and others. */
export const settingsIn = (group: string): ReadonlyArray<string> =>
  settings.flatMap(({ key }) => (key.startsWith(`${group}.`) ? [key.slice(group.length + 1)] : []))

/** What is wrong with a key that names no setting, with the one that was probably meant. */
export const unknownSetting = (key: string): string => {
  const within = settingsIn(key)
  if (within.length > 0) return `${key} is a group of settings: an object with ${within.join(", ")}`
  const provider = /^providers\.([^.]+)\./.exec(key)?.[1]
  // Compared with the same provider's name in it, which is of the user's choice.
  const known = settings.map((spec) => spec.key.replace("*", provider ?? "*"))
  const meant = similar(key, provider === undefined ? known : [...known, `providers.${provider}.type`])
  return `there is no setting ${key}${meant === null ? "" : `; did you mean ${meant}?`}`
}

/** The setting that a key names; `providers.claude.command` is one of `providers.*.command`. */
export const settingOf = (key: string): SettingSpec | null =>
  settings.find((spec) => {
    const [wanted, given] = [spec.key.split("."), key.split(".")]
    return (
      wanted.length === given.length &&
      wanted.every((part, index) => (part === "*" ? given[index] !== "" : part === given[index]))
    )
  }) ?? null

/** A value from a file, checked; durations become ms. */
export const readValue = (spec: SettingSpec, key: string, value: unknown): SettingValue | SettingFault => {
  const fault = (expected: string): SettingFault => ({ message: `${key} is ${shown(value)}; it must be ${expected}` })
  if (value === null) return spec.default
  const { choices } = spec
  if (choices !== undefined && !choices.some((choice) => choice === value)) {
    return fault(`${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`)
  }
  switch (spec.kind) {
    case "text":
      return typeof value === "string" && value !== "" ? value : fault("a text")
    case "flag":
      return typeof value === "boolean" ? value : fault("true or false")
    case "count":
      return typeof value === "number" && Number.isSafeInteger(value) && value > 0
        ? value
        : fault("a whole number from 1 up")
    case "permission":
      return value === "read" || value === "edit" || value === "full" ? value : fault("read, edit or full")
    case "argv":
      return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string")
        ? (value as ReadonlyArray<string>)
        : fault("a program with its arguments: a list of texts")
    case "duration":
    case "positive_duration": {
      const ms = typeof value === "string" ? parseDuration(value) : null
      if (ms === null) return fault("a duration such as 30m, 24h or 7d")
      return ms > 0 || spec.kind === "duration" ? ms : fault("longer than 0")
    }
  }
}

/** A value as a file holds it: durations with their units. */
export const writtenValue = (spec: SettingSpec | null, value: SettingValue): SettingValue =>
  typeof value === "number" && (spec?.kind === "duration" || spec?.kind === "positive_duration")
    ? writeDuration(value)
    : value

/** A wrong value as a message names it: the value itself where it is short enough to be recognised. */
const shown = (value: unknown): string => {
  if (Array.isArray(value)) return "a list"
  if (typeof value === "object") return "an object"
  const text = JSON.stringify(value)
  return text.length <= 80 ? text : `${text.slice(0, 80)}...`
}

/** A value from an environment variable or from `config set`: the text that a file would hold, or its JSON. */
export const readText = (spec: SettingSpec, key: string, text: string): SettingValue | SettingFault => {
  switch (spec.kind) {
    case "count":
      return readValue(spec, key, /^\d+$/.test(text) ? Number(text) : text)
    case "flag":
      return readValue(
        spec,
        key,
        text === "true" || text === "1" ? true : text === "false" || text === "0" ? false : text
      )
    case "argv":
      return readValue(spec, key, jsonOr(text))
    default:
      return readValue(spec, key, text)
  }
}

const jsonOr = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export const isFault = (value: SettingValue | SettingFault): value is SettingFault =>
  typeof value === "object" && value !== null && "message" in value

/** The environment variable of a setting: `ALLUKA_RESUME_MAX_AGE`. */
export const variableOf = (key: string): string => `ALLUKA_${key.replace(/[.-]/g, "_").toUpperCase()}`
