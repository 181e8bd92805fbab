/**
 * The resume dialog. What it shows is decided when it opens and decided again when it is answered: only if the answer is
 * still the one that was on the screen does anything start.
 */
import { Decision, type RunLauncher } from "@alluka/core"
import { characterOf } from "../keys/router.js"
import { longTime } from "../layout/time.js"
import { maxFollowUp, type ResumeDialog, type ResumeOption } from "../model/Dialog.js"
import type { Model } from "../model/Model.js"
import { defaultOption, resumeOptions, takesFollowUp } from "../model/resumeOptions.js"
import { editField, emptyField, insert } from "../model/textField.js"
import { decisionLooks } from "../theme/glyphs.js"
import { deciding, openRun } from "./openDialog.js"
import { openLog } from "./openLog.js"
import { asking, type Step, stay, twinOf, withToast } from "./step.js"

const limits = { multiline: true, max: maxFollowUp }
const valueLimits = { multiline: false, max: 400 }

const shown = (model: Model, dialog: ResumeDialog): Step => stay({ ...model, dialog })

/** Closes the dialog; what was typed stays as the run's draft. */
export const leave = (model: Model, dialog: ResumeDialog): Step => {
  const drafts = new Map(model.drafts)
  if (dialog.field.text.trim() === "") drafts.delete(dialog.id)
  else drafts.set(dialog.id, dialog.field.text)
  return stay({ ...model, dialog: null, drafts })
}

/** The words for "was …, now …". */
const wordOf = (decision: Decision.Decision): string => `${decisionLooks[decision.status].word} (${decision.reason})`

const isSame = (a: Decision.Decision, b: Decision.Decision): boolean =>
  a.status === b.status && a.reason === b.reason && a.cause === b.cause

/** The answer to the dialog's question. */
export const decided = (model: Model, dialog: ResumeDialog, decision: Decision.Decision): Step => {
  const before = dialog.decision
  if (dialog.step === "checking" && before !== null && starts(before, dialog, decision)) {
    return launch(model, { ...dialog, decision })
  }
  const options = resumeOptions(decision)
  const asksMore = dialog.step === "checking" && decision.requires.length > 0 && dialog.consents.length > 0
  const changed =
    before === null || isSame(before, decision)
      ? dialog.changed
      : asksMore
        ? "One more word is needed:"
        : `Changed: was ${wordOf(before)}, now ${wordOf(decision)}.`
  const option = Math.min(
    dialog.step === "deciding" && before !== null ? dialog.option : defaultOption(decision),
    options.length - 1
  )
  const focus = decision.status === "resuming_same_session" && takesFollowUp(decision) ? "text" : "options"
  return shown(model, {
    ...dialog,
    decision,
    step: "ready",
    changed,
    option,
    focus: before === null || !isSame(before, decision) ? focus : dialog.focus
  })
}

/** Whether what was on the screen, with what the person agreed to, is what would happen now. */
const starts = (before: Decision.Decision, dialog: ResumeDialog, now: Decision.Decision): boolean => {
  if (now.status === "refusing_to_resume") return false
  if (isSame(before, now)) return true
  // A refusal that was answered with a consent, a folder or a model: the start it leads to must be of the kind that was chosen.
  if (before.status !== "refusing_to_resume") return false
  const fresh = dialog.consents.includes("fresh")
  return fresh === (now.status === "falling_back_to_fresh_invocation")
}

/** The command line of the resume; the follow-up goes by stdin. */
const argvOf = (dialog: ResumeDialog, more: ReadonlyArray<string>): ReadonlyArray<string> => [
  "resume",
  dialog.id,
  ...dialog.consents.map((consent) => Decision.consentFlag[consent]),
  ...(dialog.cd === null ? [] : ["--cd", dialog.cd]),
  ...(dialog.model === null ? [] : ["--model", dialog.model]),
  ...more
]

const launch = (model: Model, dialog: ResumeDialog, more: ReadonlyArray<string> = []): Step => {
  const text = dialog.field.text.trim() === "" ? null : dialog.field.text
  return asking(
    { ...model, dialog: { ...dialog, step: "starting", trouble: null } },
    {
      _tag: "Launch",
      argv: argvOf(dialog, text === null ? more : [...more, "-p", "-"]),
      input: text,
      from: dialog.id,
      twin: twinOf(model, argvOf(dialog, text === null ? more : [...more, "-p", text]))
    }
  )
}

/** Carries out an option. */
const choose = (model: Model, dialog: ResumeDialog, option: ResumeOption): Step => {
  switch (option.kind) {
    case "resume":
      return deciding(model, { ...dialog, changed: null }, "checking")
    case "consent":
    case "fresh":
      return deciding(
        model,
        { ...dialog, changed: null, consents: [...new Set([...dialog.consents, ...option.consents])] },
        "checking"
      )
    case "relocate":
      return shown(model, { ...dialog, asking: "cd", focus: "value", value: emptyField })
    case "model":
      return shown(model, { ...dialog, asking: "model", focus: "value", value: emptyField })
    case "wait":
      return launch(model, dialog, ["--continue-at-reset"])
    case "watch": {
      const left = { ...model, dialog: null }
      const target = option.target
      if (target === null || !model.runs.has(target))
        return stay(withToast(left, `${target ?? "It"} is not in the list.`, "warn"))
      return openLog({ ...left, selected: `run:${target}` }, target)
    }
    case "select":
      return stay(
        option.target === null || !model.runs.has(option.target)
          ? withToast({ ...model, dialog: null }, `${option.target ?? "It"} is not in the list.`, "warn")
          : { ...model, dialog: null, selected: `run:${option.target}` }
      )
    case "follow_up": {
      const run = model.runs.get(dialog.id)
      return openRun(
        { ...model, dialog: null },
        run === undefined ? null : { id: run.checkpoint.sessionId, title: run.checkpoint.title }
      )
    }
    case "open":
      return asking({ ...model, dialog: null }, { _tag: "Foreground", argv: ["open", dialog.id] })
    case "leave":
      return leave(model, dialog)
  }
}

