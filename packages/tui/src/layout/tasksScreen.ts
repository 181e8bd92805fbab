/** The task lists: by folder, in the order in which they are done, with what is known of the selected one below. */
import type { Task } from "@alluka/core"
import { age, looks } from "../list/index.js"
import type { Model } from "../model/Model.js"
import { liveLoop, noTasks, selectedTask, type TasksView } from "../model/tasks.js"
import { type Glyphs, glyphsOf, sayIn } from "../theme/glyphs.js"
import type { Tone } from "../theme/theme.js"
import { fit } from "./cells.js"
import type { Geometry } from "./geometry.js"
import { homely } from "./homely.js"
import { blank, clipLine, fitLine, inverted, type Line, lineOf, span, spread } from "./Line.js"
import { longTime } from "./time.js"
import { wrap } from "./wrap.js"

const signs: Readonly<
  Record<Task.TaskStatus, { readonly glyph: string; readonly ascii: string; readonly tone: Tone }>
> = {
  todo: { glyph: "○", ascii: ".", tone: "plain" },
  doing: { glyph: "●", ascii: "*", tone: "live" },
  done: { glyph: "✓", ascii: "+", tone: "good" },
  rejected: { glyph: "⊘", ascii: "-", tone: "dim" }
}

/** How the task's latest run stands, where that says more than the task's own status. */
const runWord = ({ run, status }: Task.Task): string =>
  run === null || run.state === null || status === "done" ? "" : looks[run.state].word

const countsOf = ({ items }: TasksView): string => {
  const of = (status: Task.TaskStatus): number => items.filter((item) => item.status === status).length
  const rejected = of("rejected")
  return `${of("todo")} to do   ${of("doing")} doing   ${of("done")} done${rejected === 0 ? "" : `   ${rejected} rejected`}`
}

/** The second line of the header while the tasks are shown. */
export const tasksLine = (model: Model, width: number): Line => {
  const view = model.tasks ?? noTasks
  const { ellipsis } = glyphsOf(model.settings.ascii)
  const left: Line = [span(" TASKS  ", "heading"), span(view.loaded ? countsOf(view) : "", "plain")]
  const right: Line =
    view.trouble === null
      ? view.skipped > 0
        ? [span(`! ${view.skipped} damaged and not shown `, "warn")]
        : [span("t runs ", "dim")]
      : [span(`! ${view.trouble} `, "bad")]
  return spread(left, right, width, ellipsis)
}

const loopText = (
  model: Model,
  view: TasksView,
  folder: string
): { readonly text: string; readonly tone: Tone } | null => {
  const loop = view.loops.get(folder)
  if (loop === undefined) return null
  const since = age(loop.since, model.now)
  switch (loop.liveness) {
    case "Alive":
      return loop.stopping
        ? { text: `stops after its present task (pid ${loop.pid})`, tone: "warn" }
        : { text: `being worked on (pid ${loop.pid}, ${since}, ${loop.tasksCompleted} done)`, tone: "live" }
    case "Dead":
      return { text: "its task run was cut off; r goes on", tone: "warn" }
    case "Unknown":
      return { text: `a task run of pid ${loop.pid}: whether it is alive cannot be proven here`, tone: "warn" }
  }
}

const headingLine = (model: Model, view: TasksView, task: Task.Task, width: number, glyphs: Glyphs): Line => {
  const loop = loopText(model, view, task.folder)
  const folder = span(homely(task.cwd, model.settings.home), "heading")
  return fitLine(
    [
      span(`${glyphs.open} `),
      folder,
      ...(loop === null ? [] : [span("   "), span(sayIn(glyphs, loop.text), loop.tone)])
    ],
    width,
    glyphs
  )
}

const rowLine = (task: Task.Task, selected: boolean, width: number, glyphs: Glyphs): Line => {
  const sign = signs[task.status]
  const room = Math.max(4, width - 4 - 10 - 24)
  const wide = width >= 60
  const line: Line = [
    span(selected ? `${glyphs.cursor} ` : "  ", "strong"),
    span(`${glyphs.ascii ? sign.ascii : sign.glyph} `, sign.tone),
    span(fit(task.id, 8, glyphs.ellipsis), "dim"),
    span("  "),
    span(
      fit(task.title, wide ? room : Math.max(4, width - 4 - 10 - 11), glyphs.ellipsis),
      sign.tone === "dim" ? "dim" : "plain"
    ),
    span(" "),
    span(fit(task.status, 9, glyphs.ellipsis), sign.tone),
    ...(wide ? [span(fit(runWord(task), 12, glyphs.ellipsis), "dim")] : [])
  ]
  const whole = fitLine(line, width, glyphs)
  return selected ? inverted(whole) : whole
}

