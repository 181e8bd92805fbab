/**
 * The answer to every "resume this". One pure function: the reasons are looked at in the order of `DecisionReason`, the
 * first that applies is the answer. Preview, execution, lists, tasks and embedding apps all ask it.
 */
import type { Checkpoint } from "../checkpoint/Checkpoint.js"
import { currentPhase, phaseNumber } from "../checkpoint/Checkpoint.js"
import { duration } from "../text/duration.js"
import * as Alternatives from "./alternatives.js"
import type { Consent, Continuity, Decision, DecisionFacts, DecisionReason, DecisionStatus } from "./Decision.js"
import { conversationSeen, type Facts, isEmptied } from "./Facts.js"
import { familyChange } from "./modelFamily.js"
import { keptSettings, sessionWarnings, worldWarnings } from "./notes.js"
import { cappedPermission } from "./permission.js"

export const decide = (facts: Facts): Decision => {
  const { checkpoint } = facts
  if (checkpoint === null && facts.task?.classification === "no_session" && facts.trouble === "checkpoint_not_found") {
    return nothingSaved(facts)
  }
  if (facts.trouble !== null || checkpoint === null) return leaveDamaged(facts) ?? refuseWithoutRecord(facts)
  const leftAlone = leaveSaved(facts, checkpoint)
  // A saved session that is not gone on with has only its processes in the way; its provider and its world are not asked.
  if (leftAlone !== null) return refuseByProcesses(facts, checkpoint) ?? leftAlone
  return (
    refuseByProvider(facts, checkpoint) ??
    refuseByState(facts, checkpoint) ??
    refuseByWorld(facts, checkpoint) ??
    askForTask(facts, checkpoint) ??
    askOrStart(facts, checkpoint)
  )
}

/** The consents that a decision still lacks turn into a resume; none of them turns any other refusal around. */
const has = (facts: Facts, consent: Consent): boolean => facts.request.consents.has(consent)

// ---------------------------------------------------------------- store

const refuseWithoutRecord = (facts: Facts): Decision => {
  const reason = facts.trouble ?? "checkpoint_not_found"
  const detail: Record<typeof reason, string> = {
    store_newer: facts.troubleDetail ?? "The store was written by a newer program.",
    record_corrupt: facts.troubleDetail ?? "The record is damaged and cannot be read.",
    checkpoint_not_found: `There is no checkpoint ${facts.requestedId}.`
  }
  return answer(facts, {
    status: "refusing_to_resume",
    reason,
    action: reason === "checkpoint_not_found" ? "found nothing to resume" : "refusing to resume",
    detail: detail[reason],
    alternatives: facts.task === null || reason !== "record_corrupt" ? [] : [Alternatives.taskNoResume()]
  })
}

const refuseByProvider = (facts: Facts, checkpoint: Checkpoint): Decision | null => {
  const { provider } = currentPhase(checkpoint.progress)
  if (facts.otherProviderKnown === false) {
    return refuse(facts, "unsupported_provider", `This program has no provider "${facts.request.provider}".`)
  }
  if (facts.capabilities !== null || facts.otherProviderKnown === true) return null
  return refuse(
    facts,
    "unsupported_provider",
    provider.startsWith("app:")
      ? `This run belongs to the app "${provider.slice(4)}"; only that app can resume it.`
      : `This program has no provider "${provider}".`
  )
}

// ---------------------------------------------------------------- state

