/**
 * The reducer: what the monitor is after a message, and what it wants done. Pure, so every sequence of keys and changes
 * can be tried in a table. Text that is typed lives here, so no burst of keys loses a character.
 */
import { Text } from "@alluka/core"
import { type Action, bindingOf } from "../keys/keyTable.js"
import { characterOf } from "../keys/router.js"
import { geometryOf } from "../layout/geometry.js"
import { offsets } from "../layout/listWindow.js"
import { contextOf } from "../model/commands.js"
import type { Dialog } from "../model/Dialog.js"
import { listingOf } from "../model/items.js"
import type { Message } from "../model/Message.js"
import type { Model } from "../model/Model.js"
import { editField, fieldOf, insert } from "../model/textField.js"
import { changesRead, connectionLost, detailRead, ownersProbed, pageFailed, pageRead, snapshotRead } from "./feed.js"
import { act, reread } from "./lists.js"
import { actInLog, findTyped, rawRead } from "./log.js"
import { decided, launched, pastedInResume, pressedInResume } from "./resumeDialog.js"
import { pastedInRun, pressedInRun } from "./runDialog.js"
import { unavailable } from "./sentences.js"
import { asked, settle } from "./settle.js"
import { pressedInCancel, pressedInHelp, pressedInRename, pressedInResumeMany } from "./smallDialogs.js"
import { asking, type Step, stay, twinOf, withToast } from "./step.js"
import {
  actInTasks,
  pastedInTask,
  pressedInStartTasks,
  pressedInTask,
  taskSaved,
  tasksFailed,
  tasksRead
} from "./tasks.js"

const run = (model: Model, action: Action): Step => {
  if (model.screen === "log") return actInLog(model, action)
  const why = unavailable(model, action)
  if (model.screen === "tasks" && why === null) return actInTasks(model, action) ?? act(model, action)
  return act(model, action)
}

/** Keys that work whatever is open. */
const anywhere = (model: Model, key: string): Step | null => {
  if (key === "ctrl+l") return asking(model, { _tag: "Repaint" })
  if (key === "ctrl+z") return asking(model, { _tag: "Suspend" })
  return null
}

const inDialog = (model: Model, dialog: Dialog, key: string): Step => {
  switch (dialog.kind) {
    case "resume":
      return pressedInResume(model, dialog, key)
    case "cancel":
      return pressedInCancel(model, dialog, key)
    case "resumeMany":
      return pressedInResumeMany(model, dialog, key)
    case "run":
      return pressedInRun(model, dialog, key)
    case "rename":
      return pressedInRename(model, dialog, key)
    case "task":
      return pressedInTask(model, dialog, key)
    case "startTasks":
      return pressedInStartTasks(model, dialog, key)
    case "help":
    case "palette":
      return pressedInHelp(model, dialog, key, run)
  }
}

const fieldLimits = { multiline: false, max: 200 }

/** The store narrows by some of a filter: where that changed, the lists are read anew. */
const refiltered = (before: Model, after: Model): Step => {
  const [old, now] = [asked(before), asked(after)]
  return (old.since === null) === (now.since === null) && old.folder === now.folder
    ? stay({ ...after, listTop: 0 })
    : reread({ ...after, listTop: 0 })
}

const inFilter = (model: Model, key: string): Step => {
  const { filtering } = model
  if (filtering === null) return stay(model)
  if (key === "enter") return refiltered(model, { ...model, filter: filtering.text.trim(), filtering: null })
  if (key === "escape" || key === "ctrl+c") return refiltered(model, { ...model, filter: "", filtering: null })
  if (key === "down" || key === "up") return act({ ...model, filtering: null, filter: filtering.text.trim() }, key)
  const text = characterOf(key)
  const field = text === null ? editField(filtering, key) : insert(filtering, text, fieldLimits)
  return field === null ? stay(model) : refiltered(model, { ...model, filtering: field })
}

const inFind = (model: Model, key: string): Step => {
  const typing = model.log?.typing ?? null
  if (model.log === null || typing === null) return stay(model)
  if (key === "enter") return findTyped(model)
  if (key === "escape" || key === "ctrl+c") return stay({ ...model, log: { ...model.log, typing: null } })
  const text = characterOf(key)
  const field = text === null ? editField(typing, key) : insert(typing, text, fieldLimits)
  return field === null ? stay(model) : stay({ ...model, log: { ...model.log, typing: field } })
}

const pressed = (model: Model, key: string): Step => {
  const always = anywhere(model, key)
  if (always !== null) return always
  if (model.dialog !== null) return inDialog(model, model.dialog, key)
  if (model.filtering !== null) return inFilter(model, key)
  if (model.log?.typing != null && model.screen === "log") return inFind(model, key)
  const binding = bindingOf(contextOf(model), key)
  if (binding === null) return stay(model)
  const moves = binding.repeats && model.screen === "list" && model.pane === "list"
  return run(moves ? { ...model, held: held(model) } : model, binding.action)
}

