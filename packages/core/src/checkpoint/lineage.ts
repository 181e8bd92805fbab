/** The attempts at one task: which of them stands for all. Pure; lineages are given oldest first. */
import type { Checkpoint } from "./Checkpoint.js"

/** Whether an attempt reached the conversation: the first did by itself, a later one when the checkpoint it resumes says so. */
export const reached = (attempt: Checkpoint, lineage: ReadonlyArray<Checkpoint>): boolean =>
  attempt.resumedFrom === null ||
  lineage.some((source) => source.id === attempt.resumedFrom && source.resumedBy === attempt.id)

/** The newest attempt that reached the conversation, else the root. */
export const tipOf = (lineage: ReadonlyArray<Checkpoint>): Checkpoint | null =>
  lineage.findLast((attempt) => reached(attempt, lineage)) ?? null