const refuseByState = (facts: Facts, checkpoint: Checkpoint): Decision | null => {
  const { tip } = facts
  // A follow-up in a session is a new run in its conversation, also after a completed one.
  const followUp = facts.request.scope === "continue_session"
  if (checkpoint.state === "completed" && !followUp) {
    return refuse(facts, "checkpoint_completed", "The run completed; its checkpoint is a record and not resumable.", {
      alternatives: [Alternatives.followUp(checkpoint)]
    })
  }
  const running = refuseWhileRunning(facts)
  if (running !== null) return running
  if (tip !== null && tip !== checkpoint.id && !followUp) {
    return refuse(facts, "checkpoint_superseded", `A later attempt, ${tip}, went on from here; resume that one.`, {
      tip,
      alternatives: [Alternatives.resume(tip)]
    })
  }
  const left = refuseByOwner(facts, checkpoint) ?? refuseBySurvivor(facts, checkpoint)
  if (left !== null) return left
  const holder = facts.sessionHolder
  if (holder !== null) {
    return refuse(
      facts,
      "session_busy",
      `Another run, ${holder.id}, is going on in the same conversation since ${clock(holder.since)} (pid ${holder.pid}).`,
      { owner: holder, holder: holder.id, alternatives: [Alternatives.watch(holder.id)] }
    )
  }
  if (facts.attempts >= facts.policy.maxAttempts && !has(facts, "attempts") && !followUp) {
    return refuse(
      facts,
      "attempts_exhausted",
      `The task was attempted ${facts.attempts} times; the limit is ${facts.policy.maxAttempts} (resume.max_attempts).`,
      {
        requires: ["attempts"],
        alternatives: [Alternatives.withConsents(checkpoint, ["attempts"], "Resume once more")]
      }
    )
  }
  return null
}

/** What of the saved run is still alive, whatever is to become of its conversation. */
const refuseByProcesses = (facts: Facts, checkpoint: Checkpoint): Decision | null =>
  refuseWhileRunning(facts) ?? refuseByOwner(facts, checkpoint) ?? refuseBySurvivor(facts, checkpoint)

const refuseWhileRunning = (facts: Facts): Decision | null => {
  const { runningAttempt } = facts
  if (runningAttempt !== null && runningAttempt.liveness === "alive") {
    return refuse(
      facts,
      "already_running",
      `${runningAttempt.id} has been running since ${clock(runningAttempt.since)}, held by pid ${runningAttempt.pid} on ${runningAttempt.host}.`,
      { owner: runningAttempt, holder: runningAttempt.id, alternatives: [Alternatives.watch(runningAttempt.id)] }
    )
  }
  return null
}

const refuseByOwner = (facts: Facts, checkpoint: Checkpoint): Decision | null => {
  const { runningAttempt } = facts
  if (runningAttempt !== null) {
    return refuse(
      facts,
      "owner_unknown",
      `${runningAttempt.id} is held by pid ${runningAttempt.pid} on ${runningAttempt.host}, and whether that process is alive cannot be proven here${runningAttempt.why === null ? "" : ` (${runningAttempt.why})`}.`,
      {
        owner: runningAttempt,
        holder: runningAttempt.id,
        requires: ["owner_dead"],
        alternatives: [
          Alternatives.withConsents(
            checkpoint,
            ["owner_dead"],
            "Take the run over, if you know that its process is gone"
          )
        ]
      }
    )
  }
  return null
}

const refuseBySurvivor = (facts: Facts, checkpoint: Checkpoint): Decision | null => {
  const survivor = facts.probe?.survivor ?? null
  if (survivor !== null && !has(facts, "survivor")) {
    return refuse(
      facts,
      "provider_process_alive",
      `A process of the interrupted run is still alive: pid ${survivor.pid} (${survivor.command}).`,
      {
        survivorPid: survivor.pid,
        requires: ["survivor"],
        alternatives: [Alternatives.withConsents(checkpoint, ["survivor"], "End that process and resume")]
      }
    )
  }
  return null
}

// ---------------------------------------------------------------- world

