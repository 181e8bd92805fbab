/** Cancel, resume many, rename, help and palette. */

import type { Action } from "../keys/keyTable.js"
import { characterOf } from "../keys/router.js"
import { commandEntries } from "../model/commands.js"
import type { CancelDialog, HelpDialog, RenameDialog, ResumeManyDialog } from "../model/Dialog.js"
import type { Model } from "../model/Model.js"
import { editField, insert } from "../model/textField.js"
import { asking, type Step, stay, twinOf, withToast } from "./step.js"

const closed = (model: Model): Model => ({ ...model, dialog: null })

/** Only `y` cancels; Enter is No. */
export const pressedInCancel = (model: Model, dialog: CancelDialog, key: string): Step => {
  if (key === "y" || key === "Y") {
    const ids = dialog.runs.map(({ id }) => id)
    return asking(
      { ...closed(model), marks: new Set() },
      { _tag: "Cancel", ids, twin: twinOf(model, ["cancel", ...ids]) }
    )
  }
  return ["n", "N", "escape", "enter", "q", "ctrl+c"].includes(key) ? stay(closed(model)) : stay(model)
}

export const pressedInResumeMany = (model: Model, dialog: ResumeManyDialog, key: string): Step => {
  if ((key === "y" || key === "Y") && dialog.go.length > 0) {
    return asking(withToast({ ...closed(model), marks: new Set() }, `Resuming ${dialog.go.length}…`), {
      _tag: "LaunchMany",
      ids: dialog.go.map(({ id }) => id)
    })
  }
  return ["n", "N", "escape", "enter", "q", "ctrl+c"].includes(key) ? stay(closed(model)) : stay(model)
}

export const pressedInRename = (model: Model, dialog: RenameDialog, key: string): Step => {
  if (key === "escape" || key === "ctrl+c") return stay(closed(model))
  if (key === "enter") {
    const title = dialog.field.text.trim()
    return title === "" ? stay(closed(model)) : asking(closed(model), { _tag: "Rename", id: dialog.id, title })
  }
  const text = characterOf(key)
  const field =
    text === null ? editField(dialog.field, key) : insert(dialog.field, text, { multiline: false, max: 120 })
  return field === null ? stay(model) : stay({ ...model, dialog: { ...dialog, field } })
}

/** `run`: does an action; given by the caller, because the actions know the dialogs. */
export const pressedInHelp = (
  model: Model,
  dialog: HelpDialog,
  key: string,
  run: (model: Model, action: Action) => Step
): Step => {
  if (key === "ctrl+c") return stay(closed(model))
  if (key === "escape") {
    return dialog.field.text === ""
      ? stay(closed(model))
      : stay({ ...model, dialog: { ...dialog, field: { text: "", cursor: 0 }, selected: 0 } })
  }
  const entries = commandEntries(model, dialog.field.text)
  const last = Math.max(0, entries.length - 1)
  const select = (selected: number): Step =>
    stay({ ...model, dialog: { ...dialog, selected: Math.min(last, Math.max(0, selected)) } })
  switch (key) {
    case "enter": {
      const entry = entries[dialog.selected]
      if (entry === undefined) return stay(model)
      return entry.why === null ? run(closed(model), entry.action) : stay(withToast(model, entry.why, "warn"))
    }
    case "up":
    case "shift+tab":
      return select(dialog.selected - 1)
    case "down":
    case "tab":
      return select(dialog.selected + 1)
    case "pageup":
      return select(dialog.selected - 10)
    case "pagedown":
      return select(dialog.selected + 10)
  }
  const text = characterOf(key)
  const field = text === null ? editField(dialog.field, key) : insert(dialog.field, text, { multiline: false, max: 80 })
  return field === null ? stay(model) : stay({ ...model, dialog: { ...dialog, field, selected: 0 } })
}
