/** What became of runs that were to be cancelled, as JSON. */
import type { Checkpoint } from "../checkpoint/Checkpoint.js"
import type { Survivor } from "../host/HostProcesses.js"
import { reasonDocument } from "./checkpointDocument.js"
import type { CancelOutcome, CancelResultDocument } from "./schema/cancelResult.js"

/** One run that was to be cancelled, as it is now. */
export interface Cancelled {
  readonly checkpoint: Pick<Checkpoint, "id" | "state" | "reason">
  readonly outcome: CancelOutcome
  /** Processes of the run that were ended by this command. */
  readonly ended: ReadonlyArray<Pick<Survivor, "pid" | "command">>
  /** Processes of the run that are left. */
  readonly left: ReadonlyArray<Pick<Survivor, "pid" | "command">>
}

export const cancelResultDocument = (results: ReadonlyArray<Cancelled>): CancelResultDocument => ({
  kind: "cancel_result",
  version: 1,
  items: results.map(({ checkpoint, ended, left, outcome }) => ({
    checkpoint_id: checkpoint.id,
    outcome,
    state: checkpoint.state,
    reason: reasonDocument(checkpoint.reason),
    ended_processes: ended.map(({ command, pid }) => ({ pid, command })),
    left_processes: left.map(({ command, pid }) => ({ pid, command }))
  }))
})
