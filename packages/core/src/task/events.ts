/** The events by which a task's run tells where it is. Pure. */
import type { Checkpoint, Phase, Time } from "../checkpoint/Checkpoint.js"
import type { NewEvent, StoredEvent } from "../checkpoint/Event.js"
import { type GateCommand, gateLine } from "../checkpoint/GateCommand.js"
import type { PhaseSpec } from "../session/RunSpec.js"
import { type GateResult, howItFailed, storedExcerpt, type Verdict } from "./gate.js"

interface Entering {
  readonly phases: ReadonlyArray<Pick<PhaseSpec, "name" | "provider" | "model" | "thinking" | "permission">>
  /** Index of the phase that begins. */
  readonly phase: number
  readonly handover: { readonly text: string; readonly truncated: boolean }
  readonly at: Time
}

const numberOf = ({ phase, phases }: Pick<Entering, "phase" | "phases">): number => (phases.length > 1 ? phase + 1 : 0)

/** A phase begins. What it was handed is kept here, so that a resume can tell the agent the same once more. */
export const phaseEntered = (entering: Entering): NewEvent => {
  const { at, handover, phase, phases } = entering
  const entered = phases[phase]
  return {
    kind: "phase_entered",
    timestamp: at,
    phase: numberOf(entering),
    message: phases.length > 1 ? `phase ${phase + 1} of ${phases.length}: ${entered?.name}` : "begins",
    payload: {
      name: entered?.name ?? "run",
      of: phases.length,
      provider: entered?.provider ?? null,
      model: entered?.model ?? null,
      thinking: entered?.thinking ?? null,
      permission: entered?.permission ?? null,
      handover: handover.text === "" ? null : handover.text,
      handover_truncated: handover.truncated
    }
  }
}

/** What the phase that a run stopped in was handed, from its events. */
export const handoverIn = (events: ReadonlyArray<StoredEvent>, { progress }: Pick<Checkpoint, "progress">): string => {
  const phase: Phase | undefined = progress.phases[progress.phase]
  const entered = events.findLast(({ kind, payload }) => kind === "phase_entered" && payload.name === phase?.name)
  const handover = entered?.payload.handover
  return typeof handover === "string" ? handover : ""
}

/** The signatures of the gate's failures since it last passed, or since the attempts were given up, from all events. */
export const gateFailuresIn = (events: ReadonlyArray<StoredEvent>): ReadonlyArray<string> => {
  const results = events.filter(({ kind }) => kind === "gate_finished")
  const settled = results.findLastIndex(({ payload }) => payload.verdict !== "fix")
  return results
    .slice(settled + 1)
    .flatMap(({ payload }) => (typeof payload.signature === "string" ? [payload.signature] : []))
}

interface Gating {
  readonly command: GateCommand
  readonly phase: number
  /** Which try this is, from 1. */
  readonly attempt: number
  readonly at: Time
}

export const gateStarted = ({ at, attempt, command, phase }: Gating): NewEvent => ({
  kind: "gate_started",
  timestamp: at,
  phase,
  message: `check: ${gateLine(command)}`,
  payload: { command: command.argv, shell: command.shell, timeout_ms: command.timeoutMs, attempt }
})

export const gateFinished = (
  { at, attempt, command, phase }: Gating,
  result: GateResult,
  verdict: Verdict
): NewEvent => {
  const excerpt = storedExcerpt(result.excerpt)
  return {
    kind: "gate_finished",
    timestamp: at,
    phase,
    message: result.ok
      ? `check passed: ${gateLine(command)}`
      : `check failed (${howItFailed(result)}): ${gateLine(command)}`,
    payload: {
      ok: result.ok,
      exit_code: result.exitCode,
      signal: result.signal,
      timed_out: result.timedOut,
      elapsed_ms: result.elapsedMs,
      attempt,
      verdict,
      signature: result.signature,
      excerpt: excerpt.text,
      truncated: excerpt.truncated
    }
  }
}