/** A paste goes where text is typed; where keys are commands it went astray and does nothing. */
const pasted = (model: Model, text: string): Step => {
  const { dialog, filtering, log } = model
  if (dialog !== null) {
    switch (dialog.kind) {
      case "resume":
        return pastedInResume(model, dialog, text)
      case "run":
        return pastedInRun(model, dialog, text)
      case "task":
        return pastedInTask(model, dialog, text)
      case "rename":
        return stay({
          ...model,
          dialog: { ...dialog, field: insert(dialog.field, text, { multiline: false, max: 120 }) }
        })
      case "help":
      case "palette":
        return stay({
          ...model,
          dialog: { ...dialog, field: insert(dialog.field, text, { multiline: false, max: 80 }), selected: 0 }
        })
      default:
        return stay(model)
    }
  }
  if (filtering !== null) return refiltered(model, { ...model, filtering: insert(filtering, text, fieldLimits) })
  if (log !== null && log.typing !== null && model.screen === "log") {
    return stay({ ...model, log: { ...log, typing: insert(log.typing, text, fieldLimits) } })
  }
  return stay(model)
}

/** Carries out steps one after the other. */
const inTurn = <Part>(model: Model, parts: ReadonlyArray<Part>, each: (model: Model, part: Part) => Step): Step => {
  let now = model
  const commands: Array<Step[1][number]> = []
  for (const part of parts) {
    const [next, more] = each(now, part)
    now = next
    commands.push(...more)
  }
  return [now, commands]
}

/** Characters of one burst that are looked at as keys, at most. */
const maxKeys = 200

/** Keys that a burst may hold where text is typed, besides the text. */
const keyOfControl: Readonly<Record<string, string>> = {
  "\t": "tab",
  "\u007f": "backspace",
  "\b": "backspace",
  "\u0001": "ctrl+a",
  "\u0004": "ctrl+d",
  "\u0005": "ctrl+e",
  "\u000b": "ctrl+k",
  "\u0015": "ctrl+u",
  "\u0017": "ctrl+w"
}

/**
 * A burst of characters. Where text is typed, all of it is: keys that edit, edit; a line end is one, and never sends
 * anything off. Where keys are commands, a burst moves if every key of it moves, as a key does that is held; anything else
 * may be a paste and does nothing.
 */
const burst = (model: Model, text: string): Step => {
  if (model.dialog !== null || model.filtering !== null || (model.screen === "log" && model.log?.typing != null)) {
    const parts =
      text.match(/[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f]|[^\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f]+/gu) ??
      []
    const enters = model.dialog === null && /^[^\r\n]+[\r\n]$/.test(text)
    const [typed, commands] = inTurn(model, parts, (now, part) => {
      const key = keyOfControl[part]
      return key === undefined ? pasted(now, enters ? part.replace(/[\r\n]$/, "") : part) : pressed(now, key)
    })
    if (!enters) return [typed, commands]
    const [next, more] = pressed(typed, "enter")
    return [next, [...commands, ...more]]
  }
  const keys = Text.graphemes(text.slice(0, maxKeys)).map((key) =>
    key === " " ? "space" : key === "\r" ? "enter" : key
  )
  const context = contextOf(model)
  const moves = keys.every((key) => bindingOf(context, key)?.section === "MOVE")
  const held = keys.every((key) => key === keys[0] && bindingOf(context, key)?.repeats === true)
  return moves || held ? inTurn(model, keys, pressed) : stay(model)
}

const clicked = (model: Model, column: number, row: number): Step => {
  if (!model.mouse || model.dialog !== null || model.screen !== "list") return stay(model)
  const geometry = geometryOf(model)
  const line = row - geometry.header
  if (line < 0 || line >= geometry.list.height || column >= geometry.list.width) return stay(model)
  const { items } = listingOf(model)
  const starts = offsets(items, geometry.mode)
  const index = starts.findLastIndex((start) => start <= line + model.listTop)
  const item = items[index]
  return item === undefined ? stay(model) : stay({ ...model, selected: item.key, pane: "list" })
}

/** Ticks that the order of the list is held after a move: one second at least. */
const heldTicks = 2

/** A list that is moved in stands still: what a key is aimed at must not be another run when it comes. */
const held = (model: Model): Model["held"] => ({
  runs: model.held?.runs ?? model.runs,
  counts: model.held?.counts ?? model.counts,
  ticks: heldTicks
})

const holding = ({ held: before }: Model): Model["held"] =>
  before === null || before.ticks <= 1 ? null : { ...before, ticks: before.ticks - 1 }

const tick = (model: Model, now: number): Step =>
  stay({
    ...model,
    now,
    held: holding(model),
    spin: model.spin + 1,
    toast: model.toast !== null && model.toast.until <= now ? null : model.toast
  })

const edited = (model: Model, text: string | null): Step => {
  const { dialog } = model
  if (text === null || dialog === null) return stay(model)
  const field = fieldOf(text.replace(/\n+$/, ""))
  if (dialog.kind === "resume") return stay({ ...model, dialog: { ...dialog, field, focus: "text" } })
  if (dialog.kind === "task") return stay({ ...model, dialog: { ...dialog, field } })
  return dialog.kind === "run" ? stay({ ...model, dialog: { ...dialog, prompt: field } }) : stay(model)
}

