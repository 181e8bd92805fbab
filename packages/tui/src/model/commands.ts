/** The entries of help and palette: every action once, with its keys, and why it cannot be done now. */
import fuzzysort from "fuzzysort"
import { type Action, type Binding, type Context, keyName, keyTable } from "../keys/keyTable.js"
import { unavailable } from "../update/sentences.js"
import type { Model } from "./Model.js"

export interface CommandEntry {
  readonly action: Action
  readonly binding: Binding
  readonly keys: string
  /** `null`: it can be done. */
  readonly why: string | null
}

/** Where a key would be pressed now, dialogs aside. */
export const contextOf = (model: Model): Context =>
  model.screen === "tasks"
    ? "tasks"
    : model.screen === "log"
      ? "log"
      : model.screen === "detail" || model.pane === "detail"
        ? "detail"
        : "list"

/** Entries for the place the monitor is in first, then those for other places. */
const entriesOf = (model: Model): ReadonlyArray<CommandEntry> => {
  const here = contextOf(model)
  const seen = new Set<string>()
  const ordered = [
    ...keyTable.filter(({ contexts }) => contexts.includes(here)),
    ...keyTable.filter(({ contexts }) => !contexts.includes(here))
  ]
  return ordered.flatMap((binding) => {
    if (seen.has(binding.action)) return []
    seen.add(binding.action)
    const keys = keyTable
      .filter(
        (one) => one.action === binding.action && one.contexts.some((context) => binding.contexts.includes(context))
      )
      .flatMap((one) => one.keys)
    return [
      {
        action: binding.action,
        binding,
        keys: [...new Set(keys)].map(keyName).join(" "),
        why: unavailable(model, binding.action)
      }
    ]
  })
}

/** The entries that fit what is typed: best first; without text in the order of the key table. */
export const commandEntries = (model: Model, typed: string): ReadonlyArray<CommandEntry> => {
  const all = entriesOf(model)
  if (typed.trim() === "") return all.toSorted((a, b) => keyTable.indexOf(a.binding) - keyTable.indexOf(b.binding))
  const exact = all.filter(({ binding }) => binding.keys.includes(typed))
  const wanted = typed.trim().toLowerCase()
  const rank = ({ binding }: CommandEntry): number => binding.footer?.rank ?? 99
  const begins = all
    .filter(({ binding }) => binding.title.toLowerCase().startsWith(wanted))
    .toSorted((a, b) => rank(a) - rank(b))
  const found = fuzzysort
    .go(wanted, all as Array<CommandEntry>, { keys: ["binding.title", "action", "binding.section"], threshold: 0.35 })
    .map(({ obj }) => obj)
  return [...new Set([...exact, ...begins, ...found])]
}
