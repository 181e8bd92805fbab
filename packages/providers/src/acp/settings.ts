/**
 * Model, thinking level and mode of an agent's session: what it has, what it is set to, and the call that sets it. Pure.
 * The protocol's way are config options by category; older agents have `modes` and `models` with calls of their own.
 */
import { sameModel } from "@alluka/core"
import { type JsonObject, list, object, text } from "../json.js"

export type Setting = "model" | "thinking" | "permission"

/** A setting as the session has it. */
interface Choice {
  readonly current: string | null
  readonly values: ReadonlyArray<string>
  /** The call that sets it, but for the session's id. */
  readonly set: (value: string) => Call
}

export interface Call {
  readonly method: string
  readonly params: JsonObject
}

/** A setting that a session does not have is not there. */
export type Settings = Readonly<Partial<Record<Setting, Choice>>>

const categories: Readonly<Record<string, Setting>> = { model: "model", thought_level: "thinking", mode: "permission" }

/** Values may come in groups. */
const valuesOf = (options: unknown): ReadonlyArray<string> =>
  list(options).flatMap((option) => {
    const { options: inner, value } = object(option)
    const own = text(value)
    return own === null ? valuesOf(inner) : [own]
  })

const configOptions = (answer: JsonObject): Settings => {
  const found: Partial<Record<Setting, Choice>> = {}
  for (const option of list(answer.configOptions).map(object)) {
    const id = text(option.id)
    const category = text(option.category)
    const setting = category !== null && Object.hasOwn(categories, category) ? categories[category] : undefined
    if (id === null || setting === undefined || found[setting] !== undefined) continue
    found[setting] = {
      current: text(option.currentValue),
      values: valuesOf(option.options),
      set: (value) => ({ method: "session/set_config_option", params: { configId: id, value } })
    }
  }
  return found
}

const olderStates = (answer: JsonObject): Settings => {
  const models = object(answer.models)
  const modes = object(answer.modes)
  return {
    ...(text(models.currentModelId) === null
      ? {}
      : {
          model: {
            current: text(models.currentModelId),
            values: list(models.availableModels).flatMap((model) => text(object(model).modelId) ?? []),
            set: (modelId: string) => ({ method: "session/set_model", params: { modelId } })
          }
        }),
    ...(text(modes.currentModeId) === null
      ? {}
      : {
          permission: {
            current: text(modes.currentModeId),
            values: list(modes.availableModes).flatMap((mode) => text(object(mode).id) ?? []),
            set: (modeId: string) => ({ method: "session/set_mode", params: { modeId } })
          }
        })
  }
}

/** The settings that an answer (or an update) tells, over those that were known before. */
export const settingsOf = (answer: JsonObject, before: Settings = {}): Settings => ({
  ...before,
  ...olderStates(answer),
  ...configOptions(answer)
})

/** The settings after a value was set by a call whose answer told nothing. */
export const assumed = (settings: Settings, setting: Setting, value: string): Settings => {
  const choice = settings[setting]
  return choice === undefined ? settings : { ...settings, [setting]: { ...choice, current: value } }
}

/** What the session is set to, in the agent's words; `null` where it has no such setting. */
export const current = (settings: Settings): Readonly<Record<Setting, string | null>> => ({
  model: settings.model?.current ?? null,
  thinking: settings.thinking?.current ?? null,
  permission: settings.permission?.current ?? null
})

/** The next step towards a wanted value. */
export type Move =
  | { readonly _tag: "Done" }
  | { readonly _tag: "Call"; readonly call: Call }
  | { readonly _tag: "Impossible"; readonly why: string }

const names: Readonly<Record<Setting, string>> = { model: "model", thinking: "thinking level", permission: "mode" }

/**
 * How to get a setting to a value. A model that is not among the values is tried all the same: agents know more names
 * than they list (claude-agent-acp 0.101.0 takes `claude-sonnet-5-5` for its `sonnet`) and refuse what they do not know.
 */
export const moveTo = (settings: Settings, setting: Setting, value: string, title: string): Move => {
  const choice = settings[setting]
  if (choice === undefined) {
    return { _tag: "Impossible", why: `${title} has no setting for the ${names[setting]} in this session` }
  }
  if (choice.current === value) return { _tag: "Done" }
  if (setting === "model" || choice.values.includes(value)) return { _tag: "Call", call: choice.set(value) }
  return { _tag: "Impossible", why: notAmong(choice, setting, value, title) }
}

/**
 * Whether a value was taken: the session now has it, or (for a model) another value than before, or it had the same model
 * under a shorter name all along (claude-agent-acp 0.101.0 calls `claude-sonnet-5-5` its `sonnet`, and opens a session
 * that has used it with that).
 */
export const taken = (before: Settings, after: Settings, setting: Setting, value: string): boolean => {
  const now = after[setting]?.current ?? null
  if (now === value) return true
  return setting === "model" && (now !== (before[setting]?.current ?? null) || (now !== null && sameModel(now, value)))
}

/** Why a value cannot be had, with those that can. */
export const unavailable = (settings: Settings, setting: Setting, value: string, title: string): string =>
  notAmong(settings[setting] ?? { values: [] }, setting, value, title)

const shown = 12

const notAmong = ({ values }: Pick<Choice, "values">, setting: Setting, value: string, title: string): string => {
  const some = values.slice(0, shown).join(", ")
  const rest = values.length > shown ? ` and ${values.length - shown} more` : ""
  return `${title} has no ${names[setting]} "${value}"${values.length === 0 ? "" : `; it has ${some}${rest}`}`
}
