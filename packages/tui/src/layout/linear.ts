/**
 * The monitor for a screen reader: no columns, no borders, no motion; one thing a line, in the order in which it matters.
 * Pure, like the frame.
 */
import { TerminalText } from "@alluka/core"
import { age } from "../list/index.js"
import { commandEntries } from "../model/commands.js"
import { isHelp } from "../model/Dialog.js"
import { talkOf, timelineOf } from "../model/entry.js"
import { isEmptyFilter } from "../model/filter.js"
import { filterOf, type Item, itemIndex, listingOf, selectedRun } from "../model/items.js"
import type { Model } from "../model/Model.js"
import { isSilent, lastTime, modelName, phaseOf, type Run, silence } from "../model/Run.js"
import { resumeOptions } from "../model/resumeOptions.js"
import { liveLoop, noTasks, selectedTask } from "../model/tasks.js"
import { asciiGlyphs, sayIn } from "../theme/glyphs.js"
import { fieldsOf, levelsOf, providerOf } from "../update/runDialog.js"
import { nothingToResume } from "../update/sentences.js"
import { startOptions } from "../update/tasks.js"
import { decisionText } from "./decisionLines.js"
import { decisionOf } from "./detail.js"
import { emptyLines } from "./empty.js"
import { plainText } from "./Line.js"
import { logLines } from "./logLines.js"
import { clockSeconds } from "./time.js"

export interface LinearLine {
  readonly role: "text" | "listitem" | "heading"
  readonly selected: boolean
  readonly text: string
}

const safe = (text: string): string => sayIn(asciiGlyphs, TerminalText.terminalText(text, { singleLine: true }))

const line = (text: string, role: LinearLine["role"] = "text", selected = false): LinearLine => ({
  role,
  selected,
  text: safe(text)
})

/** The state of a run in words. */
export const spokenState = ({ checkpoint, decision }: Run, model: Model): string => {
  switch (checkpoint.state) {
    case "running":
      if (checkpoint.cancelRequested !== null) return "running, told to stop"
      return isSilent(checkpoint, model.now)
        ? `running, no output for ${age(model.now - silence(checkpoint, model.now), model.now)}`
        : "running"
    case "interrupted":
      return decision === null || decision.requires.length === 0
        ? "interrupted, can resume"
        : "interrupted, needs your word"
    default:
      return checkpoint.state
  }
}

const itemText = (item: Item, model: Model): string => {
  if (item.kind === "group")
    return `${item.title.toLowerCase()}: ${item.count.value}${item.count.exact ? "" : " or more"}`
  const { run } = item
  const { checkpoint } = run
  const phase = phaseOf(run)
  const mark = model.marks.has(checkpoint.id) ? "marked, " : ""
  const when =
    checkpoint.state === "running"
      ? `for ${age(checkpoint.startedAt, model.now)}`
      : `${age(lastTime(checkpoint), model.now)} ago`
  const reason = checkpoint.reason === null ? "" : `, ${checkpoint.reason.message}`
  const title = checkpoint.title.trim() === "" ? "no title" : checkpoint.title
  return `${mark}${spokenState(run, model)}: ${title}, ${phase.provider} ${modelName(phase)}, ${when}${reason}`
}

const summary = (model: Model): string => {
  const { counts, connection } = model
  if (counts === null || connection._tag === "Starting") return "Alluka runs. Reading."
  const live =
    connection._tag === "Live"
      ? "up to date"
      : `not up to date since ${clockSeconds(connection.since)}: ${connection.why}`
  const damaged =
    model.skipped === 0 ? "" : ` ${model.skipped} damaged and not shown; ${model.settings.program} doctor tells more.`
  return `Alluka runs. ${counts.running} live, ${counts.interrupted + counts.failed} need you, ${counts.completed + counts.cancelled} done. ${live}.${damaged}`
}

