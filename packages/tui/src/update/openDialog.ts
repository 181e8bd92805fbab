/** Opening the dialogs. */
import type { Command } from "../model/Command.js"
import type { CancelDialog, HelpDialog, ResumeDialog, RunDialog } from "../model/Dialog.js"
import type { Model } from "../model/Model.js"
import { phaseOf, type Run } from "../model/Run.js"
import { emptyField, fieldOf } from "../model/textField.js"
import { isWaiting } from "../model/waiting.js"
import { nothingToResume } from "./sentences.js"
import { asking, type Step, stay, withToast } from "./step.js"

const lookup = (model: Model, ids: ReadonlyArray<string>): ReadonlyArray<Run> =>
  ids.flatMap((id) => model.runs.get(id) ?? [])

const named = ({ checkpoint }: Run): { readonly id: string; readonly title: string } => ({
  id: checkpoint.id,
  title: checkpoint.title
})

/** Asks anew what a resume would do, with what the person has agreed to. */
export const deciding = (model: Model, dialog: ResumeDialog, step: "deciding" | "checking"): Step => {
  const token = model.questions + 1
  const command: Command = {
    _tag: "Decide",
    token,
    id: dialog.id,
    ask: {
      consents: dialog.consents,
      cd: dialog.cd,
      model: dialog.model,
      instruction: dialog.field.text.trim() === "" ? null : dialog.field.text
    }
  }
  return asking({ ...model, questions: token, dialog: { ...dialog, step, token, trouble: null } }, command)
}

export const openResume = (model: Model, ids: ReadonlyArray<string>): Step => {
  const runs = lookup(model, ids)
  const [run] = runs
  if (run === undefined) return stay(withToast(model, "Select a run first.", "warn"))
  if (model.marks.size > 0) return openResumeMany(model, runs)
  const { id, title } = run.checkpoint
  const dialog: ResumeDialog = {
    kind: "resume",
    id,
    title,
    decision: null,
    consents: [],
    cd: null,
    model: null,
    field: fieldOf(model.drafts.get(id) ?? ""),
    focus: "options",
    option: 0,
    value: emptyField,
    asking: null,
    step: "deciding",
    token: 0,
    changed: null,
    trouble: null
  }
  return deciding(model, dialog, "deciding")
}

/** Of the marked runs only those go on together that need nobody's word. */
const openResumeMany = (model: Model, runs: ReadonlyArray<Run>): Step => {
  const why = (run: Run): string | null => {
    const never = nothingToResume(run)
    if (never !== null) return never
    const { decision } = run
    if (decision === null) return "not decided yet"
    return decision.status === "resuming_same_session" ? null : decision.reason
  }
  return stay({
    ...model,
    dialog: {
      kind: "resumeMany",
      go: runs.filter((run) => why(run) === null).map(named),
      skip: runs.flatMap((run) => {
        const reason = why(run)
        return reason === null ? [] : [{ ...named(run), why: reason }]
      })
    }
  })
}

export const openCancel = (model: Model, ids: ReadonlyArray<string>): Step => {
  const runs = lookup(model, ids).filter(
    (run) => isWaiting(model, run) || (run.checkpoint.state === "running" && run.checkpoint.cancelRequested === null)
  )
  if (runs.length === 0) return stay(withToast(model, "None of the marked runs is running.", "warn"))
  const dialog: CancelDialog = { kind: "cancel", runs: runs.map(named) }
  return stay({ ...model, dialog })
}

/** Providers that can be chosen for a new run: those that are installed; the demo last. */
const choices = (model: Model): ReadonlyArray<string> => {
  const installed = (model.providers ?? []).filter((provider) => provider.installed).map(({ id }) => id)
  return [...installed.filter((id) => id !== "demo"), ...installed.filter((id) => id === "demo")]
}

export const openRun = (model: Model, session: RunDialog["session"]): Step => {
  const providers = choices(model)
  const before =
    session === null
      ? [...model.runs.values()].toSorted((a, b) => b.checkpoint.seq - a.checkpoint.seq)[0]
      : [...model.runs.values()].find(({ checkpoint }) => checkpoint.sessionId === session.id)
  const usual = before === undefined ? -1 : providers.indexOf(phaseOf(before).provider)
  const dialog: RunDialog = {
    kind: "run",
    session,
    prompt: fieldOf(model.drafts.get("new") ?? ""),
    providers,
    provider: Math.max(0, usual),
    model: emptyField,
    thinking: 0,
    permission: "edit",
    focus: "prompt",
    step: "ready",
    trouble: null
  }
  return asking({ ...model, dialog }, { _tag: "FindProviders" })
}

export const openRename = (model: Model, { checkpoint }: Run): Step =>
  stay({ ...model, dialog: { kind: "rename", id: checkpoint.id, field: fieldOf(checkpoint.title) } })

export const openHelp = (model: Model, kind: HelpDialog["kind"]): Step =>
  stay({ ...model, dialog: { kind, field: emptyField, selected: 0 } })
