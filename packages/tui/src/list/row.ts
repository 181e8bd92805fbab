/** What a list shows of a run. Every text is one line and safe for a terminal from here on. */
import { Checkpoint, type Decision, type State, TerminalText, Text } from "@alluka/core"

export interface RunRow {
  readonly id: string
  readonly state: State.State
  readonly title: string
  readonly provider: string
  readonly model: string
  readonly agent: string
  /** 1 for a run that was never resumed. */
  readonly attempt: number
  /** When it ended, or was last active, ms. */
  readonly at: number
  /** What is worth knowing besides: why it stopped, what it does now. */
  readonly note: string
}

export const line = (text: string): string => Text.oneLine(TerminalText.terminalText(text, { singleLine: true }), 500)

/** The row of a checkpoint. `decision`: what a resume would be, where the caller has asked. */
export const rowOf = (checkpoint: Checkpoint.Checkpoint, decision: Decision.Decision | null = null): RunRow => {
  const phase = Checkpoint.currentPhase(checkpoint.progress)
  return {
    id: checkpoint.id,
    state: checkpoint.state,
    title: line(checkpoint.title) || "(no title)",
    provider: line(phase.provider),
    model: modelText(phase.model),
    agent: line(checkpoint.agent),
    attempt: checkpoint.attempt,
    at: checkpoint.endedAt ?? checkpoint.progress.position.lastActivityAt,
    note: noteOf(checkpoint, decision)
  }
}

/** The model in one word, or both where the provider reported another than was asked for. */
export const modelText = ({ requested, actual }: Checkpoint.Setting): string => {
  if (requested !== null && actual !== null && requested !== actual) return `${line(requested)} → ${line(actual)}`
  return line(requested ?? actual ?? "")
}

const noteOf = (checkpoint: Checkpoint.Checkpoint, decision: Decision.Decision | null): string => {
  const { progress, reason } = checkpoint
  const { model } = Checkpoint.currentPhase(progress)
  const exit = progress.providerExit
  const differs = model.requested !== null && model.actual !== null && model.requested !== model.actual
  return [
    ...(checkpoint.state === "running" ? [activity(progress)] : []),
    ...(checkpoint.state === "running" && checkpoint.cancelRequested !== null ? ["cancel asked for"] : []),
    ...(reason === null ? [] : [line(reason.message)]),
    ...(checkpoint.state === "completed" && exit !== null && exit.code !== 0
      ? [`ended with ${exit.signal ?? `exit code ${exit.code}`} after its success`]
      : []),
    ...(differs ? [`model requested ${line(model.requested ?? "")}, actual ${line(model.actual ?? "")}`] : []),
    ...(progress.denied > 0 ? [`${progress.denied} refused by permission`] : []),
    ...(decision !== null && checkpoint.state !== "running" ? asked(decision) : [])
  ].join(" · ")
}

const activity = ({ position }: Checkpoint.Progress): string =>
  position.openTool === null ? `turn ${position.turn}` : `turn ${position.turn}, ${line(position.openTool.name)}`

/** What a resume would need from a person. */
const asked = (decision: Decision.Decision): ReadonlyArray<string> =>
  decision.status === "refusing_to_resume" && decision.requires.length > 0
    ? [`needs your yes: ${decision.requires.map((consent) => consent.replaceAll("_", " ")).join(", ")}`]
    : []
