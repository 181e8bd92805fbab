/** Which pages of the store each group is made of. */
import { type CheckpointStore, Checkpoints, type State } from "@alluka/core"
import type { GroupName } from "./Run.js"

export type ListQuery = CheckpointStore.ListQuery

/** One list of the store that a group is filled from, read page by page. */
export interface Source {
  readonly states: ReadonlyArray<State.State>
  readonly dismissed: boolean | "only"
}

export const sources: Readonly<Record<GroupName, ReadonlyArray<Source>>> = {
  attention: [{ states: ["interrupted", "failed"], dismissed: false }],
  live: [{ states: ["running"], dismissed: false }],
  history: [
    { states: ["completed", "cancelled"], dismissed: false },
    { states: [], dismissed: "only" }
  ]
}

/** Rows of one page. */
export const pageSize = 100

export interface Narrowing {
  readonly since: number | null
  /** Real path of the only folder shown; `null`: all. */
  readonly folder: string | null
}

export const queryOf = (source: Source, cursor: string | null, { since, folder }: Narrowing): ListQuery => ({
  ...Checkpoints.everything,
  states: source.states,
  dismissed: source.dismissed,
  since,
  folder,
  limit: pageSize,
  cursor
})
