/**
 * What the provider is told at a resume. In a kept conversation: that it was interrupted, and the instruction, once. At a
 * fresh start: what we recorded. Pure.
 */
import type { Checkpoint } from "../checkpoint/Checkpoint.js"
import type { StoredEvent } from "../checkpoint/Event.js"
import type { SessionInspection } from "../provider/Provider.js"
import { conversationSeen } from "./Facts.js"

const interruptedSentence = (checkpoint: Checkpoint): string => {
  const why = checkpoint.reason === null ? "" : ` (${checkpoint.reason.code.replaceAll("_", " ")})`
  return `The previous run of this task stopped before it was finished${why}.`
}

const caution =
  "Your last action may or may not have taken effect: check the present state before you repeat or build on it."

/** Whether the provider's own storage holds the original prompt. */
export type Arrived = "yes" | "no" | "unknown"

export const arrivedBy = (session: SessionInspection | null | undefined): Arrived =>
  session?.promptMissing === undefined ? "unknown" : session.promptMissing ? "no" : "yes"

/**
 * The prompt for the same conversation. The original task is in the conversation already and is not sent again, except
 * where the provider's storage lacks it, or, that not being known, our record shows no sign that it ever arrived.
 */
export const samePrompt = (checkpoint: Checkpoint, instruction: string | null, arrived: Arrived): string => {
  if (arrived === "no" || (arrived === "unknown" && !conversationSeen(checkpoint))) {
    return instruction === null ? checkpoint.spec.prompt : `${checkpoint.spec.prompt}\n\n${instruction}`
  }
  return [interruptedSentence(checkpoint), caution, "", instruction ?? "Continue the task from where it stopped."].join(
    "\n"
  )
}

/** The prompt for a new conversation about an old task. It never claims to be the same conversation. */
export const freshPrompt = (
  checkpoint: Checkpoint,
  instruction: string | null,
  events: ReadonlyArray<StoredEvent>
): string => {
  if (!conversationSeen(checkpoint)) {
    return instruction === null ? checkpoint.spec.prompt : `${checkpoint.spec.prompt}\n\n${instruction}`
  }
  const { openTool } = checkpoint.progress.position
  const steps = events
    .filter((event) => event.kind === "message" || event.kind === "tool_started" || event.kind === "tool_finished")
    .slice(-lastSteps)
    .map((event) => `- ${event.message}`)
  return [
    "You are taking over a task from an earlier conversation that you cannot see. This is what was recorded of it.",
    "",
    "Original task:",
    checkpoint.spec.prompt,
    ...(checkpoint.spec.instruction === null ? [] : ["", "Later instruction:", checkpoint.spec.instruction]),
    "",
    `${interruptedSentence(checkpoint)} ${caution}`,
    ...(steps.length === 0 ? [] : ["", "Last recorded steps:", ...steps]),
    ...(openTool === null
      ? []
      : ["", `The tool ${openTool.name} was at work when it stopped; its outcome is unknown.`]),
    "",
    instruction ?? "Look at the present state of the folder, then finish the task."
  ].join("\n")
}

const lastSteps = 12
