/** What the death of an owner makes of its running checkpoint. Pure; the store writes the same in SQL. */
import type { Checkpoint, Time } from "../checkpoint/Checkpoint.js"
import { reasonOf } from "../checkpoint/reason.js"
import { stateOfReason } from "../checkpoint/state.js"

export type DeathCause = "owner_lost" | "host_restarted"

/** The sentence that the reason of a dead owner's run says. */
export const deathMessage: Readonly<Record<DeathCause, string>> = {
  owner_lost: "the process that owned this run ended unexpectedly",
  host_restarted: "the machine was restarted while the run was going"
}

/** The same for a run whose cancel was asked for before its owner died. */
export const cancelledAtDeathMessage = "cancelled; the owning process ended before it could say so"

/**
 * The checkpoint as it is once its owner is known to be dead: cancelled where that had been asked for, else interrupted;
 * ended when it was last active. An ended checkpoint stays as it is.
 */
export const afterDeath = (checkpoint: Checkpoint, cause: DeathCause, reconciledAt: Time): Checkpoint => {
  if (checkpoint.state !== "running") return checkpoint
  const cancel = checkpoint.cancelRequested
  const code = cancel?.code ?? cause
  const reason = reasonOf(code, cancel === null ? deathMessage[cause] : cancelledAtDeathMessage)
  return {
    ...checkpoint,
    state: stateOfReason(code),
    reason,
    endedAt: Math.max(checkpoint.startedAt, checkpoint.progress.position.lastActivityAt),
    reconciledAt
  }
}
