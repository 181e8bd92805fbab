/** The port that puts a folder back to how it was when a task began, without losing anything. */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { Workspace } from "../checkpoint/Checkpoint.js"

/** The folder was left as it is; `detail` says why, in one sentence. What was saved before is named in it. */
export class RevertFailed extends Data.TaggedError("RevertFailed")<{
  readonly operation: string
  readonly detail: string
}> {
  override get message(): string {
    return this.detail
  }
}

export interface Reverted {
  /** The git branch that holds everything that was there before the revert. */
  readonly savedAs: string
  readonly commit: string
  readonly files: number
}

export class Reverts extends Context.Tag("@alluka/core/Reverts")<
  Reverts,
  {
    /**
     * Remembers how a folder is now, under a name: its files (ignored ones left out) and its commit. Changes nothing in it.
     * Remembering again under the same name keeps the first.
     */
    readonly remember: (workspace: Workspace, name: string) => Effect.Effect<void, RevertFailed>
    /** Saves the folder as it is as a branch `alluka/{name}`, then puts it back to what was remembered. */
    readonly revert: (workspace: Workspace, name: string) => Effect.Effect<Reverted, RevertFailed>
    /** Drops what was remembered. Saved branches stay. */
    readonly forget: (workspace: Workspace, name: string) => Effect.Effect<void>
  }
>() {}
