/** A decision as JSON: the payload of a `resume_decision` event, and with `kind` and `version` the `resume_preview`. */
import type { Payload } from "../checkpoint/Event.js"
import type { Decision } from "../resume/Decision.js"

const iso = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString())

export const decisionPayload = (decision: Decision): Payload => ({
  status: decision.status,
  scope: decision.scope,
  reason: decision.reason,
  cause: decision.cause,
  checkpoint_id: decision.checkpointId,
  task_id: decision.taskId,
  message: decision.message,
  detail: decision.detail,
  keeps: decision.keeps,
  loses: decision.loses,
  warnings: decision.warnings,
  continuity: decision.continuity,
  facts: {
    age_ms: decision.facts.ageMs,
    max_age_ms: decision.facts.maxAgeMs,
    resets_at: iso(decision.facts.resetsAt),
    owner:
      decision.facts.owner === null
        ? null
        : {
            pid: decision.facts.owner.pid,
            host: decision.facts.owner.host,
            since: iso(decision.facts.owner.since),
            liveness: decision.facts.owner.liveness
          },
    survivor_pid: decision.facts.survivorPid,
    path: decision.facts.path,
    phase: decision.facts.phase,
    attempts: decision.facts.attempts,
    max_attempts: decision.facts.maxAttempts,
    provider: decision.facts.provider,
    provider_session: decision.facts.providerSession,
    model: decision.facts.model,
    thinking: decision.facts.thinking,
    permission: decision.facts.permission,
    holder: decision.facts.holder,
    tip: decision.facts.tip,
    tasks_completed: decision.facts.tasksCompleted
  },
  requires: decision.requires,
  alternatives: decision.alternatives,
  evaluated_at: iso(decision.evaluatedAt),
  basis: decision.basis
})