const detailTexts = (model: Model): ReadonlyArray<LinearLine> => {
  const run = selectedRun(model)
  if (run === null) return []
  const { checkpoint } = run
  const phase = phaseOf(run)
  const never = nothingToResume(run)
  const decision = decisionOf(model, run)
  const entries = model.detail?.id === checkpoint.id ? model.detail.entries : []
  const preview =
    never ??
    (decision === null
      ? "looking"
      : ((): string => {
          const text = decisionText(decision, asciiGlyphs)
          return [text.head, text.reason, text.detail, text.loses ?? "", ...text.warnings]
            .filter((part) => part !== "")
            .join(". ")
        })())
  return [
    line("details", "heading"),
    line(`run ${checkpoint.id}, agent ${checkpoint.agent}, turn ${checkpoint.progress.position.turn}`),
    line(
      `provider ${phase.provider}, model ${modelName(phase) || "unknown"}, thinking ${phase.thinking.requested ?? phase.thinking.actual ?? "unknown"}`
    ),
    line(`folder ${run.folder}`),
    line(`resume preview: ${preview}`),
    ...timelineOf(entries)
      .slice(-3)
      .map(({ at, text, word }) => line(`${clockSeconds(at)} ${word}: ${text}`)),
    ...talkOf(entries)
      .slice(-3)
      .map(({ at, text }) => line(`${clockSeconds(at)} output: ${text}`))
  ]
}

const dialogTexts = (model: Model): ReadonlyArray<LinearLine> => {
  const { dialog } = model
  if (dialog === null) return []
  if (isHelp(dialog)) {
    return [
      line(
        `${dialog.kind === "help" ? "keys" : "commands"}: ${dialog.field.text === "" ? "type to search" : dialog.field.text}`,
        "heading"
      ),
      ...commandEntries(model, dialog.field.text)
        .map(({ binding, keys, why }, index) =>
          line(
            `${keys === "" ? "no key" : keys}: ${binding.title}${why === null ? "" : `, not now: ${why}`}`,
            "listitem",
            index === dialog.selected
          )
        )
        .slice(Math.max(0, dialog.selected - 4), dialog.selected + 6)
    ]
  }
  switch (dialog.kind) {
    case "resume": {
      const { decision } = dialog
      if (decision === null) return [line(`resume ${dialog.title}: ${dialog.trouble ?? "looking"}`, "heading")]
      const text = decisionText(decision, asciiGlyphs)
      return [
        line(`resume ${dialog.title}`, "heading"),
        ...(dialog.changed === null ? [] : [line(dialog.changed)]),
        line([text.head, text.reason, text.detail].join(". ")),
        ...[text.loses, text.keeps, ...text.warnings].flatMap((each) => (each === null ? [] : [line(each)])),
        line(
          `follow-up: ${dialog.field.text === "" ? "empty" : dialog.field.text}`,
          "listitem",
          dialog.focus === "text"
        ),
        ...resumeOptions(decision).map(({ title }, index) =>
          line(`${index + 1}: ${title}`, "listitem", dialog.focus === "options" && index === dialog.option)
        ),
        ...(dialog.asking === null
          ? []
          : [line(`${dialog.asking === "cd" ? "folder" : "model"}: ${dialog.value.text}`, "listitem", true)]),
        ...(dialog.trouble === null ? [] : [line(dialog.trouble)]),
        line(dialog.step === "ready" ? "enter chooses, escape goes back" : "one moment")
      ]
    }
    case "cancel":
      if (dialog.runs.every(({ id }) => model.runs.get(id)?.checkpoint.state !== "running"))
        return [
          line(`stop waiting for the reset of ${dialog.runs.map(({ title }) => title).join(", ")}?`, "heading"),
          line("y stops it; n or escape keeps waiting. The run stays as it is.")
        ]
      return [
        line(`cancel ${dialog.runs.map(({ title }) => title).join(", ")}?`, "heading"),
        line("y cancels; n or escape keeps it running. The checkpoint and the files are kept.")
      ]
    case "resumeMany":
      return [
        line(`resume ${dialog.go.length} runs in the same session?`, "heading"),
        ...dialog.go.map(({ title }) => line(title, "listitem")),
        ...dialog.skip.map(({ title, why }) => line(`left alone: ${title}, ${why}`, "listitem")),
        line("y resumes them; n or escape leaves them.")
      ]
    case "task":
      return [
        line(dialog.id === null ? "new task" : `edit ${dialog.id}`, "heading"),
        line(`what is to be done: ${dialog.field.text === "" ? "empty" : dialog.field.text}`, "listitem", true),
        ...(dialog.trouble === null ? [] : [line(dialog.trouble)]),
        line("enter keeps it, escape goes back")
      ]
    case "startTasks":
      return [
        line(`start ${dialog.title}`, "heading"),
        ...startOptions(dialog).map((title, index) =>
          line(`${index + 1}: ${title}`, "listitem", index === dialog.option)
        ),
        line("enter chooses, escape goes back")
      ]
    case "rename":
      return [line(`rename: ${dialog.field.text}`, "heading"), line("enter keeps it, escape goes back")]
    case "run": {
      const values = {
        prompt: dialog.prompt.text === "" ? "empty" : dialog.prompt.text,
        provider: providerOf(model, dialog)?.id ?? "none",
        model: dialog.model.text === "" ? "the provider's default" : dialog.model.text,
        thinking: levelsOf(model, dialog)[dialog.thinking] ?? "default",
        permission: dialog.permission,
        start: dialog.step === "starting" ? "starting" : "start"
      }
      return [
        line(dialog.session === null ? "new run" : `new run in the session of ${dialog.session.title}`, "heading"),
        ...fieldsOf(model, dialog).map((name) => line(`${name}: ${values[name]}`, "listitem", dialog.focus === name)),
        ...(dialog.trouble === null ? [] : [line(dialog.trouble)])
      ]
    }
  }
}

