/** What is remembered of how a person likes the monitor: a small file, written whole or not at all. */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { defaultPreferences, groupings, type Preferences, previewPlaces } from "../model/Model.js"
import { sortKeys } from "../model/sort.js"
import { themeNames } from "../theme/theme.js"

const oneOf = <Value extends string>(values: ReadonlyArray<Value>, given: unknown, other: Value): Value =>
  values.find((value) => value === given) ?? other

const flag = (given: unknown, other: boolean): boolean => (typeof given === "boolean" ? given : other)

/** The preferences in a text; whatever is missing or not understood is as usual. */
export const decodePreferences = (text: string): Preferences => {
  let given: Record<string, unknown> = {}
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === "object" && parsed !== null) given = parsed as Record<string, unknown>
  } catch {
    // Damaged, or of another program: as usual.
  }
  const usual = defaultPreferences
  return {
    sort: oneOf(sortKeys, given.sort, usual.sort),
    reverse: flag(given.reverse, usual.reverse),
    time: oneOf(["relative", "absolute"], given.time, usual.time),
    preview: oneOf(previewPlaces, given.preview, usual.preview),
    wrap: flag(given.wrap, usual.wrap),
    timestamps: flag(given.timestamps, usual.timestamps),
    grouping: oneOf(groupings, given.grouping, usual.grouping),
    theme: oneOf(themeNames, given.theme, usual.theme)
  }
}

export const loadPreferences = (file: string | null): Preferences => {
  if (file === null) return defaultPreferences
  try {
    return decodePreferences(readFileSync(file, "utf8"))
  } catch {
    return defaultPreferences
  }
}

/** Writes the file; a folder that cannot be written loses the preferences and nothing else. */
export const savePreferences = (file: string | null, preferences: Preferences): void => {
  if (file === null) return
  const temporary = `${file}.${process.pid}`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(temporary, `${JSON.stringify(preferences, null, 2)}\n`, { mode: 0o600, flag: "wx" })
    chmodSync(temporary, 0o600)
    renameSync(temporary, file)
  } catch {
    discard(temporary)
  }
}

const discard = (file: string): void => {
  try {
    rmSync(file, { force: true })
  } catch {
    // Where nothing can be written, nothing was.
  }
}