const refuseByWorld = (facts: Facts, checkpoint: Checkpoint): Decision | null => {
  const { probe, request } = facts
  const workspace = probe?.workspace ?? null
  if (workspace?._tag === "Unusable") {
    return refuse(facts, workspace.code, workspace.detail, {
      path: workspace.path,
      alternatives: [Alternatives.relocate(checkpoint)]
    })
  }
  const recorded = checkpoint.spec.workspace.realPath
  if (workspace !== null && request.cd === null && workspace.realPath !== recorded) {
    return refuse(
      facts,
      "workspace_changed",
      `${checkpoint.spec.workspace.cwd} led to ${recorded} when the run stopped and leads to ${workspace.realPath} now.`,
      { path: workspace.realPath, alternatives: [Alternatives.relocate(checkpoint)] }
    )
  }
  if (probe?.providerFound === false) {
    return refuse(
      facts,
      "provider_not_found",
      `The program "${probe.providerCommand}" was not found. ${probe.installHint}`
    )
  }
  if (probe?.auth === "absent") {
    return refuse(facts, "provider_auth_required", `${facts.providerTitle} is not signed in here; nothing would run.`)
  }
  const resetsAt = checkpoint.reason?.code === "usage_limit" ? (checkpoint.reason.resetsAt ?? null) : null
  if (resetsAt !== null && facts.now < resetsAt && !has(facts, "limit") && request.provider === null) {
    return refuse(
      facts,
      "usage_limit_not_reset",
      `The usage limit resets at ${iso(resetsAt)}, in ${duration(resetsAt - facts.now)}.`,
      {
        resetsAt,
        requires: ["limit"],
        alternatives: [
          Alternatives.waitForReset(checkpoint),
          Alternatives.withConsents(checkpoint, ["limit"], "Resume now and see whether the limit still holds")
        ]
      }
    )
  }
  if (probe?.session?.presence === "damaged" && !knownBroken(facts, checkpoint) && !wantsFresh(facts)) {
    return refuse(
      facts,
      "provider_session_damaged",
      `The conversation's file is damaged: ${probe.session.detail ?? "it cannot be read"}${probe.session.path === null ? "" : ` (${probe.session.path})`}. The provider would go on without the damaged part and not say so.`,
      { path: probe.session.path, alternatives: [Alternatives.fresh(checkpoint)] }
    )
  }
  if (checkpoint.reason?.code === "model_unavailable" && request.model === null && request.provider === null) {
    const model = currentPhase(checkpoint.progress).model
    return refuse(
      facts,
      "model_unavailable",
      `The model ${model.requested ?? model.actual ?? "that was used"} is not available any more; another is never chosen for you.`,
      { alternatives: [Alternatives.withModel(checkpoint)] }
    )
  }
  if (compactsHistory(facts, checkpoint) && !has(facts, "model_change") && !wantsFresh(facts)) {
    return refuse(
      facts,
      "model_change_requires_confirmation",
      `${facts.providerTitle} replaces the conversation by a summary when the model changes from ${modelOf(checkpoint)} to ${request.model}.`,
      {
        requires: ["model_change"],
        alternatives: [
          Alternatives.withConsents(
            checkpoint,
            ["model_change"],
            `Go on with ${request.model} and a summary of the conversation`
          )
        ]
      }
    )
  }
  return null
}

/** Every broken line was told of at an earlier resume: a line cut by a kill stays in the file for good. */
const knownBroken = (facts: Facts, checkpoint: Checkpoint): boolean => {
  const broken = facts.probe?.session?.brokenLines
  return broken !== undefined && broken > 0 && broken <= checkpoint.spec.knownDamage
}

const modelOf = (checkpoint: Checkpoint): string | null => {
  const { model } = currentPhase(checkpoint.progress)
  return model.requested ?? model.actual
}

const compactsHistory = (facts: Facts, checkpoint: Checkpoint): boolean => {
  const asked = facts.request.model
  if (facts.capabilities?.modelChangeCompacts !== true || asked === null || facts.request.provider !== null)
    return false
  const recorded = modelOf(checkpoint)
  // The recorded model is unknown where the provider's default was used: any named model may then be another family.
  return recorded === null || familyChange(recorded, asked) === "other"
}

// ---------------------------------------------------------------- tasks

/** `--resume` where there is nothing to resume. */
const nothingSaved = (facts: Facts): Decision => ({
  ...answer(facts, {
    status: "falling_back_to_fresh_invocation",
    reason: "no_session",
    action: "",
    detail: "There is no saved session in this folder."
  }),
  message: "Resume: nothing to resume in this folder; starting with the next task."
})

