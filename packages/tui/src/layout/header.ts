/** The lines above the body: what is going on, the tabs, the filter, and whether the screen is up to date. */

import { age } from "../list/index.js"
import { isEmptyFilter, type Token } from "../model/filter.js"
import { countText, filterOf, listingOf } from "../model/items.js"
import { type Model, tabs } from "../model/Model.js"
import { glyphsOf, sayIn } from "../theme/glyphs.js"
import type { Tone } from "../theme/theme.js"
import { inField } from "./field.js"
import type { Geometry } from "./geometry.js"
import { homely } from "./homely.js"
import { blank, clipLine, type Line, type Span, span, spread } from "./Line.js"
import { tasksLine } from "./tasksScreen.js"
import { clockMinutes, clockSeconds } from "./time.js"

/** How many runs of all are live, need a person, are done: the filter aside. */
const totals = (model: Model): { readonly live: string; readonly need: string; readonly done: string } => {
  const { counts } = model
  if (counts === null) return { live: "-", need: "-", done: "-" }
  return {
    live: `${counts.running}`,
    need: `${counts.interrupted + counts.failed}`,
    done: `${counts.completed + counts.cancelled}`
  }
}

const connectionText = (model: Model, short: boolean): { readonly text: string; readonly tone: Tone } => {
  const { connection, now } = model
  switch (connection._tag) {
    case "Starting":
      return { text: "reading…", tone: "dim" }
    case "Live": {
      const ago = age(connection.at, now)
      return {
        text: short ? `live ${ago}` : model.size.columns >= 110 ? `live · updated ${ago} ago` : `live · ${ago} ago`,
        tone: "good"
      }
    }
    case "Lost":
      return { text: short ? "not live" : `not live · showing ${clockSeconds(connection.since)}`, tone: "bad" }
  }
}

const glance = (model: Model): Line => {
  const { live, need, done } = totals(model)
  const { ascii } = glyphsOf(model.settings.ascii)
  const [dot, check] = ascii ? ["*", "+"] : ["●", "✓"]
  const tone = (count: string, wanted: Tone): Tone => (count === "0" || count === "-" ? "dim" : wanted)
  const columns = model.size.columns
  if (columns < 80) {
    return [
      span(`${dot}${live} `, tone(live, "live")),
      span(`!${need} `, tone(need, "warn")),
      span(`${check}${done}`, tone(done, "good"))
    ]
  }
  return [
    span(`${dot} ${live} live`, tone(live, "live")),
    span("  "),
    span(`! ${need} need you`, tone(need, "warn")),
    span("  "),
    span(`${check} ${done}${columns >= 110 ? " done" : ""}`, tone(done, "good"))
  ]
}

const titleLine = (model: Model, width: number): Line => {
  const say = (text: string): string => sayIn(glyphsOf(model.settings.ascii), text)
  const wide = width >= 110
  const short = width < 80
  const { text, tone } = connectionText(model, short)
  const left: Line = [
    span(" alluka", "heading"),
    span(wide ? "  runs   " : "  "),
    ...glance(model),
    ...(wide ? [span(`        cwd ${homely(model.settings.cwd, model.settings.home)}`, "dim")] : [])
  ]
  const clock = short ? clockMinutes(model.now) : clockSeconds(model.now)
  const right: Line = [
    span(say(text), tone),
    span(short ? "  " : "   "),
    span(clock, model.connection._tag === "Lost" ? "dim" : "plain"),
    span(" ")
  ]
  return spread(left, right, width, glyphsOf(model.settings.ascii).ellipsis)
}

const chip = (token: Token): Span =>
  token.kind === "ignored"
    ? span(token.raw, "dim", { underline: true })
    : span(token.raw, token.kind === "key" ? "accent" : "strong")

const chips = (model: Model): ReadonlyArray<Span> =>
  filterOf(model).flatMap((token, index) => (index === 0 ? [chip(token)] : [span(" "), chip(token)]))

/** What is hidden, and how to see it again: a filter never looks like lost runs. */
const hiddenText = (model: Model): string => {
  const { hidden } = listingOf(model)
  return `${countText(hidden)} run${hidden.value === 1 && hidden.exact ? "" : "s"} hidden`
}