const listLines = (model: Model, view: TasksView, width: number, height: number): ReadonlyArray<Line> => {
  const glyphs = glyphsOf(model.settings.ascii)
  const chosen = selectedTask(view)
  const lines: Array<Line> = []
  let at = 0
  let folder: string | null = null
  for (const task of view.items) {
    if (task.folder !== folder) lines.push(headingLine(model, view, task, width, glyphs))
    folder = task.folder
    if (task === chosen) at = lines.length
    lines.push(rowLine(task, task === chosen, width, glyphs))
  }
  const top = Math.max(0, Math.min(at - Math.floor(height / 2), lines.length - height))
  return lines.slice(top, top + height)
}

const plan = (task: Task.Task): string => {
  const { gate, phases, settings } = task.plan
  const check = gate === null ? "check: as configured" : gate === "none" ? "no check" : `check: ${gate.argv.join(" ")}`
  return [
    phases === null ? "phases: as configured" : `${phases} phase${phases === 1 ? "" : "s"}`,
    ...[settings.provider, settings.model, settings.thinking].flatMap((value) => (value === null ? [] : [value])),
    check
  ].join(", ")
}

const aboutLines = (model: Model, task: Task.Task, width: number): ReadonlyArray<Line> => {
  const glyphs = glyphsOf(model.settings.ascii)
  const fact = (name: string, value: string): Line =>
    clipLine([span("  "), span(fit(name, 9, glyphs.ellipsis), "dim"), span(value)], width, glyphs.ellipsis)
  const times = [
    `added ${longTime(task.createdAt, model.now)}`,
    ...(task.startedAt === null ? [] : [`begun ${longTime(task.startedAt, model.now)}`]),
    ...(task.doneAt === null ? [] : [`done ${longTime(task.doneAt, model.now)}`])
  ]
  const { run } = task
  return [
    clipLine([span(" "), span(task.title, "strong")], width, glyphs.ellipsis),
    fact("run", run === null ? "none yet" : `${run.id} ${run.state === null ? "(removed)" : looks[run.state].word}`),
    fact("plan", plan(task)),
    fact("times", times.join(", ")),
    ...wrap(task.prompt, Math.max(8, width - 4)).map((line): Line => [span("  "), span(line)])
  ]
}

const empty = (model: Model): ReadonlyArray<Line> => {
  const { ascii, program } = model.settings
  const view = model.tasks ?? noTasks
  const say = (text: string): string => sayIn(glyphsOf(ascii), text)
  if (!view.loaded) return [blank, lineOf(say("    Reading the tasks…"), "dim")]
  return [
    blank,
    lineOf("    No tasks here yet.", "heading"),
    blank,
    [span("    "), span("n", "strong"), span("  adds one to the list of this folder")],
    [span("    "), span(say(`${program} task add "…"`), "strong")],
    blank,
    lineOf(say("    A task run does one after the other, and goes on where it was cut off."), "dim")
  ]
}

/** The body of the task lists: exactly `geometry.body` lines. */
export const tasksBody = (model: Model, geometry: Geometry): ReadonlyArray<Line> => {
  const view = model.tasks ?? noTasks
  const { body, columns } = geometry
  const glyphs = glyphsOf(model.settings.ascii)
  const task = selectedTask(view)
  if (task === null) return empty(model)
  const below = body < 8 ? 0 : Math.min(12, Math.floor(body / 2) - 1)
  const above = below === 0 ? body : body - below - 1
  const list = listLines(model, view, columns, above)
  const rows = Array.from({ length: above }, (_, index) => list[index] ?? blank)
  if (below === 0) return rows
  const loop = liveLoop(view, task.folder)
  const word = loop === null ? "" : ` ${sayIn(glyphs, "a task run is going on")} `
  return [
    ...rows,
    lineOf(
      `${glyphs.horizontal.repeat(4)}${word}${glyphs.horizontal.repeat(Math.max(0, columns - 4 - word.length))}`,
      "dim"
    ),
    ...aboutLines(model, task, columns).slice(0, below)
  ]
}
