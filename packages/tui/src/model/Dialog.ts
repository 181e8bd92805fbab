/** The dialogs. Each replaces a part of the screen; none floats over another. */
import type { Decision, State } from "@alluka/core"
import type { TextField } from "./textField.js"

/** What a person can choose in the resume dialog. */
export interface ResumeOption {
  readonly kind:
    | "resume"
    | "consent"
    | "fresh"
    | "relocate"
    | "model"
    | "watch"
    | "select"
    | "follow_up"
    | "wait"
    | "open"
    | "leave"
  readonly title: string
  readonly consents: ReadonlyArray<Decision.Consent>
  /** The run meant by `watch` and `select`. */
  readonly target: string | null
}

export interface ResumeDialog {
  readonly kind: "resume"
  readonly id: string
  readonly title: string
  /** `null`: being decided. */
  readonly decision: Decision.Decision | null
  /** What the person has agreed to so far. */
  readonly consents: ReadonlyArray<Decision.Consent>
  /** Another folder or model, where the person gave one. */
  readonly cd: string | null
  readonly model: string | null
  readonly field: TextField
  readonly focus: "text" | "options" | "value"
  readonly option: number
  /** A folder or a model that is being typed. */
  readonly value: TextField
  readonly asking: "cd" | "model" | null
  readonly step: "deciding" | "ready" | "checking" | "starting"
  /** Which question the next answer belongs to. */
  readonly token: number
  /** What is new since the person last looked. */
  readonly changed: string | null
  readonly trouble: string | null
}

export interface CancelDialog {
  readonly kind: "cancel"
  readonly runs: ReadonlyArray<{ readonly id: string; readonly title: string }>
}

/** Several marked runs at once: only those that need no word of a person. */
export interface ResumeManyDialog {
  readonly kind: "resumeMany"
  readonly go: ReadonlyArray<{ readonly id: string; readonly title: string }>
  readonly skip: ReadonlyArray<{ readonly id: string; readonly title: string; readonly why: string }>
}

export const runFields = ["prompt", "provider", "model", "thinking", "permission", "start"] as const
export type RunFieldName = (typeof runFields)[number]

export interface RunDialog {
  readonly kind: "run"
  /** The session that the run is added to; `null`: a new one. */
  readonly session: { readonly id: string; readonly title: string } | null
  readonly prompt: TextField
  readonly providers: ReadonlyArray<string>
  readonly provider: number
  readonly model: TextField
  readonly thinking: number
  readonly permission: State.Permission
  readonly focus: RunFieldName
  readonly step: "ready" | "starting"
  readonly trouble: string | null
}

export interface RenameDialog {
  readonly kind: "rename"
  readonly id: string
  readonly field: TextField
}

/** Help and the palette: the same entries, grouped by kind or ranked by what is typed. */
export interface HelpDialog {
  readonly kind: "help" | "palette"
  readonly field: TextField
  readonly selected: number
}

/** A task that is written. */
export interface TaskDialog {
  readonly kind: "task"
  /** `null`: a new one. */
  readonly id: string | null
  /** The folder that it belongs to, as it is shown. */
  readonly folder: string
  readonly field: TextField
  readonly step: "ready" | "saving"
  readonly trouble: string | null
}

/** Which tasks are to be done. */
export interface StartTasksDialog {
  readonly kind: "startTasks"
  readonly id: string
  readonly title: string
  readonly folder: string
  /** How many of the folder can be done. */
  readonly open: number
  readonly option: number
}

export type Dialog =
  | TaskDialog
  | StartTasksDialog
  | ResumeDialog
  | CancelDialog
  | ResumeManyDialog
  | RunDialog
  | RenameDialog
  | HelpDialog

export const isHelp = (dialog: Dialog): dialog is HelpDialog => dialog.kind === "help" || dialog.kind === "palette"

/** Characters of a follow-up at most. */
export const maxFollowUp = 4000
/** Characters of a new run's prompt at most. */
export const maxPrompt = 20_000
