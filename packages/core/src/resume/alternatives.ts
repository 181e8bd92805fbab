/** What a person could do instead, each with the command that does it (without the program's name). */
import type { Checkpoint } from "../checkpoint/Checkpoint.js"
import { type Alternative, type Consent, consentFlag } from "./Decision.js"

export const leave: Alternative = { action: "leave", title: "Leave it", consents: [], argv: [] }

export const resume = (id: string): Alternative => ({
  action: "resume",
  title: `Resume ${id}`,
  consents: [],
  argv: ["resume", id]
})

export const watch = (id: string): Alternative => ({
  action: "watch",
  title: "Watch it live",
  consents: [],
  argv: ["runs", "watch", id]
})

export const withConsents = (checkpoint: Checkpoint, consents: ReadonlyArray<Consent>, title: string): Alternative => ({
  action: "resume_with_consent",
  title,
  consents,
  argv: ["resume", checkpoint.id, ...consents.map((consent) => consentFlag[consent])]
})

export const fresh = (checkpoint: Checkpoint, more: ReadonlyArray<Consent> = []): Alternative => ({
  action: "fresh",
  title: "Start fresh from the original task",
  consents: ["fresh", ...more],
  argv: ["resume", checkpoint.id, consentFlag.fresh, ...more.map((consent) => consentFlag[consent])]
})

export const followUp = (checkpoint: Checkpoint): Alternative => ({
  action: "follow_up",
  title: "Start a new run in its session",
  consents: [],
  argv: ["run", "--session", checkpoint.sessionId]
})

export const relocate = (checkpoint: Checkpoint): Alternative => ({
  action: "relocate",
  title: "Name the folder where the work is now",
  consents: [],
  argv: ["resume", checkpoint.id, "--cd", "DIR"]
})

export const waitForReset = (checkpoint: Checkpoint): Alternative => ({
  action: "wait",
  title: "Wait for the reset, then resume",
  consents: [],
  argv: ["resume", checkpoint.id, "--continue-at-reset"]
})

export const withModel = (checkpoint: Checkpoint): Alternative => ({
  action: "resume",
  title: "Name another model",
  consents: [],
  argv: ["resume", checkpoint.id, "--model", "MODEL"]
})

/** The same for a task loop: it resumes by its own command, and is told by its own flag that fresh will do. */
export const ofTask = (alternative: Alternative): Alternative => {
  const [command, id, ...flags] = alternative.argv
  if (command !== "resume" || id === undefined || flags.includes("--cd")) return alternative
  return {
    ...alternative,
    argv: [
      "task",
      "run",
      "resume",
      ...flags.flatMap((flag) => (flag === consentFlag.fresh ? ["--on-lost-session", "fresh"] : [flag]))
    ]
  }
}

export const taskResume = (): Alternative => ({
  action: "resume",
  title: "Go on with the saved session",
  consents: [],
  argv: ["task", "run", "resume"]
})

export const taskNoResume = (): Alternative => ({
  action: "new_run",
  title: "Start without it",
  consents: [],
  argv: ["task", "run", "loop", "--max-tasks", "1", "--no-resume"]
})