/** A saved session whose record cannot be read can be left alone like any other. */
const leaveDamaged = (facts: Facts): Decision | null => {
  const { task, trouble } = facts
  if (task === null || trouble !== "record_corrupt" || !(task.explicitOther || task.declined)) return null
  return answer(facts, {
    status: "falling_back_to_fresh_invocation",
    ...(task.explicitOther
      ? {
          reason: "explicit_task_selection_overrides_session",
          detail: "Another task was named; the saved session, whose record is damaged, stays as it is."
        }
      : {
          reason: "session_declined",
          detail: "The saved session, whose record is damaged, was declined; its checkpoint stays."
        }),
    action: "starting a new conversation",
    loses: ["the conversation, of which nothing can be read"]
  })
}

/** Why the saved session is not gone on with, if it is not: something new begins, and its checkpoint stays as it is. */
const leaveSaved = (facts: Facts, checkpoint: Checkpoint): Decision | null => {
  const { task } = facts
  // A completed run is nobody's saved session.
  if (task === null || checkpoint.state === "completed") return null
  const fresh = (reason: DecisionReason, detail: string): Decision =>
    startFresh(facts, checkpoint, reason, null, detail)
  if (task.explicitOther) {
    return fresh(
      "explicit_task_selection_overrides_session",
      `Another task was named; the saved session of ${checkpoint.taskId ?? checkpoint.id} stays as it is.`
    )
  }
  if (task.classification === "no_session") return fresh("no_session", "There is no saved session in this folder.")
  if (task.target === "missing")
    return fresh("resume_target_missing", `The task ${checkpoint.taskId} no longer exists.`)
  if (task.target === "terminal")
    return fresh("resume_target_terminal", `The task ${checkpoint.taskId} is already settled.`)
  if (task.classification === "stale")
    return fresh("session_stale", `The task ${checkpoint.taskId} is not being worked on any more.`)
  if (task.declined) return fresh("session_declined", "The saved session was declined; its checkpoint stays.")
  return null
}

const askForTask = (facts: Facts, checkpoint: Checkpoint): Decision | null =>
  facts.task === null || facts.task.confirmed
    ? null
    : refuse(
        facts,
        "resume_confirmation_required",
        `There is a saved session of ${checkpoint.taskId ?? checkpoint.id}; say whether it should go on.`,
        {
          alternatives: [Alternatives.taskResume(), Alternatives.taskNoResume()]
        }
      )

// ---------------------------------------------------------------- consents, fresh, same

/** Why the old conversation cannot go on, if it cannot. */
const lossOf = (
  facts: Facts,
  checkpoint: Checkpoint
): { readonly cause: DecisionReason; readonly detail: string } | null => {
  const phase = currentPhase(checkpoint.progress)
  const { capabilities, probe, request } = facts
  if (request.provider !== null && request.provider !== phase.provider) {
    return {
      cause: "provider_changed",
      detail: `The conversation belongs to ${phase.provider}; ${request.provider} cannot open it.`
    }
  }
  if (request.fork && capabilities?.fork === false) {
    return { cause: "continuation_unsupported", detail: `${facts.providerTitle} cannot copy a conversation.` }
  }
  if (capabilities?.continuation === "none") {
    return { cause: "continuation_unsupported", detail: `${facts.providerTitle} cannot continue a conversation.` }
  }
  const begun = checkpoint.spec.workspace.realPath
  if (capabilities?.cwdBound === true && !request.fork && elsewhere(facts, begun)) {
    return {
      cause: "continuation_unsupported",
      detail: `${facts.providerTitle} continues a conversation only in the folder it began in, ${begun}.`
    }
  }
  const session = phase.providerSession
  if (session === null) {
    return {
      cause: "missing_provider_session_id",
      detail: `The run stopped before ${facts.providerTitle} named its conversation.`
    }
  }
  if (!facts.sessionIdWellFormed) {
    return {
      cause: "provider_session_invalid",
      detail: `"${session.id}" is not an id of a ${facts.providerTitle} conversation.`
    }
  }
  if (facts.sessionLost) {
    return {
      cause: "provider_session_missing",
      detail: `${facts.providerTitle} answered that it no longer has the conversation ${session.id}.`
    }
  }
  if (probe?.session?.presence === "absent") {
    return {
      cause: "provider_session_missing",
      detail: `${facts.providerTitle} no longer has the conversation ${session.id}.`
    }
  }
  if (isEmptied(checkpoint, probe?.session)) {
    return {
      cause: "provider_session_missing",
      detail: `${facts.providerTitle} still knows the conversation ${session.id}, and has nothing of what was said in it.`
    }
  }
  if (checkpoint.reason?.code === "provider_session_missing" && probe?.session?.presence !== "present") {
    return {
      cause: "provider_session_missing",
      detail: `${facts.providerTitle} answered that it no longer has the conversation ${session.id}.`
    }
  }
  return null
}

