/** Tasks and task loops in words. Pure. */
import { type Blocked, GateCommand, LoopRequest, type Task, Text } from "@alluka/core"
import type { Paint } from "../color.js"
import { block, clock, indented, line } from "./safe.js"
import { table } from "./table.js"

interface Words {
  readonly paint: Paint
  readonly ascii: boolean
  readonly command: (argv: ReadonlyArray<string>) => string
}

const signs: Readonly<Record<Task.TaskStatus, { readonly glyph: string; readonly ascii: string }>> = {
  todo: { glyph: "○", ascii: "-" },
  doing: { glyph: "◐", ascii: "*" },
  done: { glyph: "●", ascii: "+" },
  rejected: { glyph: "×", ascii: "x" }
}

/** Where a task stands, in a few words: `doing, interrupted`. */
const standing = ({ run, status }: Task.Task): string =>
  status === "doing" && run !== null ? `doing, ${run.state ?? "its run was removed"}` : status

export const renderTasks = (tasks: ReadonlyArray<Task.Task>, { ascii, command }: Words): string => {
  if (tasks.length === 0) return `No tasks here. ${command(["task", "add", "TASK"])} adds one.`
  const folders = new Set(tasks.map(({ folder }) => folder))
  return table(
    ["", "TASK", "STATUS", "TITLE", ...(folders.size > 1 ? ["FOLDER"] : [])],
    tasks.map((task) => [
      ascii ? signs[task.status].ascii : signs[task.status].glyph,
      task.id,
      standing(task),
      line(task.title, 60),
      ...(folders.size > 1 ? [line(task.cwd)] : [])
    ])
  )
}

const setting = (name: string, value: string | null): ReadonlyArray<string> =>
  value === null ? [] : [`${name} ${line(value)}`]

const settingsText = (settings: Task.Settings): string =>
  [
    ...setting("provider", settings.provider),
    ...setting("model", settings.model),
    ...setting("thinking", settings.thinking),
    ...setting("permission", settings.permission)
  ].join(", ")

export const renderTask = (task: Task.Task, { command, paint }: Words): string => {
  const { plan } = task
  const own = settingsText(plan.settings)
  const phases = Object.entries(plan.ofPhases).flatMap(([name, settings]) =>
    settings === undefined ? [] : [`  ${name}: ${settingsText(settings) || "as the task"}`]
  )
  return [
    `${paint(task.id, "live")}  ${line(task.title)}`,
    `  ${standing(task)}, number ${task.position} in ${line(task.cwd)}`,
    ...(plan.phases === null ? [] : [`  ${plan.phases} ${plan.phases === 1 ? "phase" : "phases"}`]),
    ...(own === "" ? [] : [`  ${own}`]),
    ...phases,
    ...(plan.gate === null
      ? []
      : [plan.gate === "none" ? "  no check" : `  check: ${line(GateCommand.gateLine(plan.gate))}`]),
    ...Object.entries(task.labels).map(([name, value]) => `  ${line(name)}=${line(value)}`),
    ...(task.doneAt === null ? [] : [`  done ${clock(task.doneAt)}`]),
    ...(task.run === null ? [] : [`  latest run: ${command(["runs", "show", task.run.id])}`]),
    ...(task.promptRedacted ? [`  ${paint("Its text held a secret, of which nothing is kept.", "warn")}`] : []),
    "",
    indented(block(task.prompt), "  ")
  ].join("\n")
}

/** Why a loop does not go on, and what does. */
export const renderBlocked = (blocked: Blocked.Blocked, { command, paint }: Words): string =>
  [
    paint(line(blocked.message), "warn"),
    ...(blocked.detail === null ? [] : [`  ${line(blocked.detail)}`]),
    ...blocked.next.map(({ argv, title }) => `  ${title}:  ${command(argv)}`)
  ].join("\n")

const counted = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`

/** How a loop came out, in one line; empty where nothing is worth saying. */
export const renderLoopEnd = ({ loop, outcome, runs }: LoopRequest.LoopEnd): string => {
  const latest = LoopRequest.latestRuns(runs)
  const done = latest.filter(({ state }) => state === "completed").length
  const failed = latest.filter(({ state }) => state === "failed").length
  const elapsed = runs.reduce((sum, { progress }) => sum + progress.elapsedMs, 0)
  const parts = [
    counted(done, "task done", "tasks done"),
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(loop === null || loop.tasksCompleted === done ? [] : [`${loop.tasksCompleted} in the whole loop`]),
    ...(runs.length === 0 ? [] : [Text.duration(elapsed)])
  ].join(", ")
  switch (outcome) {
    case "done":
      return runs.length === 0 ? "Nothing to do: no task is waiting here." : parts
    case "stopped":
      return `Stopped as asked: ${parts}`
    case "blocked":
    case "signalled":
      return runs.length === 0 ? "" : parts
    default:
      return ""
  }
}
