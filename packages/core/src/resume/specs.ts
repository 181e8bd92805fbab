/** The spec of a run that goes on from a checkpoint: what it keeps, what it takes from the request. Pure. */
import type { Checkpoint, ProviderSession, Workspace } from "../checkpoint/Checkpoint.js"
import type { Permission } from "../checkpoint/state.js"
import { type PhaseSpec, phaseAsked, type RunSpec, root } from "../session/RunSpec.js"
import type { ResumeRequest } from "./Facts.js"

export interface Going {
  readonly request: ResumeRequest
  /** In the same provider conversation. */
  readonly same: boolean
  readonly workspace: Workspace
  /** Already capped by the policy. */
  readonly permission: Permission
  /** Broken lines of the conversation's file that were told of. */
  readonly knownDamage: number
}

/** A new task in an old session. */
export interface FollowUp {
  readonly prompt: string
  readonly title: string | null
  readonly key: string | null
  readonly labels: Readonly<Record<string, string>>
}

/**
 * The next attempt at a checkpoint's task. The interrupted phase keeps its recorded provider, model, thinking,
 * permission, directories and folder, except for what the request names; later phases keep what was asked of them.
 */
export const resumeSpec = (source: Checkpoint, going: Going & { readonly attempt: number }): RunSpec => {
  const { request } = going
  const { progress } = source
  return {
    ...shared(source, going),
    // Where phases have permissions of their own, the one that goes on is the interrupted phase's.
    permission: currentOf(source)?.permission === undefined ? going.permission : source.spec.permission,
    sessionId: going.same && !request.fork ? source.sessionId : null,
    // A copy of the conversation is not the task's run: that stays where it is.
    taskId: request.fork ? null : source.taskId,
    key: null,
    labels: source.labels,
    title: source.title,
    origin: "resume",
    prompt: source.spec.prompt,
    instruction: request.instruction,
    phases: progress.phases.map((phase, index) =>
      index === progress.phase
        ? {
            ...interruptedPhase(source, going),
            ...(phase.permission === undefined ? {} : { permission: going.permission })
          }
        : { ...phaseAsked(phase), providerSession: index < progress.phase ? phase.providerSession : null }
    ),
    phase: progress.phase,
    loop: source.spec.loop,
    gate: source.spec.gate ?? null,
    lineage: request.fork
      ? { kind: "fork", from: source.id }
      : { kind: "resume", from: source.id, rootId: source.rootId, attempt: going.attempt }
  }
}

/** A new run in the session of a checkpoint, with a task of its own. */
export const followUpSpec = (source: Checkpoint, task: FollowUp, going: Going): RunSpec => ({
  ...shared(source, going),
  sessionId: going.request.fork ? null : source.sessionId,
  taskId: null,
  key: task.key,
  labels: task.labels,
  title: task.title,
  origin: "manual",
  prompt: task.prompt,
  instruction: null,
  phases: [{ ...interruptedPhase(source, going), name: "run" }],
  phase: 0,
  loop: null,
  lineage: going.request.fork ? { kind: "fork", from: source.id } : root
})

const shared = (source: Checkpoint, { request, same, workspace, permission, knownDamage }: Going) => ({
  agent: source.agent,
  provider: providerOf(source, request),
  providerArgs: keepsProvider(source, request) ? source.spec.providerArgs : [],
  permission,
  addDirs: source.spec.addDirs,
  workspace,
  knownDamage: same ? knownDamage : 0
})

const currentOf = (source: Checkpoint) => source.progress.phases[source.progress.phase]

const providerOf = (source: Checkpoint, request: ResumeRequest): string =>
  request.provider ?? currentOf(source)?.provider ?? source.spec.provider

const keepsProvider = (source: Checkpoint, request: ResumeRequest): boolean =>
  request.provider === null || request.provider === currentOf(source)?.provider

/**
 * The phase that goes on. The model passed is the one that was asked for, unshortened; where none was, the one that the
 * provider reported, so that a changed default changes nothing.
 */
const interruptedPhase = (source: Checkpoint, { request, same }: Going): PhaseSpec => {
  const phase = currentOf(source)
  const kept = keepsProvider(source, request)
  return {
    name: phase?.name ?? "run",
    provider: providerOf(source, request),
    model: request.model ?? (kept ? (phase?.model.requested ?? phase?.model.actual ?? null) : null),
    thinking: request.thinking ?? (kept ? (phase?.thinking.requested ?? phase?.thinking.actual ?? null) : null),
    providerSession: same && !request.fork ? reopened(phase?.providerSession ?? null) : null,
    cumulativeUsage: same ? source.progress.cumulativeUsage : null
  }
}

/** A session that is about to be opened again: known, but not yet named by the provider in this attempt. */
const reopened = (session: ProviderSession | null): ProviderSession | null =>
  session === null ? null : { ...session, seenAt: null }