/** Whether the run is to go on in another folder than it began in. A folder that only has another name now is the same. */
const elsewhere = ({ probe, request }: Facts, begun: string): boolean =>
  request.cd !== null && probe?.workspace?._tag === "Usable" && probe.workspace.realPath !== begun

/** The provider itself never named the conversation. */
const neverNamed = (checkpoint: Checkpoint): boolean =>
  (currentPhase(checkpoint.progress).providerSession?.seenAt ?? null) === null

const wantsFresh = (facts: Facts): boolean =>
  facts.request.fresh || has(facts, "fresh") || facts.request.provider !== null

const askOrStart = (facts: Facts, checkpoint: Checkpoint): Decision => {
  const { policy, request } = facts
  const loss = lossOf(facts, checkpoint)
  const ageMs = ageOf(facts, checkpoint)
  // Who names a session and gives it a new task wants that session, whatever became of its last run.
  const followUp = request.scope === "continue_session" && facts.task === null
  const timedOut = ageMs >= policy.maxAgeMs && !followUp
  const cancelled = checkpoint.state === "cancelled" && !followUp

  if (cancelled && !has(facts, "cancelled")) {
    const consents: ReadonlyArray<Consent> =
      timedOut && loss === null && !request.fresh ? ["cancelled", "stale"] : ["cancelled"]
    return refuse(
      facts,
      "cancelled_requires_confirmation",
      `The run was cancelled${by(checkpoint)}; it goes on only if you say so.`,
      {
        requires: loss === null || wantsFresh(facts) ? consents : [...consents, "fresh"],
        alternatives: [
          Alternatives.withConsents(checkpoint, consents, "Confirm and resume the cancelled run"),
          Alternatives.fresh(checkpoint, ["cancelled"])
        ]
      }
    )
  }
  if (loss === null && !request.fresh && timedOut && !has(facts, "stale")) {
    return refuse(
      facts,
      "session_timed_out_requires_confirmation",
      `The saved session is ${hours(ageMs)} old; the limit is ${hours(policy.maxAgeMs)} (resume.max_age).`,
      {
        requires: ["stale"],
        alternatives: [
          Alternatives.withConsents(checkpoint, ["stale"], "Confirm and resume the old session"),
          Alternatives.fresh(checkpoint)
        ]
      }
    )
  }
  if (loss !== null) {
    // A conversation that never began is not lost: the task loop, which was told to go on, begins it.
    const neverBegan = facts.task !== null && !conversationSeen(checkpoint) && neverNamed(checkpoint)
    const byItself =
      neverBegan ||
      (request.scope === "continue_session" &&
        (loss.cause === "missing_provider_session_id" || loss.cause === "provider_session_invalid"))
    if (!byItself && !request.fresh && !has(facts, "fresh")) {
      return refuse(facts, "fresh_start_requires_confirmation", `${loss.detail} Only a fresh start is possible.`, {
        cause: loss.cause,
        requires: ["fresh"],
        loses: lossesOf(facts, checkpoint),
        alternatives: [Alternatives.fresh(checkpoint)]
      })
    }
    return startFresh(facts, checkpoint, loss.cause, loss.cause, loss.detail)
  }
  if (request.fresh) {
    return startFresh(
      facts,
      checkpoint,
      "session_declined",
      null,
      "The old conversation could have gone on; it is left as it is."
    )
  }

  const limited =
    checkpoint.reason?.code === "usage_limit" &&
    checkpoint.reason.resetsAt !== null &&
    facts.now < checkpoint.reason.resetsAt
  const replayed = facts.capabilities?.continuation === "host_transcript"
  const reason: DecisionReason = timedOut
    ? "session_timed_out_confirmed"
    : cancelled
      ? "cancelled_confirmed"
      : limited
        ? "limit_ignored"
        : replayed
          ? "transcript_replayed"
          : "session_valid"
  return answer(facts, {
    status: "resuming_same_session",
    reason,
    cause: null,
    action: request.fork
      ? `going on in a copy of the ${checkpoint.state} session`
      : `continuing the ${checkpoint.state} session`,
    detail: sameDetail(facts, checkpoint, ageMs),
    ...keptSettings(facts, checkpoint),
    warnings: [
      ...sessionWarnings(facts, checkpoint),
      ...worldWarnings(facts, checkpoint),
      ...(facts.task?.differences ?? [])
    ],
    continuity: replayed
      ? "history_replayed"
      : facts.probe?.session?.presence === "present"
        ? "session_file_checked"
        : "unproven"
  })
}

