/** The details of the selected run: facts, what a resume would do, the timeline, the last output. */
import type { Decision } from "@alluka/core"
import { age, looks } from "../list/index.js"
import { type Entry, talkOf, timelineOf } from "../model/entry.js"
import { countText, selectedItem, selectedRun } from "../model/items.js"
import type { Model } from "../model/Model.js"
import { isSilent, lastTime, phaseOf, type Run } from "../model/Run.js"
import { type Glyphs, glyphsOf, sayIn, stateGlyph } from "../theme/glyphs.js"
import { nothingToResume } from "../update/sentences.js"
import { type Block, blockOf, fitBlocks } from "./blocks.js"
import { cells, fit } from "./cells.js"
import { decisionBody, decisionHead, decisionText } from "./decisionLines.js"
import { blank, clipLine, fitLine, type Line, lineOf, type Span, span, spread } from "./Line.js"
import { noteOf } from "./list.js"
import { clockSeconds, longTime, sinceText, spanText } from "./time.js"
import { wrap } from "./wrap.js"

/** The decision to show: the one that looked at the world, else the record's. */
export const decisionOf = (model: Model, run: Run): Run["decision"] =>
  (model.detail?.id === run.checkpoint.id ? model.detail.decision : null) ?? run.decision

const stateSpans = (run: Run, model: Model, glyphs: Glyphs): ReadonlyArray<Span> => {
  const { checkpoint } = run
  const glyph = stateGlyph(glyphs, checkpoint.state, { spin: null, silent: isSilent(checkpoint, model.now) })
  const look = looks[checkpoint.state]
  const since =
    checkpoint.state === "running"
      ? ` for ${sinceText(checkpoint.startedAt, model.now)}`
      : ` ${glyphs.bullet} ${age(lastTime(checkpoint), model.now)} ago`
  return [span(`${glyph.text} ${look.word.toUpperCase()}`, glyph.tone), span(since, "dim")]
}

const unknown = "unknown"

/** A setting as it was asked for, and as it was where the provider reported another. */
const setting = ({
  requested,
  actual
}: {
  readonly requested: string | null
  readonly actual: string | null
}): string =>
  requested !== null && actual !== null && requested !== actual
    ? `requested ${requested}, actual ${actual}`
    : (actual ?? requested ?? unknown)

interface Fact {
  readonly name: string
  readonly value: string
  /** Takes a line of its own. */
  readonly long: boolean
}

const fact = (name: string, value: string, long = false): Fact => ({ name, value, long })

const factsOf = (run: Run, model: Model): ReadonlyArray<Fact> => {
  const { checkpoint } = run
  const { progress, spec } = checkpoint
  const phase = phaseOf(run)
  const session = phase.providerSession
  const { position } = progress
  const ended = checkpoint.endedAt
  const labels = Object.entries(checkpoint.labels).map(([name, value]) => (value === "" ? name : `${name}=${value}`))
  const attempts =
    model.detail?.id === checkpoint.id && model.detail.lineage.length > 0
      ? model.detail.lineage.length
      : checkpoint.attempt
  const exit = progress.providerExit
  return [
    fact("run", checkpoint.id),
    fact("agent", checkpoint.agent),
    fact(
      "session",
      session === null ? unknown : `${session.id} (${phase.provider})`,
      session !== null && session.id.length > 20
    ),
    fact("turn", `${position.turn}${position.openTool === null ? "" : `, in tool ${position.openTool.name}`}`),
    fact(
      "model",
      setting(phase.model),
      phase.model.requested !== null && phase.model.actual !== null && phase.model.requested !== phase.model.actual
    ),
    fact("thinking", setting(phase.thinking)),
    fact("started", `${longTime(checkpoint.startedAt, model.now)} (${age(checkpoint.startedAt, model.now)} ago)`),
    fact(
      ended === null ? "running" : "ended",
      ended === null ? sinceText(checkpoint.startedAt, model.now) : longTime(ended, model.now)
    ),
    ...(ended === null ? [] : [fact("ran", spanText(progress.elapsedMs))]),
    ...(checkpoint.reason === null ? [] : [fact("reason", checkpoint.reason.code)]),
    ...(checkpoint.reason?.resetsAt == null ? [] : [fact("resets", longTime(checkpoint.reason.resetsAt, model.now))]),
    fact(
      "permission",
      `${spec.permission}${progress.permissionActual === null ? "" : ` (${progress.permissionActual})`}`
    ),
    ...(attempts > 1 ? [fact("attempts", `${attempts}`)] : []),
    ...(progress.phases.length > 1
      ? [fact("phase", `${progress.phase + 1} of ${progress.phases.length}: ${phase.name}`)]
      : []),
    fact("folder", `${run.folder}${spec.workspace.gitBranch === null ? "" : ` (${spec.workspace.gitBranch})`}`, true),
    ...(progress.changes === null
      ? []
      : [
          fact(
            "changes",
            `${progress.changes.files} files, +${progress.changes.insertions} -${progress.changes.deletions}`
          )
        ]),
    ...(progress.usage.inputTokens + progress.usage.outputTokens === 0
      ? []
      : [
          fact(
            "usage",
            `${progress.usage.inputTokens} in, ${progress.usage.outputTokens} out${progress.usage.costUsd === null ? "" : `, $${progress.usage.costUsd.toFixed(2)}`}`
          )
        ]),
    ...(progress.denied === 0 ? [] : [fact("denied", `${progress.denied} tool uses by permission`)]),
    ...(exit === null || (exit.code === 0 && exit.signal === null)
      ? []
      : [fact("exit", exit.signal ?? `code ${exit.code}`)]),
    ...(checkpoint.taskId === null ? [] : [fact("task", checkpoint.taskId)]),
    ...(labels.length === 0 ? [] : [fact("labels", labels.join(" "), true)])
  ]
}

