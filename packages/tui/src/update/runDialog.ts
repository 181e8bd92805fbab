/** The dialog for a new run. */
import { characterOf } from "../keys/router.js"
import { maxPrompt, type RunDialog, type RunFieldName, runFields } from "../model/Dialog.js"
import type { InstalledProvider, Model } from "../model/Model.js"
import { editField, insert, type TextField } from "../model/textField.js"
import { asking, type Step, stay, twinOf } from "./step.js"

const permissions = ["read", "edit", "full"] as const

/** Fields that can be set for this run: a run in a session keeps its provider; not every provider has thinking levels. */
export const fieldsOf = (model: Model, dialog: RunDialog): ReadonlyArray<RunFieldName> =>
  runFields.filter((name) => name !== "thinking" || levelsOf(model, dialog).length > 1)

/** The provider's thinking levels, with its own default first. */
export const levelsOf = (model: Model, dialog: RunDialog): ReadonlyArray<string> => [
  "default",
  ...(providerOf(model, dialog)?.thinkingLevels ?? [])
]

export const providerOf = (model: Model, dialog: RunDialog): InstalledProvider | null => {
  const id = dialog.providers[dialog.provider]
  return model.providers?.find((provider) => provider.id === id) ?? null
}

const argvOf = (model: Model, dialog: RunDialog): ReadonlyArray<string> => {
  const provider = dialog.providers[dialog.provider]
  const thinking = levelsOf(model, dialog)[dialog.thinking] ?? "default"
  const name = dialog.model.text.trim()
  return [
    "run",
    ...(dialog.session === null ? [] : ["--session", dialog.session.id]),
    ...(provider === undefined ? [] : ["--provider", provider]),
    ...(name === "" ? [] : ["--model", name]),
    ...(thinking === "default" ? [] : ["--thinking", thinking]),
    "--permission",
    dialog.permission,
    "-C",
    model.settings.cwd
  ]
}

const start = (model: Model, dialog: RunDialog): Step => {
  const prompt = dialog.prompt.text
  if (prompt.trim() === "") {
    return stay({ ...model, dialog: { ...dialog, focus: "prompt", trouble: "Say first what the agent should do." } })
  }
  if (model.providers === null) {
    return stay({ ...model, dialog: { ...dialog, trouble: "Still looking for providers; in a moment." } })
  }
  if (dialog.providers.length === 0) {
    return stay({ ...model, dialog: { ...dialog, trouble: "No provider is installed; see: providers list." } })
  }
  const argv = argvOf(model, dialog)
  return asking(
    { ...model, dialog: { ...dialog, step: "starting", trouble: null } },
    {
      _tag: "Launch",
      argv: [...argv, "-"],
      input: prompt,
      from: null,
      twin: twinOf(model, [...argv, "--detach", prompt])
    }
  )
}

export const leaveRun = (model: Model, dialog: RunDialog): Step => {
  const drafts = new Map(model.drafts)
  if (dialog.prompt.text.trim() === "") drafts.delete("new")
  else drafts.set("new", dialog.prompt.text)
  return stay({ ...model, dialog: null, drafts })
}

const cycle = (value: number, by: number, length: number): number => (length === 0 ? 0 : (value + by + length) % length)

const moveFocus = (model: Model, dialog: RunDialog, by: 1 | -1): RunDialog => {
  const fields = fieldsOf(model, dialog)
  return { ...dialog, focus: fields[cycle(fields.indexOf(dialog.focus), by, fields.length)] ?? "prompt" }
}

const change = (model: Model, dialog: RunDialog, by: 1 | -1): RunDialog | null => {
  switch (dialog.focus) {
    case "provider":
      return { ...dialog, provider: cycle(dialog.provider, by, dialog.providers.length), thinking: 0 }
    case "thinking":
      return { ...dialog, thinking: cycle(dialog.thinking, by, levelsOf(model, dialog).length) }
    case "permission":
      return { ...dialog, permission: permissions[cycle(permissions.indexOf(dialog.permission), by, 3)] ?? "edit" }
    default:
      return null
  }
}

const write = (
  dialog: RunDialog,
  edit: (field: TextField, multiline: boolean) => TextField | null
): RunDialog | null => {
  if (dialog.focus !== "prompt" && dialog.focus !== "model") return null
  const field = edit(dialog[dialog.focus], dialog.focus === "prompt")
  return field === null ? null : { ...dialog, [dialog.focus]: field, trouble: null }
}

export const pressedInRun = (model: Model, dialog: RunDialog, key: string): Step => {
  if (key === "escape" || key === "ctrl+c") return leaveRun(model, dialog)
  if (dialog.step === "starting") return stay(model)
  const shown = (next: RunDialog): Step => stay({ ...model, dialog: next })
  if (key === "tab") return shown(moveFocus(model, dialog, 1))
  if (key === "shift+tab") return shown(moveFocus(model, dialog, -1))
  if (key === "enter")
    return dialog.focus === "start" || dialog.focus === "prompt"
      ? start(model, dialog)
      : shown(moveFocus(model, dialog, 1))
  if (key === "ctrl+g" && dialog.focus === "prompt")
    return asking(model, { _tag: "EditText", text: dialog.prompt.text })
  if (dialog.focus === "prompt" && (key === "alt+enter" || key === "ctrl+j")) {
    return shown({ ...dialog, prompt: insert(dialog.prompt, "\n", { multiline: true, max: maxPrompt }) })
  }
  const text = characterOf(key)
  const written = write(dialog, (field, multiline) =>
    text === null ? editField(field, key) : insert(field, text, { multiline, max: multiline ? maxPrompt : 200 })
  )
  if (written !== null) return shown(written)
  if (key === "left" || key === "right" || key === "space") {
    const changed = change(model, dialog, key === "left" ? -1 : 1)
    return changed === null ? stay(model) : shown(changed)
  }
  if (key === "up") return shown(moveFocus(model, dialog, -1))
  if (key === "down") return shown(moveFocus(model, dialog, 1))
  return stay(model)
}

export const pastedInRun = (model: Model, dialog: RunDialog, text: string): Step => {
  const written = write(dialog, (field, multiline) =>
    insert(field, text, { multiline, max: multiline ? maxPrompt : 200 })
  )
  return written === null ? stay(model) : stay({ ...model, dialog: written })
}
