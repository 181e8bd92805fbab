/** What stands in place of the list when there is nothing to list: how to start, or what hides it. */

import { isEmptyFilter } from "../model/filter.js"
import { countText, filterOf, listingOf } from "../model/items.js"
import type { Model } from "../model/Model.js"
import { glyphsOf, sayIn } from "../theme/glyphs.js"
import { cells, fit } from "./cells.js"
import { homely } from "./homely.js"
import { blank, type Line, lineOf, span } from "./Line.js"

/** Whether the store itself holds nothing that a list would show. */
export const isEmptyStore = (model: Model): boolean =>
  model.connection._tag !== "Starting" &&
  model.counts !== null &&
  Object.values(model.counts).every((count) => count === 0) &&
  model.runs.size === 0

/** The lines of the first screen; `null` where the list has something to show. */
export const emptyLines = (model: Model, width: number): ReadonlyArray<Line> | null => {
  const glyphs = glyphsOf(model.settings.ascii)
  const say = (text: string): string => sayIn(glyphs, text)
  const indent = width >= 80 ? "        " : width >= 60 ? "    " : " "
  if (isEmptyStore(model)) {
    const { program } = model.settings
    const commands: ReadonlyArray<readonly [string, string]> = [
      [`${program} run "fix the failing test"`, "start one"],
      [`${program} task add "…"`, "queue one"],
      [`${program} import`, "bring in conversations that stopped in the middle"]
    ]
    const keys: ReadonlyArray<readonly [string, string]> = [
      ["n", "start one from here"],
      ["d", "start a demo run: scripted, no model, no sign-in"],
      ...importKey(model),
      ["?", "all keys"]
    ]
    const column = Math.max(...commands.map(([command]) => cells(command)))
    const words = Math.max(...commands.map(([, what]) => cells(what)))
    const row = ([left, right]: readonly [string, string]): Line =>
      indent.length + column + 2 + words > width
        ? [span(indent), span(say(left), "strong")]
        : [span(indent), span(fit(say(left), column, glyphs.ellipsis), "strong"), span("  "), span(say(right), "dim")]
    const key = ([name, what]: readonly [string, string]): Line => [
      span(indent),
      span(fit(name, 3, glyphs.ellipsis), "strong"),
      span(say(what))
    ]
    return [
      blank,
      [span(indent), span("No runs here yet.", "heading")],
      blank,
      ...commands.map(row),
      blank,
      ...keys.map(key),
      blank,
      ...providerLines(model, indent),
      ...importLines(model, indent),
      blank,
      [span(indent), span(`Looking in ${homely(model.settings.store, model.settings.home)} (0 runs).`, "dim")]
    ]
  }
  const { items, hidden } = listingOf(model)
  if (items.length > 0 || model.connection._tag === "Starting") return null
  const filter = filterOf(model)
  if (!isEmptyFilter(filter)) {
    return [
      blank,
      [
        span(indent),
        span("No run matches  "),
        span(model.filtering?.text ?? model.filter, "accent"),
        span(`   (${countText(hidden)} runs hidden)`, "dim")
      ],
      [span(indent), span("esc", "strong"), span("  clear the filter")]
    ]
  }
  if (model.here) {
    return [
      blank,
      [
        span(indent),
        span(`No runs in ${homely(model.settings.cwd, model.settings.home)}`),
        span(`   (${countText(hidden)} runs elsewhere)`, "dim")
      ],
      [span(indent), span("A", "strong"), span("  shows all folders")]
    ]
  }
  return null
}

/** The key that brings conversations in, once some were found. */
const importKey = ({ importable }: Model): ReadonlyArray<readonly [string, string]> => {
  const counts = importable?.counts ?? []
  return counts.length === 0
    ? []
    : [
        [
          "i",
          `bring in what stopped in the middle: ${counts.map(({ count, provider }) => `${count} of ${provider}`).join(", ")}`
        ]
      ]
}

/** How far conversations of other programs have been looked for. */
const importLines = ({ importable, settings }: Model, indent: string): ReadonlyArray<Line> => {
  const say = (text: string): ReadonlyArray<Line> => [
    [span(indent), span(sayIn(glyphsOf(settings.ascii), text), "dim")]
  ]
  switch (importable?.progress) {
    case "looking":
      return say("Looking for conversations that stopped in the middle…")
    case "gaveUp":
      return say("Not all conversations were looked at in time; import looks at all.")
    default:
      return []
  }
}

/** The first names, and how many there are besides. */
const someOf = (names: ReadonlyArray<string>): string =>
  names.length <= 5 ? names.join(", ") : `${names.slice(0, 4).join(", ")} and ${names.length - 4} more`

/** Which providers are here, and where the others come from. */
const providerLines = (model: Model, indent: string): ReadonlyArray<Line> => {
  const glyphs = glyphsOf(model.settings.ascii)
  const { providers } = model
  if (providers === null) return [[span(indent), span(sayIn(glyphs, "Looking for providers…"), "dim")]]
  const real = providers.filter(({ id }) => id !== "demo")
  const installed = real.filter((provider) => provider.installed)
  const missing = real.filter((provider) => !provider.installed)
  return [
    installed.length === 0
      ? [span(indent), span("No provider's program was found on PATH.", "warn")]
      : [
          span(indent),
          span("Installed  "),
          ...installed.flatMap(({ id }, index) => [span(index === 0 ? "" : ", "), span(id, "good")])
        ],
    ...(missing.length === 0 ? [] : [[span(indent), span(`Not found  ${someOf(missing.map(({ id }) => id))}`, "dim")]]),
    ...(installed.length === 0 ? [lineOf(`${indent}See: ${model.settings.program} providers list`, "dim")] : [])
  ]
}