/** Two facts a line where there is room, one where not; names as wide as the widest of their column. */
const factLines = (facts: ReadonlyArray<Fact>, width: number, glyphs: Glyphs): ReadonlyArray<Line> => {
  const pairs = width < 60 ? facts.map((each): readonly [Fact] => [each]) : paired(facts)
  const nameWidth = (column: 0 | 1): number =>
    Math.max(0, ...pairs.flatMap((pair) => pair[column]?.name.length ?? [])) + 1
  const [first, second] = [nameWidth(0), nameWidth(1)]
  // The left column has the room it needs where the right one leaves it: a time that is cut tells nothing.
  const needed = (column: 0 | 1, names: number): number =>
    Math.max(
      0,
      ...pairs.flatMap((pair) => (pair[1] === undefined ? [] : [2 + names + cells(pair[column]?.value ?? "")]))
    )
  const middle = Math.floor(width / 2)
  const half = Math.max(middle, Math.min(needed(0, first) + 1, width - needed(1, second)))
  const one = ({ name, value }: Fact, names: number, room: number): Line =>
    clipLine([span("  "), span(fit(name, names, glyphs.ellipsis), "dim"), span(value)], room, glyphs.ellipsis)
  return pairs.map(([left, right]) =>
    right === undefined
      ? one(left, first, width)
      : [...fitLine(one(left, first, half - 1), half, glyphs), ...one(right, second, width - half)]
  )
}

/** Short facts beside each other in their order; a long one has a line of its own. */
const paired = (facts: ReadonlyArray<Fact>): ReadonlyArray<readonly [Fact, Fact?]> => {
  const pairs: Array<readonly [Fact, Fact?]> = []
  let waiting: Fact | null = null
  for (const each of facts) {
    if (each.long) pairs.push([each])
    else if (waiting === null) waiting = each
    else {
      pairs.push([waiting, each])
      waiting = null
    }
  }
  return waiting === null ? pairs : [...pairs, [waiting]]
}

/** What `r` is for, beside the preview. */
const offerOf = (decision: Decision.Decision | null): string =>
  decision?.status === "refusing_to_resume" ? "r what you can do…" : "r to resume…"

export const previewLines = (run: Run, model: Model, width: number): ReadonlyArray<Line> => {
  const glyphs = glyphsOf(model.settings.ascii)
  const say = (text: string): string => sayIn(glyphs, text)
  const never = nothingToResume(run)
  const decision = decisionOf(model, run)
  const heading = spread(
    [span("RESUME PREVIEW", "heading")],
    never === null ? [span(say(offerOf(decision)), "dim")] : [],
    width,
    glyphs.ellipsis
  )
  if (never !== null) return [heading, ...wrap(say(never), width - 2).map((line): Line => [span("  "), span(line)])]
  if (decision === null) return [heading, lineOf(say("  looking…"), "dim")]
  const basis = decision.basis === "record" ? [lineOf(say("  by the record alone; looking at the world…"), "dim")] : []
  return [
    heading,
    ...decisionHead(decision, glyphs, width - 2).map((line): Line => [span("  "), ...line]),
    ...decisionBody(decision, glyphs, width, "    "),
    ...basis
  ]
}

