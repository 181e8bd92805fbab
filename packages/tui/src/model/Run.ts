/** A checkpoint as the monitor holds it: the record, what a resume would be by the record alone, and its group. */
import { Checkpoint, type Decision } from "@alluka/core"
import { changesAt } from "../list/index.js"

export interface Run {
  readonly checkpoint: Checkpoint.Checkpoint
  /** Decided from the record alone; `null` until it was asked for. */
  readonly decision: Decision.Decision | null
  /** The folder as it may be shown: redacted, the home folder as `~`. */
  readonly folder: string
}

export const groupNames = ["attention", "live", "history"] as const
export type GroupName = (typeof groupNames)[number]

export const groupTitles: Readonly<Record<GroupName, string>> = {
  attention: "NEEDS ATTENTION",
  live: "LIVE",
  history: "HISTORY"
}

/** The group a run stands in. A dismissed one is history, whatever its end was. */
export const groupOf = ({ state, dismissedAt }: Checkpoint.Checkpoint): GroupName =>
  state === "running"
    ? "live"
    : dismissedAt === null && (state === "interrupted" || state === "failed")
      ? "attention"
      : "history"

/** When the run ended, or was last active, ms. */
export const lastTime = ({ endedAt, progress }: Checkpoint.Checkpoint): number =>
  endedAt ?? progress.position.lastActivityAt

/** How long a running one has been silent, ms. */
export const silence = (checkpoint: Checkpoint.Checkpoint, now: number): number =>
  checkpoint.state === "running" ? Math.max(0, now - checkpoint.progress.position.lastActivityAt) : 0

/** A running one without output for longer than this is marked as silent, ms. */
export const silentAfterMs = 120_000

export const isSilent = (checkpoint: Checkpoint.Checkpoint, now: number): boolean => {
  const { openTool, lastActivityAt } = checkpoint.progress.position
  if (checkpoint.state !== "running" || openTool !== null) return false
  const from = lastActivityAt + silentAfterMs
  if (now < from) changesAt(from)
  return now >= from
}

export const phaseOf = (run: Run): Checkpoint.Phase => Checkpoint.currentPhase(run.checkpoint.progress)

/** The model's name: what was asked for, else what the provider reported. */
export const modelName = (phase: Checkpoint.Phase): string => phase.model.requested ?? phase.model.actual ?? ""

/** Whether a resume waits for a person's word. */
export const needsDecision = ({ decision }: Run): boolean => decision !== null && decision.requires.length > 0
