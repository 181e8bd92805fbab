/** `--fields a,b`: only these fields of each item. Pure. */
import * as Effect from "effect/Effect"
import type { Options } from "../arguments/Option.js"
import { usage } from "../errors.js"
import { Refusal } from "../Refusal.js"

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

/** The items with the fields that were asked for; `what` they are, and the kind whose schema tells the fields. */
export const withFields = (
  items: ReadonlyArray<object>,
  options: Options,
  { kind, what }: { readonly kind: string; readonly what: string }
): Effect.Effect<ReadonlyArray<object>, Refusal> => {
  const fields = fieldsOf(options)
  const picked = fields === null ? { items } : pickFields(items, fields)
  return "items" in picked
    ? Effect.succeed(picked.items)
    : Effect.fail(
        new Refusal({
          problem: usage(`${what} has no field "${picked.unknown}"; it has ${picked.known.join(", ")}`, [
            { argv: ["schema", kind], why: "describes them" }
          ])
        })
      )
}
