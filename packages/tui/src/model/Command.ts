/** What the monitor wants done outside of itself. The reducer only says so; `feed/` and `terminal/` do it. */
import type { Decision } from "@alluka/core"
import type { Preferences } from "./Model.js"
import type { GroupName } from "./Run.js"

/** What is asked of a resume: the flags of its command line. */
export interface Ask {
  readonly consents: ReadonlyArray<Decision.Consent>
  readonly cd: string | null
  readonly model: string | null
  readonly instruction: string | null
}

export type Command =
  | {
      readonly _tag: "Refresh"
      readonly generation: number
      readonly since: number | null
      readonly folder: string | null
    }
  | {
      readonly _tag: "ReadMore"
      readonly generation: number
      readonly group: GroupName
      readonly cursors: ReadonlyArray<string | null>
      readonly since: number | null
      readonly folder: string | null
    }
  /** Reads the details of the selected run, once the selection has come to rest. */
  | { readonly _tag: "Inspect"; readonly id: string | null }
  | { readonly _tag: "Decide"; readonly token: number; readonly id: string; readonly ask: Ask }
  | {
      readonly _tag: "Launch"
      readonly argv: ReadonlyArray<string>
      /** Goes to the launched process by stdin, never as an argument. */
      readonly input: string | null
      /** The run that is resumed; `null`: a new one. */
      readonly from: string | null
      /** The same from a shell, for the toast. */
      readonly twin: string
    }
  | { readonly _tag: "LaunchMany"; readonly ids: ReadonlyArray<string> }
  | { readonly _tag: "Cancel"; readonly ids: ReadonlyArray<string>; readonly twin: string }
  | { readonly _tag: "Dismiss"; readonly ids: ReadonlyArray<string>; readonly twin: string }
  | { readonly _tag: "Rename"; readonly id: string; readonly title: string }
  | { readonly _tag: "Copy"; readonly text: string; readonly what: string }
  /** Keeps the task lists up to date while they are looked at. */
  | { readonly _tag: "WatchTasks"; readonly on: boolean }
  | {
      readonly _tag: "SaveTask"
      /** `null`: a new one. */
      readonly id: string | null
      readonly cwd: string
      readonly prompt: string
      readonly twin: string
    }
  | {
      readonly _tag: "MoveTask"
      readonly id: string
      readonly place: { readonly before: string } | { readonly after: string }
      readonly twin: string
    }
  | {
      readonly _tag: "RejectTask"
      readonly id: string
      readonly status: "todo" | "rejected"
      readonly twin: string
    }
  | { readonly _tag: "StopTasks"; readonly cwd: string; readonly twin: string }
  | { readonly _tag: "FindProviders" }
  | { readonly _tag: "CountImportable" }
  | { readonly _tag: "Import"; readonly twin: string }
  /** Reads the raw output of a run and follows it; `null`: stops. */
  | { readonly _tag: "FollowRaw"; readonly id: string | null }
  | { readonly _tag: "EditText"; readonly text: string }
  | { readonly _tag: "PageText"; readonly text: string }
  /** Gives the terminal to another command of ours until it ends. */
  | { readonly _tag: "Foreground"; readonly argv: ReadonlyArray<string> }
  | { readonly _tag: "SavePreferences"; readonly preferences: Preferences }
  | { readonly _tag: "Notify"; readonly text: string }
  | { readonly _tag: "Mouse"; readonly on: boolean }
  | { readonly _tag: "Repaint" }
  | { readonly _tag: "Suspend" }
  | { readonly _tag: "Quit" }
