/** A decision as JSON: the payload of a `resume_decision` event, and with `kind` and `version` the `resume_preview`. */
import type { Decision } from "../resume/Decision.js"
import { iso, isoOrNull } from "./json.js"
import type { DecisionPayload, ResumePreview } from "./schema/decision.js"

export const decisionPayload = (decision: Decision): DecisionPayload => {
  const { facts } = decision
  return {
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
      age_ms: facts.ageMs,
      max_age_ms: facts.maxAgeMs,
      resets_at: isoOrNull(facts.resetsAt),
      owner:
        facts.owner === null
          ? null
          : {
              pid: facts.owner.pid,
              host: facts.owner.host,
              since: isoOrNull(facts.owner.since),
              liveness: facts.owner.liveness
            },
      survivor_pid: facts.survivorPid,
      path: facts.path,
      phase: facts.phase,
      attempts: facts.attempts,
      max_attempts: facts.maxAttempts,
      provider: facts.provider,
      provider_session: facts.providerSession,
      model: facts.model,
      thinking: facts.thinking,
      permission: facts.permission,
      holder: facts.holder,
      tip: facts.tip,
      tasks_completed: facts.tasksCompleted
    },
    requires: decision.requires,
    alternatives: decision.alternatives,
    evaluated_at: iso(decision.evaluatedAt),
    basis: decision.basis
  }
}

export const resumePreview = (decision: Decision): ResumePreview => ({
  kind: "resume_preview",
  version: 1,
  ...decisionPayload(decision)
})