const startFresh = (
  facts: Facts,
  checkpoint: Checkpoint,
  reason: DecisionReason,
  cause: DecisionReason | null,
  detail: string
): Decision =>
  answer(facts, {
    status: "falling_back_to_fresh_invocation",
    reason,
    cause: cause === reason ? null : cause,
    action: "starting a new conversation",
    detail,
    keeps: [
      "task",
      "folder",
      ...(facts.request.provider === null ? ["provider", "model", "thinking", "permission"] : ["permission"])
    ],
    loses: lossesOf(facts, checkpoint),
    // What begins as a new run of a task is as the task is now.
    warnings: [...worldWarnings(facts, checkpoint), ...(cause === null ? [] : (facts.task?.differences ?? []))],
    continuity: "unproven"
  })

const lossesOf = (facts: Facts, checkpoint: Checkpoint): ReadonlyArray<string> => {
  const { position } = checkpoint.progress
  return [
    conversationSeen(checkpoint)
      ? `${position.messages} message${position.messages === 1 ? "" : "s"} of conversation`
      : "the conversation, of which nothing was recorded",
    ...(checkpoint.spec.promptRedacted && facts.request.instruction === null
      ? ["the secrets in the original prompt: our copy is redacted, give the text again with -p"]
      : []),
    ...(checkpoint.spec.providerArgsRedacted ? ["provider arguments that held a secret: give them again"] : [])
  ]
}

const sameDetail = (facts: Facts, checkpoint: Checkpoint, ageMs: number): string => {
  const { phases, phase } = checkpoint.progress
  const tasks = facts.task === null ? "" : ` with ${facts.task.tasksCompleted} completed loop task(s)`
  const where =
    phases.length > 1 || facts.task !== null ? `phase ${phase + 1}` : `turn ${checkpoint.progress.position.turn}`
  return `Saved session is ${hours(ageMs)} old (limit ${hours(facts.policy.maxAgeMs)}) and will resume from ${where}${tasks}.`
}

/** Age since the last recorded activity, ms; a clock that went back makes it 0, which is warned about apart. */
const ageOf = (facts: Facts, checkpoint: Checkpoint): number =>
  Math.max(0, facts.now - Math.max(checkpoint.progress.position.lastActivityAt, checkpoint.startedAt))

const by = (checkpoint: Checkpoint): string =>
  checkpoint.cancelRequested === null ? "" : ` by ${checkpoint.cancelRequested.by}`

const hours = (ms: number): string => {
  const value = (ms / 3_600_000).toFixed(1)
  return `${value.endsWith(".0") ? value.slice(0, -2) : value} h`
}

const iso = (time: number): string => new Date(time).toISOString()
const clock = iso

// ---------------------------------------------------------------- the answer

interface Answer {
  readonly status: DecisionStatus
  readonly reason: DecisionReason
  readonly cause?: DecisionReason | null
  /** What happens, in a few words, for the message. */
  readonly action: string
  readonly detail: string
  readonly keeps?: ReadonlyArray<string>
  readonly loses?: ReadonlyArray<string>
  readonly warnings?: ReadonlyArray<string>
  readonly continuity?: Continuity
  readonly alternatives?: Decision["alternatives"]
}

