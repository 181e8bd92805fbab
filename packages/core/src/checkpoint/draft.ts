/** From a spec to the record that is committed before anything starts. Pure; the only place where a record is born. */
import { redactArguments } from "../privacy/redactArguments.js"
import type { RunSpec } from "../session/RunSpec.js"
import { bounded } from "../text/bounded.js"
import { oneLine } from "../text/oneLine.js"
import type { Phase, ProviderSession, Time } from "./Checkpoint.js"
import type { Draft } from "./CheckpointStore.js"
import type { CheckpointId, SessionId } from "./ids.js"

export interface Birth {
  readonly id: CheckpointId
  readonly sessionId: SessionId
  readonly now: Time
  readonly redact: (text: string) => string
  /** The session id we choose for the phase the run begins in, where the provider lets us and it has none yet. */
  readonly chosenSession: ProviderSession | null
}

const noUsage = { inputTokens: 0, outputTokens: 0, costUsd: null }

/** The record of a new run: running, with nothing done yet. */
export const draftOf = (spec: RunSpec, birth: Birth): Draft => {
  const { id, now, redact } = birth
  const prompt = redact(spec.prompt)
  const stored = bounded(prompt, promptBytes)
  const args = redactArguments(spec.providerArgs, redact)
  const phases = spec.phases.map(
    (phase, index): Phase => ({
      index,
      name: phase.name,
      provider: phase.provider,
      model: { requested: phase.model, actual: null },
      thinking: { requested: phase.thinking, actual: null },
      ...(phase.permission === undefined ? {} : { permission: phase.permission }),
      providerSession: index === spec.phase ? (phase.providerSession ?? birth.chosenSession) : phase.providerSession,
      state: index < spec.phase ? "completed" : index === spec.phase ? "running" : "pending",
      startedAt: index === spec.phase ? now : null,
      endedAt: null
    })
  )
  const { lineage } = spec
  return {
    id,
    agent: spec.agent,
    sessionId: birth.sessionId,
    taskId: spec.taskId,
    key: spec.key,
    labels: Object.fromEntries(Object.entries(spec.labels).map(([name, value]) => [redact(name), redact(value)])),
    title: oneLine(redact(spec.title ?? firstLine(spec.prompt)), 120),
    spec: {
      origin: spec.origin,
      prompt: stored.text,
      promptRedacted: prompt !== spec.prompt,
      promptTruncated: stored.truncated,
      knownDamage: spec.knownDamage,
      instruction: spec.instruction === null ? null : bounded(redact(spec.instruction), promptBytes).text,
      provider: spec.provider,
      providerArgs: args,
      providerArgsRedacted: args.some((arg, index) => arg !== spec.providerArgs[index]),
      permission: spec.permission,
      addDirs: spec.addDirs,
      workspace: spec.workspace,
      loop: spec.loop,
      ...(spec.gate == null ? {} : { gate: spec.gate })
    },
    progress: {
      phases,
      phase: spec.phase,
      permissionActual: null,
      position: { turn: 0, messages: 0, lastMessageId: null, openTool: null, lastActivityAt: now },
      usage: noUsage,
      cumulativeUsage: spec.phases[spec.phase]?.cumulativeUsage ?? null,
      denied: 0,
      stream: { lines: 0, skipped: 0, oversize: 0 },
      child: null,
      providerExit: null,
      changes: null,
      elapsedMs: 0
    },
    startedAt: now,
    updatedAt: now,
    attempt: lineage.kind === "resume" ? lineage.attempt : 1,
    rootId: lineage.kind === "resume" ? lineage.rootId : id,
    resumedFrom: lineage.kind === "resume" ? lineage.from : null,
    forkedFrom: lineage.kind === "fork" ? lineage.from : null
  }
}

/** The stored copy of a prompt: whole for anything a person types, bounded against a pasted file. */
const promptBytes = 256 * 1024

const firstLine = (prompt: string): string => prompt.split(/\r?\n/).find((line) => line.trim() !== "") ?? "(no prompt)"
