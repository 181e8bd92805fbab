/** The port to folders: does it exist, where does it lead, what changed in it. */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { Changes, Workspace } from "../checkpoint/Checkpoint.js"

/** The folder cannot be worked in. The `code`s are reasons of the resume decision too. */
export class WorkspaceUnusable extends Data.TaggedError("WorkspaceUnusable")<{
  readonly code: "workspace_missing" | "workspace_not_a_directory" | "workspace_not_accessible"
  readonly path: string
  readonly detail: string
}> {
  override get message(): string {
    return this.detail
  }
}

/** What differs in a workspace since a run stopped: warnings, never gates. */
export interface Drift {
  readonly head: { readonly before: string; readonly now: string } | null
  readonly branch: { readonly before: string; readonly now: string } | null
  /** Files with uncommitted changes now; a bounded list. */
  readonly dirty: ReadonlyArray<string>
}

export class Workspaces extends Context.Tag("@alluka/core/Workspaces")<
  Workspaces,
  {
    /** Resolves a folder and its git position. */
    readonly resolve: (path: string) => Effect.Effect<Workspace, WorkspaceUnusable>
    readonly drift: (workspace: Workspace) => Effect.Effect<Drift>
    /** What changed against the head the run began at; `null` outside git. */
    readonly changesSince: (workspace: Workspace) => Effect.Effect<Changes | null>
  }
>() {}