const receive = (model: Model, message: Message): Step => {
  const resume = model.dialog?.kind === "resume" ? model.dialog : null
  switch (message._tag) {
    case "Pressed":
      return pressed(model, message.key)
    case "Pasted":
      return pasted(model, message.text)
    case "Typed":
      return burst(model, message.text)
    case "Clicked":
      return clicked(model, message.column, message.row)
    case "Wheeled":
      return model.mouse && model.dialog === null ? run(model, message.by === -1 ? "up" : "down") : stay(model)
    case "Focused":
      return stay({ ...model, focused: message.focused })
    case "Resized":
      return stay({ ...model, size: message.size })
    case "Ticked":
      return tick(model, message.now)
    case "Spun":
      return stay({ ...model, spin: model.spin + 1 })
    case "SnapshotRead":
      return snapshotRead(model, message)
    case "PageRead":
      return pageRead(model, message)
    case "PageFailed":
      return pageFailed(model, message)
    case "ChangesRead":
      return changesRead(model, message)
    case "OwnersProbed":
      return ownersProbed(model, message)
    case "ConnectionLost":
      return connectionLost(model, message)
    case "DetailRead":
      return detailRead(model, message)
    case "DetailFailed":
      return model.detail?.id === message.id
        ? stay({ ...model, detail: { ...model.detail, loaded: true, trouble: message.why } })
        : stay(model)
    case "PreviewMade":
      return model.detail?.id === message.id
        ? stay({ ...model, detail: { ...model.detail, decision: message.decision } })
        : stay(model)
    case "Decided":
      return resume !== null && resume.token === message.token ? decided(model, resume, message.decision) : stay(model)
    case "DecideFailed":
      return resume !== null && resume.token === message.token
        ? stay({ ...model, dialog: { ...resume, step: "ready", trouble: message.why } })
        : stay(model)
    case "Launched": {
      const open = resume !== null && resume.step === "starting" && resume.id === message.from ? resume : null
      const runDialog = message.from === null && model.dialog?.kind === "run" ? model.dialog : null
      if (runDialog !== null && message.answer._tag === "Started") {
        const drafts = new Map(model.drafts)
        drafts.delete("new")
        return launched({ ...model, dialog: null, drafts }, null, message.answer, message.twin)
      }
      if (runDialog !== null && message.answer._tag === "Refused") {
        return stay({ ...model, dialog: { ...runDialog, step: "ready", trouble: message.answer.decision.detail } })
      }
      return launched(model, open, message.answer, message.twin)
    }
    case "LaunchFailed": {
      if (resume !== null && resume.step === "starting" && resume.id === message.from) {
        return stay({ ...model, dialog: { ...resume, step: "ready", trouble: message.why } })
      }
      if (message.from === null && model.dialog?.kind === "run") {
        return stay({ ...model, dialog: { ...model.dialog, step: "ready", trouble: message.why } })
      }
      return stay(withToast(model, `Nothing was started: ${message.why}`, "bad"))
    }
    case "ManyLaunched": {
      const { started, refused } = message
      const text = `${started.length} resumed${refused.length === 0 ? "" : `, ${refused.length} not: ${refused.join("; ")}`} · same as, for each: ${twinOf(model, ["resume", "ID"])}`
      return stay(
        withToast(
          { ...model, started: new Set([...model.started, ...started]), awaited: started[0] ?? null },
          text,
          refused.length === 0 ? "good" : "warn"
        )
      )
    }
    case "TasksRead":
      return tasksRead(model, message)
    case "TasksFailed":
      return tasksFailed(model, message)
    case "TaskSaved":
      return taskSaved(model, message)
    case "ProvidersFound":
      return providersFound(model, message.providers)
    case "ImportableCounted":
      return stay({ ...model, importable: { counts: message.counts, progress: message.progress } })
    case "Edited":
      return edited(model, message.text)
    case "RawRead":
      return rawRead(model, message)
    case "Told":
      return stay(withToast(model, message.text, message.tone))
  }
}

const providersFound = (model: Model, providers: NonNullable<Model["providers"]>): Step => {
  const known = { ...model, providers }
  const { dialog } = model
  if (dialog?.kind !== "run") return stay(known)
  const installed = providers.filter((provider) => provider.installed).map(({ id }) => id)
  const ordered = [...installed.filter((id) => id !== "demo"), ...installed.filter((id) => id === "demo")]
  const chosen = dialog.providers[dialog.provider]
  return stay({
    ...known,
    dialog: {
      ...dialog,
      trouble: null,
      providers: ordered,
      provider: Math.max(0, chosen === undefined ? 0 : ordered.indexOf(chosen))
    }
  })
}

/** The next model, and what is to be done outside. */
export const update = (model: Model, message: Message): Step => settle(model, receive(model, message))