const submitValue = (model: Model, dialog: ResumeDialog): Step => {
  const value = dialog.value.text.trim()
  if (value === "") return shown(model, { ...dialog, asking: null, focus: "options" })
  const given: ResumeDialog = {
    ...dialog,
    asking: null,
    focus: "options",
    changed: null,
    ...(dialog.asking === "cd" ? { cd: value } : { model: value })
  }
  return deciding(model, given, "checking")
}

const nextFocus = (dialog: ResumeDialog): ResumeDialog["focus"] =>
  dialog.asking !== null
    ? "value"
    : dialog.focus === "text" || dialog.decision === null || !takesFollowUp(dialog.decision)
      ? "options"
      : "text"

export const pressedInResume = (model: Model, dialog: ResumeDialog, key: string): Step => {
  if (key === "escape" || key === "ctrl+c") {
    return dialog.asking === null
      ? leave(model, dialog)
      : shown(model, { ...dialog, asking: null, focus: "options", value: emptyField })
  }
  const { decision } = dialog
  if (decision === null || dialog.step === "starting" || dialog.step === "checking") return stay(model)
  const options = resumeOptions(decision)
  if (key === "tab" || key === "shift+tab") return shown(model, { ...dialog, focus: nextFocus(dialog) })
  if (key === "ctrl+g" && takesFollowUp(decision)) return asking(model, { _tag: "EditText", text: dialog.field.text })
  if (dialog.focus === "value") {
    if (key === "enter") return submitValue(model, dialog)
    const text = characterOf(key)
    const value = text === null ? editField(dialog.value, key) : insert(dialog.value, text, valueLimits)
    return value === null ? stay(model) : shown(model, { ...dialog, value })
  }
  const selected = options[dialog.option]
  if (dialog.focus === "text") {
    if (key === "enter") {
      // Only what loses nothing goes from here; every other choice is made where the choices are.
      const [first] = options
      return decision.status === "resuming_same_session" && first !== undefined
        ? choose(model, dialog, first)
        : shown(model, { ...dialog, focus: "options" })
    }
    if (key === "alt+enter" || key === "ctrl+j") {
      return shown(model, { ...dialog, field: insert(dialog.field, "\n", limits) })
    }
    const text = characterOf(key)
    const field = text === null ? editField(dialog.field, key) : insert(dialog.field, text, limits)
    if (field !== null) return shown(model, { ...dialog, field })
    return key === "down" ? shown(model, { ...dialog, focus: "options" }) : stay(model)
  }
  switch (key) {
    case "enter":
      return selected === undefined ? stay(model) : choose(model, dialog, selected)
    case "up":
    case "left":
    case "k":
    case "h":
      if (dialog.option === 0 && key === "up" && takesFollowUp(decision))
        return shown(model, { ...dialog, focus: "text" })
      return shown(model, { ...dialog, option: Math.max(0, dialog.option - 1) })
    case "down":
    case "right":
    case "j":
    case "l":
      return shown(model, { ...dialog, option: Math.min(options.length - 1, dialog.option + 1) })
    case "F": {
      const fresh = options.find(({ kind }) => kind === "fresh")
      return fresh === undefined ? stay(model) : choose(model, dialog, fresh)
    }
  }
  const digit = /^[1-9]$/.test(key) ? options[Number(key) - 1] : undefined
  return digit === undefined ? stay(model) : choose(model, dialog, digit)
}

export const pastedInResume = (model: Model, dialog: ResumeDialog, text: string): Step => {
  if (dialog.focus === "value") return shown(model, { ...dialog, value: insert(dialog.value, text, valueLimits) })
  if (dialog.focus === "text") return shown(model, { ...dialog, field: insert(dialog.field, text, limits) })
  return stay(model)
}

/** What the launched process answered. */
export const launched = (
  model: Model,
  dialog: ResumeDialog | null,
  answer: RunLauncher.Launched,
  twin: string
): Step => {
  if (answer._tag === "Waiting") {
    const drafts = new Map(model.drafts)
    drafts.delete(answer.id)
    const text = `Goes on after the reset, ${longTime(answer.until, model.now)} · same as: ${twin}`
    return stay(withToast({ ...model, dialog: dialog === null ? model.dialog : null, drafts }, text, "good"))
  }
  if (answer._tag === "Started") {
    const drafts = new Map(model.drafts)
    if (dialog !== null) drafts.delete(dialog.id)
    const source = dialog === null ? undefined : model.runs.get(dialog.id)
    const attempt = source === undefined ? "" : ` as attempt ${source.checkpoint.attempt + 1}`
    return stay(
      withToast(
        {
          ...model,
          dialog: dialog === null ? model.dialog : null,
          drafts,
          awaited: answer.id,
          selected: model.runs.has(answer.id) ? `run:${answer.id}` : model.selected,
          started: new Set([...model.started, answer.id])
        },
        `Started ${answer.id}${attempt} · same as: ${twin}`,
        "good"
      )
    )
  }
  const { decision } = answer
  if (dialog === null) return stay(withToast(model, `${decision.message} ${decision.detail}`, "bad"))
  const was = dialog.decision
  return shown(model, {
    ...dialog,
    decision,
    step: "ready",
    option: defaultOption(decision),
    focus: "options",
    changed: was === null ? null : `Changed: was ${wordOf(was)}, now ${wordOf(decision)}.`
  })
}
