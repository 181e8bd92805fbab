/** Which of the conversations that were found become checkpoints. Pure. */
import type { Time } from "../checkpoint/Checkpoint.js"
import type { FoundConversation } from "../provider/FoundConversation.js"

/** Why a conversation is left where it is. */
export type LeftWhy =
  /** The agent's last answer was complete: nothing was interrupted. */
  | "finished"
  /** A checkpoint has it already. */
  | "known"
  /** A process has it open, or may have: it was written to a moment ago. */
  | "in_use"
  /** Its folder is gone. */
  | "folder_missing"

/** A program that leaves no sign of being at work has written nothing for this long once it is over, ms. */
export const quietMs = 2 * 60_000

/** What stands in the way of an import; `null`: nothing. */
export const leftWhy = (
  found: FoundConversation,
  { known, now }: { readonly known: ReadonlySet<string>; readonly now: Time }
): Exclude<LeftWhy, "folder_missing"> | null => {
  if (known.has(found.id)) return "known"
  if (found.stopped === null) return "finished"
  if (found.inUse === "unknown") return now - found.lastActivityAt < quietMs ? "in_use" : null
  return found.inUse ? "in_use" : null
}
