/** The list: group headings and rows, each line exactly as wide as the list. */
import { age, looks } from "../list/index.js"
import { countText, type Item, itemIndex, listingOf } from "../model/items.js"
import { keepingWhile } from "../model/keeping.js"
import type { Model } from "../model/Model.js"
import { isSilent, lastTime, modelName, needsDecision, phaseOf, type Run, silence } from "../model/Run.js"
import { type Glyphs, glyphsOf, sayIn, stateGlyph } from "../theme/glyphs.js"
import type { Tone } from "../theme/theme.js"
import { clip, fit } from "./cells.js"
import { type Geometry, geometryOf } from "./geometry.js"
import { blank, fitLine, inverted, type Line, lineOf, lineWidth, span } from "./Line.js"
import { itemHeight, offsets, windowOf } from "./listWindow.js"
import { whenText } from "./time.js"

/** The time in the last column: how long a running one has been going, how long ago another ended. */
const whenOf = ({ checkpoint }: Run, model: Model): string =>
  checkpoint.state === "running"
    ? whenText(checkpoint.startedAt, model.now, model.preferences.time)
    : whenText(lastTime(checkpoint), model.now, model.preferences.time)

/** The word of the state column. */
export const stateWord = ({ checkpoint }: Run, model: Model): { readonly text: string; readonly tone: Tone } => {
  const look = looks[checkpoint.state]
  if (checkpoint.state === "running") {
    if (checkpoint.cancelRequested !== null) return { text: "cancelling", tone: "warn" }
    if (model.unproven.has(checkpoint.id)) return { text: "unproven", tone: "warn" }
    if (isSilent(checkpoint, model.now))
      return { text: `idle ${age(checkpoint.progress.position.lastActivityAt, model.now)}`, tone: "warn" }
  }
  return { text: look.word, tone: look.tone }
}

/** Why a run stopped, or what it does: the second line of a row. */
export const noteOf = (run: Run, model: Model): string => {
  const { checkpoint, decision } = run
  const { position } = checkpoint.progress
  if (checkpoint.state === "running") {
    if (checkpoint.cancelRequested !== null) return "told to stop; ending its processes"
    if (model.unproven.has(checkpoint.id)) return "whether its process is alive cannot be proven here"
    if (isSilent(checkpoint, model.now))
      return `no output for ${age(model.now - silence(checkpoint, model.now), model.now)} · turn ${position.turn}`
    if (position.openTool !== null) return `running tool: ${position.openTool.name}`
    const said = model.activity.get(checkpoint.id)
    return said === undefined ? `turn ${position.turn}` : `${said} · turn ${position.turn}`
  }
  const word = looks[checkpoint.state].word
  const why = checkpoint.reason === null ? word : `${word} · ${checkpoint.reason.message}`
  if (!needsDecision(run) || decision === null) return why
  const needed = decision.requires.map((consent) => consent.replaceAll("_", " ")).join(", ")
  return `${word} · needs your word (${needed})${checkpoint.reason === null ? "" : ` · ${checkpoint.reason.message}`}`
}

const attemptText = ({ checkpoint }: Run): string => (checkpoint.attempt > 1 ? ` ×${checkpoint.attempt}` : "")

/** Columns of a row behind its title, by the width of the list. */
const columnsOf = (run: Run, model: Model, mode: Geometry["mode"], width: number): Line => {
  const { ellipsis } = glyphsOf(model.settings.ascii)
  const phase = phaseOf(run)
  const when = fit(whenOf(run, model), model.preferences.time === "relative" ? 5 : 7, ellipsis, "right")
  const { text, tone } = stateWord(run, model)
  if (mode === "split") {
    return [
      span("  "),
      span(fit(phase.provider, width >= 60 ? 9 : 8, ellipsis)),
      span(" "),
      span(fit(modelName(phase), width >= 60 ? 12 : 10, ellipsis), "dim"),
      span(when, "dim"),
      span(" ")
    ]
  }
  if (width >= 80) {
    return [
      span("  "),
      span(fit(phase.provider, 9, ellipsis)),
      span(" "),
      span(fit(modelName(phase), width >= 100 ? 16 : 9, ellipsis), "dim"),
      span(" "),
      span(fit(text, 12, ellipsis), tone),
      span(when, "dim"),
      span(" ")
    ]
  }
  return [span("  "), span(fit(text, 12, ellipsis), tone), span(when, "dim"), span(" ")]
}

type RunItem = Extract<Item, { readonly kind: "run" }>

const keptRows = new WeakMap<Run, ReturnType<typeof keepingWhile<ReadonlyArray<Line>>>>()

/** Kept for each run: where one sign turns, the other rows stay. */
const rowLines = (
  item: RunItem,
  model: Model,
  mode: Geometry["mode"],
  width: number,
  selected: boolean
): ReadonlyArray<Line> => {
  const { group, run } = item
  const { activity, marks, now, preferences, settings, spin, unproven } = model
  const { id, state } = run.checkpoint
  const keep = keptRows.get(run) ?? keepingWhile<ReadonlyArray<Line>>()
  keptRows.set(run, keep)
  return keep(
    [
      group,
      mode,
      width,
      selected,
      settings,
      preferences,
      marks.has(id),
      activity.get(id),
      unproven,
      state === "running" && !settings.reducedMotion ? spin : null
    ],
    now,
    () => drawnRow(item, model, mode, width, selected)
  )
}