const entryLine = (entry: Entry, model: Model, width: number, glyphs: Glyphs, words: boolean): Line => {
  const tool = entry.kind === "tool_started"
  return clipLine(
    [
      span("  "),
      span(model.preferences.time === "relative" ? clockSeconds(entry.at) : longTime(entry.at, model.now), "dim"),
      span("  "),
      ...(words
        ? [span(fit(entry.word, 12, glyphs.ellipsis), entry.bad ? "bad" : "plain")]
        : tool
          ? [span(`${glyphs.tool} `, "accent")]
          : []),
      span(words ? afterWord(entry) : entry.text, entry.bad && !words ? "bad" : "plain")
    ],
    width,
    glyphs.ellipsis
  )
}

/** The text without the word that stands before it already. */
const afterWord = ({ text, word }: Entry): string => (text.startsWith(`${word}: `) ? text.slice(word.length + 2) : text)

const timelineLines = (run: Run, model: Model, width: number): ReadonlyArray<Line> => {
  const glyphs = glyphsOf(model.settings.ascii)
  const heading = lineOf("TIMELINE", "heading")
  const { detail } = model
  if (detail === null || detail.id !== run.checkpoint.id || !detail.loaded)
    return [heading, lineOf(sayIn(glyphs, "  reading…"), "dim")]
  if (detail.trouble !== null) return [heading, clipLine([span(`  ${detail.trouble}`, "bad")], width, glyphs.ellipsis)]
  const attempts = new Map(detail.lineage.map(({ id, attempt }) => [id as string, attempt] as const))
  const lines: Array<Line> = []
  let current: string | null = null
  for (const entry of timelineOf(detail.entries)) {
    if (attempts.size > 1 && entry.checkpointId !== current) {
      const attempt = attempts.get(entry.checkpointId)
      const rule = glyphs.horizontal.repeat(2)
      lines.push(
        lineOf(`  ${rule} ${attempt === undefined ? "" : `attempt ${attempt} `}${entry.checkpointId} ${rule}`, "dim")
      )
      current = entry.checkpointId
    }
    lines.push(entryLine(entry, model, width, glyphs, true))
  }
  return [heading, ...(lines.length === 0 ? [lineOf("  nothing yet", "dim")] : lines)]
}

const outputLines = (run: Run, model: Model, width: number): ReadonlyArray<Line> => {
  const glyphs = glyphsOf(model.settings.ascii)
  const running = run.checkpoint.state === "running"
  const heading = spread(
    [span("OUTPUT", "heading"), span(running ? "  tail, live" : "  tail", "dim")],
    [span("l full log", "dim")],
    width,
    glyphs.ellipsis
  )
  const entries = model.detail?.id === run.checkpoint.id ? talkOf(model.detail.entries) : []
  const lines = entries.slice(-200).map((entry) => entryLine(entry, model, width, glyphs, false))
  return [heading, ...(lines.length === 0 ? [lineOf("  no output yet", "dim")] : lines)]
}

const titleLines = (run: Run, model: Model, width: number): ReadonlyArray<Line> => {
  const glyphs = glyphsOf(model.settings.ascii)
  const title = run.checkpoint.title.trim() === "" ? "(no title)" : run.checkpoint.title
  const note = sayIn(glyphs, noteOf(run, model))
  const why = run.checkpoint.reason?.message ?? note
  return [
    spread([span(title, "strong")], stateSpans(run, model, glyphs), width, glyphs.ellipsis),
    ...(run.checkpoint.state === "completed"
      ? []
      : wrap(why, width)
          .slice(0, 2)
          .map((line) => lineOf(line, "dim")))
  ]
}

const blocksOf = (run: Run, model: Model, width: number): ReadonlyArray<Block> => {
  const glyphs = glyphsOf(model.settings.ascii)
  const facts = factLines(factsOf(run, model), width, glyphs)
  return [
    blockOf(titleLines(run, model, width), { min: 1, rank: 1 }),
    blockOf([blank], { min: 0, rank: 6 }),
    blockOf([lineOf("FACTS", "heading"), ...facts], { min: 3, rank: 2 }),
    blockOf([blank], { min: 0, rank: 6 }),
    blockOf(previewLines(run, model, width)),
    blockOf([blank], { min: 0, rank: 6 }),
    blockOf(timelineLines(run, model, width), { min: 4, rank: 3, keep: "end" }),
    blockOf([blank], { min: 0, rank: 6 }),
    // The output gives way first, down to its last lines; then the empty lines; then more of the output.
    blockOf(outputLines(run, model, width), { min: 5, rank: 9, keep: "end" })
  ]
}

