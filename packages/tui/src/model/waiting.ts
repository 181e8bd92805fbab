/** A run that stopped at a usage limit and is to go on by itself when the limit resets. */
import type { Model } from "./Model.js"
import type { Run } from "./Run.js"

/**
 * Whether a process has begun to wait for the run's reset and was not told to stop. Known of the run whose details are read;
 * that the process still lives cannot be told.
 */
export const isWaiting = ({ detail }: Model, { checkpoint }: Run): boolean =>
  checkpoint.state === "interrupted" &&
  checkpoint.resumedBy === null &&
  detail?.id === checkpoint.id &&
  detail.entries.findLast(
    ({ checkpointId, kind }) =>
      checkpointId === checkpoint.id && (kind === "waiting_for_reset" || kind === "cancel_requested")
  )?.kind === "waiting_for_reset"