const drawnRow = (
  item: RunItem,
  model: Model,
  mode: Geometry["mode"],
  width: number,
  selected: boolean
): ReadonlyArray<Line> => {
  const { run } = item
  const glyphs = glyphsOf(model.settings.ascii)
  const { checkpoint } = run
  const spin = model.settings.reducedMotion ? null : model.spin
  const glyph = stateGlyph(glyphs, checkpoint.state, { spin, silent: isSilent(checkpoint, model.now) })
  const marked = model.marks.has(checkpoint.id)
  const right = columnsOf(run, model, mode, width)
  const attempt = sayIn(glyphs, attemptText(run)).replace("×", glyphs.ascii ? "x" : "×")
  const title = checkpoint.title.trim() === "" ? "(no title)" : checkpoint.title
  const room = Math.max(1, width - 4 - lineWidth(right))
  const titleSpan = span(title, checkpoint.dismissedAt === null ? "plain" : "dim")
  const shown = clip(titleSpan.text, Math.max(1, room - attempt.length), glyphs.ellipsis)
  const name: Line = fitLine([{ ...titleSpan, text: shown }, span(attempt, "dim")], room, { ellipsis: glyphs.ellipsis })
  const first: Line = [
    span(selected ? glyphs.cursor : " ", "strong"),
    marked ? span(glyphs.mark, "accent") : span(" "),
    span(glyph.text, glyph.tone),
    span(" "),
    ...name,
    ...right
  ]
  const whole = fitLine(first, width, { ellipsis: glyphs.ellipsis })
  const lines = [selected ? inverted(whole) : whole]
  if (itemHeight(item, mode) < 2) return lines
  const note = [span("    "), span(sayIn(glyphs, noteOf(run, model)), needsDecision(run) ? "warn" : "dim")]
  return [...lines, fitLine(note, width, { ellipsis: glyphs.ellipsis })]
}

/** A run that has said something no longer ago than this turns its sign quickly, the others each second, ms. */
const livelyMs = 5000

/** Whether a sign that turns quickly is on the screen. */
export const turns = (model: Model): boolean => {
  if (model.settings.reducedMotion || model.screen !== "list") return false
  const geometry = geometryOf(model)
  const { items } = listingOf(model)
  const starts = offsets(items, geometry.mode)
  const bottom = model.listTop + geometry.list.height
  return items.some(
    (item, at) =>
      item.kind === "run" &&
      item.run.checkpoint.state === "running" &&
      (starts[at] ?? 0) >= model.listTop - 1 &&
      (starts[at] ?? 0) < bottom &&
      model.now - item.run.checkpoint.progress.position.lastActivityAt < livelyMs
  )
}

const headingLines = (
  item: Extract<Item, { readonly kind: "group" }>,
  glyphs: Glyphs,
  mode: Geometry["mode"],
  width: number,
  selected: boolean
): ReadonlyArray<Line> => {
  const arrow = item.folded ? glyphs.closed : glyphs.open
  const mark = mode === "narrow" && !selected && !item.folded ? "" : `${selected ? glyphs.cursor : arrow} `
  const text = `${mark}${item.title}${mode === "narrow" ? " " : "  "}${countText(item.count)}${item.folded ? "  (enter unfolds)" : ""}`
  const whole = fitLine([span(text, "heading")], width, { ellipsis: glyphs.ellipsis })
  return [selected ? inverted(whole) : whole]
}

const nothing = (model: Model): string => {
  if (model.connection._tag === "Starting") return "Reading the runs…"
  switch (model.tab) {
    case "attention":
      return "Nothing needs you."
    case "live":
      return "Nothing is running. n starts a run."
    case "history":
      return "Nothing has ended yet."
    case "all":
      return "No runs here."
  }
}

/** The list's lines, exactly `height` of exactly `width` cells. */
export const listLines = (model: Model, geometry: Geometry, width: number, height: number): ReadonlyArray<Line> => {
  const glyphs = glyphsOf(model.settings.ascii)
  const { items } = listingOf(model)
  const index = itemIndex(items, model.selected)
  const fill = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> =>
    Array.from({ length: Math.max(0, height) }, (_, at) =>
      fitLine(lines[at] ?? blank, width, { ellipsis: glyphs.ellipsis })
    )
  if (items.length === 0) return fill([blank, lineOf(`  ${sayIn(glyphs, nothing(model))}`, "dim")])
  const { mode } = geometry
  const { top, total } = windowOf(items, index, model.listTop, height, mode)
  const starts = offsets(items, mode)
  const lines: Array<Line> = []
  const from = Math.max(
    0,
    starts.findLastIndex((start) => start <= top)
  )
  for (let at = from; at < items.length && lines.length < height + 2; at++) {
    const item = items[at]
    if (item === undefined) break
    const selected = at === index
    const drawn =
      item.kind === "group"
        ? headingLines(item, glyphs, mode, width, selected)
        : rowLines(item, model, mode, width, selected)
    lines.push(...(at === from ? drawn.slice(top - (starts[from] ?? 0)) : drawn))
  }
  const shown = [...fill(lines)]
  const runsIn = (start: number, end: number): number =>
    items.filter((item, at) => item.kind === "run" && (starts[at] ?? 0) >= start && (starts[at] ?? 0) < end).length
  const { reachable } = listingOf(model)
  const note = (text: string): Line => fitLine(lineOf(`  ${sayIn(glyphs, text)}`, "dim"), width, glyphs)
  const hiddenAbove = top > 0 ? runsIn(0, top + 1) : 0
  if (hiddenAbove > 0 && height >= 5) shown[0] = note(`… ${hiddenAbove} above`)
  const bottom = top + height
  const below = bottom < total ? Math.max(runsIn(bottom - 1, total), reachable.value - runsIn(0, bottom - 1)) : 0
  if (below > 0 && height >= 5)
    shown[height - 1] = note(`… ${countText({ value: below, exact: reachable.exact })} more`)
  return shown
}
