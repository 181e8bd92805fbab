/** `--fields a,b`: only these fields of each item. Pure. */
import type { Options } from "../arguments/Option.js"

/** The fields asked for, or `null` where all are. */
export const fieldsOf = (options: Options): ReadonlyArray<string> | null => {
  const given = options
    .list("fields")
    .flatMap((text) => text.split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "")
  return given.length === 0 ? null : given
}

export type Picked =
  | { readonly items: ReadonlyArray<object> }
  /** A field that no item has. */
  | { readonly unknown: string; readonly known: ReadonlyArray<string> }

/** The items with these fields, and with `kind` and `version`, which say what they are. */
export const pickFields = (items: ReadonlyArray<object>, fields: ReadonlyArray<string>): Picked => {
  const [first] = items
  if (first === undefined) return { items }
  const unknown = fields.find((name) => !Object.hasOwn(first, name))
  if (unknown !== undefined) return { unknown, known: Object.keys(first) }
  const kept = new Set(["kind", "version", ...fields])
  return { items: items.map((item) => Object.fromEntries(Object.entries(item).filter(([name]) => kept.has(name)))) }
}