const narrowingSpans = (model: Model): ReadonlyArray<Span> => {
  const say = (text: string): string => sayIn(glyphsOf(model.settings.ascii), text)
  const filtered = model.filter !== "" && !isEmptyFilter(filterOf(model))
  return [
    ...(model.here
      ? [
          span("this folder only", "accent"),
          span(model.filter === "" ? say(`  ${hiddenText(model)} · A shows all`) : "  ", "warn")
        ]
      : []),
    ...(model.filter === "" ? [] : chips(model)),
    ...(filtered ? [span(say(`  ${hiddenText(model)} · esc clears`), "warn")] : [])
  ]
}

const tabLine = (model: Model, width: number): Line => {
  const listing = listingOf(model)
  const gap = width >= 110 ? "   " : "  "
  const all = Object.values(listing.counts)
  const sum = { value: all.reduce((total, { value }) => total + value, 0), exact: all.every(({ exact }) => exact) }
  const names = { all: "All", attention: "Attention", live: "Live", history: "History" }
  const left: Line = [
    span(" "),
    ...tabs.flatMap((tab, index): ReadonlyArray<Span> => {
      const count = tab === "all" ? sum : listing.counts[tab]
      const text =
        `${index + 1} ${names[tab]} ${model.connection._tag === "Starting" ? "" : countText(count)}`.trimEnd()
      return [span(text, model.tab === tab ? "heading" : "dim", { underline: model.tab === tab }), span(gap)]
    })
  ]
  const { sort, reverse, time, grouping } = model.preferences
  const arrows = glyphsOf(model.settings.ascii).arrows
  const narrowing = narrowingSpans(model)
  const order = `sort${width >= 110 ? ": " : " "}${sort}${reverse ? arrows.up : arrows.down}`
  const right: Line =
    narrowing.length > 0
      ? [...narrowing, span(" ")]
      : [
          span(
            width >= 110
              ? `${order}   filter: none   time: ${time}${grouping === "need" ? "" : `   by ${grouping}`} `
              : `${order}${grouping === "need" ? "" : ` by ${grouping}`} `,
            "dim"
          )
        ]
  return spread(left, right, width, glyphsOf(model.settings.ascii).ellipsis)
}

const filterLine = (model: Model, width: number): Line => {
  const { ellipsis } = glyphsOf(model.settings.ascii)
  const { filtering } = model
  if (filtering === null) {
    return model.filter === "" && !model.here ? blank : clipLine([span(" "), ...narrowingSpans(model)], width, ellipsis)
  }
  const { items, hidden } = listingOf(model)
  const shown = items.filter(({ kind }) => kind === "run").length
  const of = `${shown} of ${countText({ value: shown + hidden.value, exact: hidden.exact })}`
  const right = width >= 70 ? `${of}   enter keep  esc clear ` : `${of} `
  const typed = inField(filtering, Math.max(8, width - right.length - 5))
  return spread([span(" / ", "accent"), ...typed.line], [span(right, "dim")], width, ellipsis)
}

const bannerLine = (model: Model, width: number): Line => {
  const { connection, now } = model
  if (connection._tag !== "Lost") return blank
  const wait = Math.max(0, Math.ceil((connection.retryAt - now) / 1000))
  const text = ` ! Not live, retry ${connection.attempt} in ${wait}s, showing ${clockSeconds(connection.since)}: ${connection.why}`
  return spread([span(text, "bad")], [span("R retry now ", "strong")], width, glyphsOf(model.settings.ascii).ellipsis)
}

/** Records that cannot be read are counted by the store and stand in no list: that is said, and what tells more. */
const damagedLine = (model: Model, width: number): Line => {
  const { skipped, settings } = model
  const { ellipsis } = glyphsOf(settings.ascii)
  const text = ` ! ${skipped} ${skipped === 1 ? "record is" : "records are"} damaged and not shown: ${settings.program} doctor`
  return clipLine([span(text, "warn")], width, ellipsis)
}

/** The header's lines, without the rule below them. */
export const headerLines = (model: Model, geometry: Geometry): ReadonlyArray<Line> => {
  const width = geometry.columns
  const banner = [
    ...(model.connection._tag === "Lost" ? [bannerLine(model, width)] : []),
    ...(model.skipped > 0 ? [damagedLine(model, width)] : [])
  ]
  if (model.screen === "tasks") return [titleLine(model, width), tasksLine(model, width), ...banner]
  if (width < 80) {
    const filter = model.filtering !== null || model.filter !== "" || model.here ? [filterLine(model, width)] : []
    return [titleLine(model, width), ...filter, ...banner]
  }
  return [
    titleLine(model, width),
    model.filtering === null ? tabLine(model, width) : filterLine(model, width),
    ...banner
  ]
}
