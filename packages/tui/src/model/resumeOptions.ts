/**
 * What a person can choose for a decision, in the order of the keys 1, 2, 3, and which is chosen when nothing is: always
 * the one that loses nothing and starts nothing by surprise.
 */
import type { Decision } from "@alluka/core"
import type { ResumeOption } from "./Dialog.js"

const option = (
  kind: ResumeOption["kind"],
  title: string,
  consents: ReadonlyArray<Decision.Consent> = [],
  target: string | null = null
): ResumeOption => ({ kind, title, consents, target })

const ofAlternative = (alternative: Decision.Alternative, decision: Decision.Decision): ReadonlyArray<ResumeOption> => {
  const { action, title, consents, argv } = alternative
  switch (action) {
    case "resume_with_consent":
      return [option("consent", title, consents)]
    case "fresh":
      return [option("fresh", title, consents)]
    case "resume":
      // A placeholder in the command is a question that this screen asks.
      if (argv.includes("MODEL")) return [option("model", title)]
      return [option("select", title, [], decision.facts.tip ?? argv[1] ?? null)]
    case "relocate":
      return [option("relocate", title)]
    case "watch":
      return [option("watch", title, [], decision.facts.holder ?? argv.at(-1) ?? null)]
    case "follow_up":
      return [option("follow_up", title)]
    case "open":
      return [option("open", title)]
    case "wait":
      return [option("wait", title)]
    // A new task run and "leave it" are not ways to resume this checkpoint; leaving is added once, at the end.
    case "new_run":
    case "leave":
      return []
  }
}

export const resumeOptions = (decision: Decision.Decision): ReadonlyArray<ResumeOption> => {
  switch (decision.status) {
    case "resuming_same_session":
      return [option("resume", "Resume"), option("leave", "Cancel")]
    case "falling_back_to_fresh_invocation":
      return [option("fresh", "Start fresh", ["fresh"]), option("leave", "Keep as is")]
    case "refusing_to_resume": {
      const others = decision.alternatives.flatMap((alternative) => ofAlternative(alternative, decision))
      return [...others, option("leave", decision.requires.includes("fresh") ? "Keep as is" : "Leave it")]
    }
  }
}

/** The option that Enter stands for when the dialog opens: resuming only where nothing is lost. */
export const defaultOption = (decision: Decision.Decision): number => {
  const options = resumeOptions(decision)
  if (decision.status === "resuming_same_session") return 0
  const watch = options.findIndex(({ kind }) => kind === "watch")
  return watch >= 0 ? watch : options.length - 1
}

/** Whether the dialog has a place for a follow-up: wherever a choice starts the agent again. */
export const takesFollowUp = (decision: Decision.Decision): boolean =>
  resumeOptions(decision).some(({ kind }) => ["resume", "consent", "fresh", "relocate", "model"].includes(kind))
