/** The last line: a toast, or the keys that matter here, from the key table. */
import { type Action, bindingFor, keyName, keyTable } from "../keys/keyTable.js"
import { contextOf } from "../model/commands.js"
import { isHelp } from "../model/Dialog.js"
import type { Model } from "../model/Model.js"
import { type Glyphs, glyphsOf, sayIn } from "../theme/glyphs.js"
import { unavailable } from "../update/sentences.js"
import { clipLine, type Line, lineWidth, type Span, span } from "./Line.js"

export interface Hint {
  readonly keys: string
  readonly title: string
}

/** Hints in one line; those that do not fit are left out from the end, so the first are the most important. */
export const hintLine = (hints: ReadonlyArray<Hint>, width: number, glyphs: Glyphs): Line => {
  const out: Array<Span> = [span(" ")]
  let used = 1
  for (const { keys, title } of hints) {
    const text: Line = [span(sayIn(glyphs, keys), "strong"), span(` ${sayIn(glyphs, title)}`)]
    const wide = lineWidth(text) + (out.length > 1 ? 2 : 0)
    if (used + wide > width) break
    if (out.length > 1) out.push(span("  "))
    out.push(...text)
    used += wide
  }
  return out
}

/** Named only where they can be done. */
const offered: ReadonlySet<Action> = new Set([
  "open",
  "resume",
  "cancel",
  "log",
  "mark",
  "copyId",
  "taskStart",
  "taskStop",
  "taskWatch",
  "taskEdit"
])

const footerHints = (model: Model): ReadonlyArray<Hint> => {
  const context = contextOf(model)
  const bindings = keyTable.filter(
    ({ footer, contexts, action }) =>
      footer !== null &&
      contexts.includes(context) &&
      // Everybody knows the arrows; where space is short it goes to keys that are not known.
      (action !== "up" || model.size.columns >= 80) &&
      (!offered.has(action) || unavailable(model, action) === null)
  )
  const ranked = bindings.toSorted((a, b) => (a.footer?.rank ?? 0) - (b.footer?.rank ?? 0))
  const hints = ranked.map((binding) => ({
    keys: binding.footer?.keys ?? keyName(binding.keys[0] ?? ""),
    title: binding.footer?.title ?? binding.title
  }))
  const back = bindingFor("back", context)
  const extra: ReadonlyArray<Hint> =
    context === "list"
      ? model.marks.size > 0
        ? [{ keys: keyName("escape"), title: `clear ${model.marks.size} marked` }]
        : model.filter !== ""
          ? [{ keys: keyName("escape"), title: "clear filter" }]
          : []
      : back === null
        ? []
        : [{ keys: keyName("escape"), title: "back" }]
  return [...extra, ...hints]
}

/** Help and quitting are never crowded out. */
const kept: ReadonlyArray<Hint> = [
  { keys: "?", title: "help" },
  { keys: "q", title: "quit" }
]

const keysLine = (model: Model, width: number, glyphs: Glyphs): Line => {
  const hints = footerHints(model)
  const last = hintLine(kept, width, glyphs)
  const others = hints.filter(({ keys }) => keys !== "?" && keys !== "q")
  const first = hintLine(others, Math.max(1, width - lineWidth(last) - 1), glyphs)
  return first.length <= 1 ? last : [...first, span(" "), ...last]
}

export const footerLine = (model: Model, width: number): Line => {
  const glyphs = glyphsOf(model.settings.ascii)
  const { toast } = model
  if (toast !== null) return clipLine([span(` ${sayIn(glyphs, toast.text)}`, toast.tone)], width, glyphs.ellipsis)
  if (model.filtering !== null) {
    const hints: ReadonlyArray<Hint> = [
      { keys: "s:", title: "state" },
      { keys: "a:", title: "agent" },
      { keys: "p:", title: "provider" },
      { keys: "m:", title: "model" },
      { keys: "is:", title: "resumable" },
      { keys: "since:", title: "2h" },
      { keys: "!word", title: "excludes" },
      { keys: "d:", title: "folder" },
      { keys: "l:", title: "label" }
    ]
    return hintLine(hints, width, glyphs)
  }
  if (model.dialog !== null) {
    const hints: ReadonlyArray<Hint> = [
      { keys: keyName("escape"), title: "back" },
      ...(isHelp(model.dialog) ? [{ keys: "↑↓", title: "choose" }] : [{ keys: keyName("ctrl+l"), title: "redraw" }])
    ]
    return hintLine(hints, width, glyphs)
  }
  return clipLine(keysLine(model, width, glyphs), width, glyphs.ellipsis)
}