/** What stands in place of details where no run is selected. */
const nothingSelected = (model: Model): ReadonlyArray<string> => {
  const item = selectedItem(model)
  if (item?.kind !== "group") return ["Nothing is selected."]
  const runs = `${countText(item.count)} run${item.count.value === 1 && item.count.exact ? "" : "s"}`
  return [`${item.title}: ${runs}`, `enter ${item.folded ? "unfolds" : "folds"} this group`]
}

/** The details in `height` lines: whole and scrolled where the person is in them, else shrunk to fit. */
export const detailLines = (model: Model, width: number, height: number, scrolled: boolean): ReadonlyArray<Line> => {
  const run = selectedRun(model)
  const glyphs = glyphsOf(model.settings.ascii)
  if (run === null) return nothingSelected(model).map((text) => lineOf(sayIn(glyphs, text), "dim"))
  const blocks = blocksOf(run, model, width)
  const whole = blocks.flatMap(({ lines }) => lines)
  if (!scrolled || whole.length <= height) return fitBlocks(blocks, height, glyphs.ellipsis)
  const top = Math.min(model.detailTop, whole.length - height)
  const shown = [...whole.slice(top, top + height)]
  const below = whole.length - top - height
  if (below > 0 && height > 2) shown[height - 1] = lineOf(sayIn(glyphs, `… ${below + 1} more lines`), "dim")
  return shown
}

/** The strip below the list: state, position, what a resume would do, and the last that was said. */
export const peekLines = (model: Model, width: number, height: number): ReadonlyArray<Line> => {
  const run = selectedRun(model)
  const glyphs = glyphsOf(model.settings.ascii)
  if (run === null)
    return nothingSelected(model)
      .slice(0, Math.max(0, height))
      .map((text) => lineOf(sayIn(glyphs, text), "dim"))
  if (height <= 0) return []
  const say = (text: string): string => sayIn(glyphs, text)
  const { checkpoint } = run
  const phase = phaseOf(run)
  const dot = ` ${glyphs.bullet} `
  const why = checkpoint.reason?.message ?? noteOf(run, model)
  const decision = decisionOf(model, run)
  const never = nothingToResume(run)
  const settings = [setting(phase.model), setting(phase.thinking)].filter((text) => text !== unknown).join(" / ")
  const preview: Line =
    never !== null
      ? [span(say(never))]
      : decision === null
        ? [span(say("looking…"), "dim")]
        : ((): Line => {
            const text = decisionText(decision, glyphs)
            return height <= 2
              ? [span(text.head, text.tone), span(say(`  ${offerOf(decision)}`), "dim")]
              : [span(text.head, text.tone), span(`  ${text.reason}: ${text.detail}`)]
          })()
  if (height <= 2) {
    const glyph = stateGlyph(glyphs, checkpoint.state, { spin: null, silent: isSilent(checkpoint, model.now) })
    const first: Line = [
      span(`${glyph.text} `, glyph.tone),
      span(`${why}${dot}`),
      span(
        `${[phase.provider, settings].filter((text) => text !== "").join(" ")}${dot}turn ${checkpoint.progress.position.turn}`,
        "dim"
      )
    ]
    return [first, preview].slice(0, height).map((line) => clipLine(line, width, glyphs.ellipsis))
  }
  const ran =
    checkpoint.state === "running"
      ? `running ${sinceText(checkpoint.startedAt, model.now)}`
      : `ran ${spanText(checkpoint.progress.elapsedMs)}`
  const entries = model.detail?.id === checkpoint.id ? model.detail.entries : []
  const last = [...talkOf(entries), ...timelineOf(entries).slice(-1)]
    .toSorted((a, b) => a.seq - b.seq)
    .filter((entry, index, all) => all.indexOf(entry) === index)
    .slice(-(height - 3))
  return [
    [...stateSpans(run, model, glyphs), span(`${dot}${why}`)],
    [
      span(
        [
          `turn ${checkpoint.progress.position.turn}`,
          settings,
          `started ${longTime(checkpoint.startedAt, model.now)}`,
          ran
        ]
          .filter((text) => text !== "")
          .join(dot),
        "dim"
      )
    ],
    preview,
    ...last.map(
      (entry): Line => [
        span(`${clockSeconds(entry.at)} `, "dim"),
        ...(entry.kind === "tool_started" ? [span(`${glyphs.tool} `, "accent")] : []),
        ...(entry.level === "life" ? [span(`${entry.word}: `)] : []),
        span(entry.level === "life" ? afterWord(entry) : entry.text, entry.bad ? "bad" : "plain")
      ]
    )
  ].map((line) => clipLine(line, width, glyphs.ellipsis))
}