interface Refusal {
  readonly cause?: DecisionReason
  readonly requires?: ReadonlyArray<Consent>
  readonly loses?: ReadonlyArray<string>
  readonly alternatives?: Decision["alternatives"]
  readonly owner?: {
    readonly pid: number
    readonly host: string
    readonly since: number
    readonly liveness: "alive" | "unknown"
  }
  readonly holder?: string
  readonly tip?: string
  readonly survivorPid?: number
  readonly resetsAt?: number
  readonly path?: string | null
}

const refuse = (facts: Facts, reason: DecisionReason, detail: string, more: Refusal = {}): Decision => {
  const decision = answer(facts, {
    status: "refusing_to_resume",
    reason,
    cause: more.cause ?? null,
    action: "refusing to resume",
    detail,
    loses: more.loses ?? []
  })
  const asked = (more.requires ?? []).filter((consent) => !has(facts, consent))
  return {
    ...decision,
    requires: asked,
    alternatives: [
      ...(facts.task === null ? (more.alternatives ?? []) : (more.alternatives ?? []).map(Alternatives.ofTask)),
      Alternatives.leave
    ],
    facts: {
      ...decision.facts,
      owner: more.owner ?? decision.facts.owner,
      holder: more.holder ?? null,
      tip: more.tip ?? decision.facts.tip,
      survivorPid: more.survivorPid ?? null,
      resetsAt: more.resetsAt ?? decision.facts.resetsAt,
      path: more.path === undefined ? decision.facts.path : more.path
    }
  }
}

const answer = (facts: Facts, given: Answer): Decision => {
  const { checkpoint, request } = facts
  const taskId = checkpoint === null ? (facts.task?.taskId ?? null) : checkpoint.taskId
  const subject = taskId === null ? `checkpoint ${checkpoint?.id ?? facts.requestedId}` : `task ${taskId}`
  return {
    status: given.status,
    scope: request.scope,
    reason: given.reason,
    cause: given.cause ?? null,
    checkpointId: checkpoint?.id ?? null,
    taskId,
    message: `Resume: ${given.action} for ${subject}.`,
    detail: given.detail,
    keeps: given.keeps ?? [],
    loses: given.loses ?? [],
    warnings: given.warnings ?? [],
    continuity: given.continuity ?? "unproven",
    facts: checkpoint === null ? noFacts : recordedFacts(facts, checkpoint),
    requires: [],
    alternatives: given.alternatives ?? [],
    evaluatedAt: facts.now,
    basis: facts.basis
  }
}

const noFacts: DecisionFacts = {
  ageMs: null,
  maxAgeMs: null,
  resetsAt: null,
  owner: null,
  survivorPid: null,
  path: null,
  phase: null,
  attempts: null,
  maxAttempts: null,
  provider: null,
  providerSession: null,
  model: null,
  thinking: null,
  permission: null,
  holder: null,
  tip: null,
  tasksCompleted: null
}

const recordedFacts = (facts: Facts, checkpoint: Checkpoint): DecisionFacts => {
  const phase = currentPhase(checkpoint.progress)
  return {
    ...noFacts,
    ageMs: ageOf(facts, checkpoint),
    maxAgeMs: facts.policy.maxAgeMs,
    resetsAt: checkpoint.reason?.resetsAt ?? null,
    path: checkpoint.spec.workspace.cwd,
    phase: phaseNumber(checkpoint.progress),
    attempts: facts.attempts,
    maxAttempts: facts.policy.maxAttempts,
    provider: facts.request.provider ?? phase.provider,
    providerSession: phase.providerSession?.id ?? null,
    model: facts.request.model ?? modelOf(checkpoint),
    thinking: facts.request.thinking ?? phase.thinking.requested ?? phase.thinking.actual,
    permission: cappedPermission(facts, checkpoint),
    tip: facts.tip,
    tasksCompleted: facts.task?.tasksCompleted ?? null
  }
}