const taskTexts = (model: Model): ReadonlyArray<LinearLine> => {
  const view = model.tasks ?? noTasks
  const chosen = selectedTask(view)
  const at = chosen === null ? 0 : view.items.indexOf(chosen)
  const from = Math.max(0, at - 6)
  return [
    line("tasks", "heading"),
    ...(view.trouble === null ? [] : [line(view.trouble)]),
    ...(view.items.length === 0 ? [line(view.loaded ? "No tasks here yet. n adds one." : "Reading the tasks.")] : []),
    ...view.items
      .slice(from, from + aroundSelected)
      .map((task) =>
        line(
          `${task.status}: ${task.id} ${task.title}${liveLoop(view, task.folder) === null ? "" : ", its folder is being worked on"}`,
          "listitem",
          task === chosen
        )
      )
  ]
}

/** How many items of the list are read out around the selected one. */
const aroundSelected = 12

export const linearLines = (model: Model): ReadonlyArray<LinearLine> => {
  const toast = model.toast === null ? [] : [line(model.toast.text)]
  const head = [line(summary(model), "heading")]
  if (model.dialog !== null) return [...head, ...dialogTexts(model), ...toast]
  if (model.screen === "log") {
    const find = model.log?.typing == null ? [] : [line(`find: ${model.log.typing.text}`)]
    return [
      ...head,
      line("log, the last lines", "heading"),
      ...logLines(model)
        .slice(-20)
        .map(({ text, word }) => line(`${word} ${text}`.trim())),
      ...find,
      ...toast
    ]
  }
  if (model.screen === "tasks") return [...head, ...taskTexts(model), ...toast]
  const filter = filterOf(model)
  const listing = listingOf(model)
  const index = itemIndex(listing.items, model.selected)
  const from = Math.max(0, Math.min(index - Math.floor(aroundSelected / 2), listing.items.length - aroundSelected))
  const items = listing.items
    .slice(from, from + aroundSelected)
    .map((item, at) => line(itemText(item, model), "listitem", from + at === index))
  const empty = emptyLines(model, 200)
  const filtering =
    model.filtering !== null
      ? [line(`filter: ${model.filtering.text === "" ? "type what to look for" : model.filtering.text}`)]
      : isEmptyFilter(filter)
        ? []
        : [line(`filter: ${model.filter}. ${listing.hidden.value} runs hidden. Escape clears it.`)]
  return [
    ...head,
    ...filtering,
    ...(empty === null ? items : empty.map((each) => line(plainText(each).trim())).filter(({ text }) => text !== "")),
    ...(model.screen === "detail" || model.pane === "detail" || empty === null ? detailTexts(model) : []),
    ...toast,
    line("question mark: keys")
  ]
}
