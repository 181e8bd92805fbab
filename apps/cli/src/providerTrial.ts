/** What a tiny conversation with a resume showed of a provider, held against what it declares. Pure. */
import { type Capabilities, Checkpoint, type Decision, type Documents, sameModel } from "@alluka/core"

export interface Trial {
  readonly capabilities: Capabilities.Capabilities
  readonly first: Checkpoint.Checkpoint
  /** `null`: it did not come to a second run. */
  readonly second: Checkpoint.Checkpoint | null
  /** What was decided about the second run. */
  readonly decision: Decision.Decision | null
  /** What the first run was asked to remember, and what the second one answered. */
  readonly word: string
  readonly answer: string
}

type Check = Documents.Check

const check = (id: string, status: Check["status"], message: string, detail: string | null = null): Check => ({
  id,
  status,
  message,
  detail,
  try: []
})

const begin = (word: string): string =>
  `Remember this word: ${word}. Do nothing else, use no tools, and answer with OK alone.`
const goOn = "Which word were you asked to remember? Answer with that word alone, and use no tools."
export const prompts = { begin, goOn }

/** One check for each thing that a resume should keep. */
export const checksOf = (trial: Trial): ReadonlyArray<Check> => {
  const { first, second } = trial
  if (first.state !== "completed") return [check("run", "problem", ended("the first run", first), whyOf(first))]
  const ran = check("run", "ok", "the first run completed")
  if (second === null) return [ran, notResumed(trial)]
  if (second.state !== "completed") {
    return [ran, check("resume", "problem", ended("the run that went on", second), whyOf(second))]
  }
  return [
    ran,
    check("resume", "ok", "the run that went on completed"),
    conversation(trial, second),
    model(trial, second),
    setting("thinking", first, second),
    permission(trial, second)
  ]
}

const ended = (which: string, { state }: Checkpoint.Checkpoint): string => `${which} ended ${state}`
const whyOf = ({ reason }: Checkpoint.Checkpoint): string | null =>
  reason === null ? null : `${reason.code}: ${reason.message}`

const notResumed = ({ capabilities, decision }: Trial): Check =>
  capabilities.continuation === "none"
    ? check("resume", "skipped", "it declares that it cannot continue a conversation")
    : check("resume", "problem", decision?.message ?? "nothing went on", decision?.detail ?? null)

/** The same conversation is the one that knows what was said before; an id alone proves less. */
const conversation = ({ answer, decision, first, word }: Trial, second: Checkpoint.Checkpoint): Check => {
  const [before, now] = [sessionOf(first), sessionOf(second)]
  if (decision?.status !== "resuming_same_session" || before !== now) {
    return check("conversation", "problem", "the second run was not in the same conversation", `${before}, then ${now}`)
  }
  return answer.includes(word)
    ? check("conversation", "ok", "it knew what was said in the first run")
    : check(
        "conversation",
        "warning",
        "the conversation has the same id, but the answer does not show that it knew what was said",
        answer === "" ? null : answer.slice(0, 200)
      )
}

const sessionOf = ({ progress }: Checkpoint.Checkpoint): string | null =>
  Checkpoint.currentPhase(progress).providerSession?.id ?? null

const model = ({ first }: Trial, second: Checkpoint.Checkpoint): Check => {
  const before = Checkpoint.currentPhase(first.progress).model
  const now = Checkpoint.currentPhase(second.progress).model
  const wanted = before.requested ?? before.actual
  if (wanted === null || now.actual === null) return check("model", "skipped", "it does not tell which model answered")
  return sameModel(wanted, now.actual)
    ? check("model", "ok", `the same model: ${now.actual}`)
    : check("model", "problem", "another model answered", `${wanted}, then ${now.actual}`)
}

const setting = (name: "thinking", first: Checkpoint.Checkpoint, second: Checkpoint.Checkpoint): Check => {
  const wanted = Checkpoint.currentPhase(first.progress)[name].requested
  const now = Checkpoint.currentPhase(second.progress)[name].actual
  if (wanted === null) return check(name, "skipped", "no level was asked for; name one with --thinking")
  if (now === null)
    return check(name, "skipped", `level ${wanted} was given again; the program does not tell which it used`)
  return now === wanted
    ? check(name, "ok", `the same level: ${now}`)
    : check(name, "problem", "another level was used", `${wanted}, then ${now}`)
}

const permission = ({ capabilities, first }: Trial, second: Checkpoint.Checkpoint): Check => {
  const wanted = capabilities.permissions[first.spec.permission] ?? null
  const now = second.progress.permissionActual
  if (now === null || wanted === null) {
    return check("permission", "skipped", `"${wanted}" was given again; the program does not tell which it used`)
  }
  return now === wanted
    ? check("permission", "ok", `the same permission: ${now}`)
    : check("permission", "problem", "another permission was used", `${wanted}, then ${now}`)
}
