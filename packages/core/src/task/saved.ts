/**
 * Looks at the saved session of a folder and decides what is to become of it. The same for a preview and for a run, which
 * may ask; only a run puts anything into effect.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { LoopProgress } from "../checkpoint/Checkpoint.js"
import type { StoreFailure } from "../checkpoint/CheckpointStore.js"
import { Recovery } from "../recovery/Recovery.js"
import type { Consent, Decision } from "../resume/Decision.js"
import { decide } from "../resume/decide.js"
import { plainRequest, type ResumePolicy, type ResumeRequest, type TaskFacts } from "../resume/Facts.js"
import { Resume } from "../resume/Resume.js"
import { withoutRecord } from "../resume/record.js"
import type { SettingUnsupported } from "../run/beginRun.js"
import { type PhaseSpec, phaseAsked } from "../session/RunSpec.js"
import type * as Scope from "../session/Scope.js"
import { classify, type DamagedSession, damagedSession, type SavedSession, savedSession, targetOf } from "./classify.js"
import type { LoopHands, LoopRequest } from "./LoopRequest.js"
import { type Planned, planned, resumedPhases } from "./phases.js"
import type { Task } from "./Task.js"
import { TaskStore } from "./TaskStore.js"

/** What was found in the folder, and what is to become of it. */
export interface Inspected {
  readonly saved: SavedSession | null
  /** Whose saved session was found, also where it cannot be read. */
  readonly task: Task | null
  /** `null`: nothing is saved, and nobody asked for it. */
  readonly decision: Decision | null
  readonly facts: TaskFacts | null
  readonly request: ResumeRequest
  /** Phases after the saved one, as they are planned now, and the gate. */
  readonly later: ReadonlyArray<PhaseSpec>
  readonly gate: Planned["gate"]
  /** The counters of the loop that the saved run belongs to. */
  readonly loop: LoopProgress | null
}

/** How often a person is asked; there are fewer consents. */
const maxQuestions = 10

/**
 * Inspects the folder. `ask`: for the yes that a decision lacks; `null`: nobody can be asked, and so for a preview.
 */
export const inspectSaved = (
  scope: Scope.Scope,
  folder: string,
  request: LoopRequest,
  policy: ResumePolicy,
  ask: LoopHands<never>["ask"]
): Effect.Effect<Inspected, StoreFailure | SettingUnsupported, Recovery | Resume | TaskStore> =>
  Effect.gen(function* () {
    const store = yield* TaskStore
    const recovery = yield* Recovery
    const resume = yield* Resume
    const lineages = yield* Effect.forEach(yield* store.lineages(folder), (lineage) =>
      Effect.map(Effect.forEach(lineage.attempts, recovery.correct), (attempts) => ({ ...lineage, attempts }))
    )
    const own = request.taskId === null ? null : savedSession(lineages, request.taskId)
    const saved = own?.task?.status === "doing" ? own : savedSession(lineages)
    // What cannot be read stands behind what can go on, unless its task is the one that is wanted.
    const damaged =
      (request.taskId === null ? null : damagedSession(lineages, request.taskId)) ??
      (saved === null ? damagedSession(lineages) : null)
    const given: ReadonlySet<Consent> = new Set([
      ...request.consents,
      ...(request.onLostSession === "fresh" ? (["fresh"] as const) : [])
    ])
    if (saved === null || damaged !== null) {
      const none: TaskFacts = {
        classification: "no_session",
        explicitOther: false,
        declined: false,
        confirmed: true,
        tasksCompleted: 0,
        target: "ok"
      }
      const now = yield* Clock.currentTimeMillis
      const question = { requestedId: folder, request: plainRequest, policy, task: none }
      return {
        saved: null,
        task: damaged?.task ?? null,
        decision:
          damaged !== null
            ? decideDamaged(damaged, request, policy, now)
            : request.resume === "yes"
              ? decide(withoutRecord(question, "checkpoint_not_found", null, now))
              : null,
        facts: null,
        request: { ...plainRequest, consents: given },
        later: [],
        gate: null,
        loop: null
      }
    }

    const { checkpoint, task } = saved
    const phase = checkpoint.progress.phases[checkpoint.progress.phase]
    const plan =
      task === null ? null : planned(task.plan, request.defaults, phase?.provider ?? checkpoint.spec.provider)
    const { differences, later } = resumedPhases(
      checkpoint.progress.phases.map(phaseAsked),
      checkpoint.progress.phase,
      plan?.phases ?? []
    )
    const loop = yield* loopOf(saved)
    const now = yield* Clock.currentTimeMillis
    const base: TaskFacts = {
      classification: classify(saved, now, policy.maxAgeMs),
      explicitOther: request.taskId !== null && request.taskId !== saved.taskId,
      declined: request.resume === "no",
      confirmed: request.resume === "yes",
      tasksCompleted: loop?.tasksCompleted ?? 0,
      target: targetOf(saved),
      differences
    }
    // The recorded model is passed again, except where it is gone and another is named.
    const model = checkpoint.reason?.code === "model_unavailable" ? request.defaults.flags.model : null

    let facts = base
    let asked: ResumeRequest = { ...plainRequest, consents: given, model }
    const look = () => resume.preview(scope, checkpoint.id, asked, facts)
    let decision = yield* look()
    if (decision.reason === "provider_session_damaged" && request.onLostSession === "fresh") {
      asked = { ...asked, fresh: true }
      decision = yield* look()
    }
    for (let round = 0; round < maxQuestions && ask !== null; round++) {
      if (decision.status !== "refusing_to_resume") break
      const confirms = decision.reason === "resume_confirmation_required"
      const [consent] = decision.requires
      if (!confirms && consent === undefined) break
      const yes = yield* ask(decision)
      if (confirms) facts = yes ? { ...facts, confirmed: true } : { ...facts, declined: true }
      else if (yes && consent !== undefined) asked = { ...asked, consents: new Set([...asked.consents, consent]) }
      else if (consent === "stale") facts = { ...facts, declined: true }
      else break
      decision = yield* look()
    }
    return { saved, task, decision, facts, request: asked, later, gate: plan?.gate ?? null, loop }
  })

/** What becomes of a saved session whose record is damaged: it is refused, or left alone where that was asked for. */
const decideDamaged = (found: DamagedSession, request: LoopRequest, policy: ResumePolicy, now: number): Decision => {
  const task: TaskFacts = {
    classification: "valid",
    explicitOther: request.taskId !== null && request.taskId !== found.taskId,
    declined: request.resume === "no",
    confirmed: true,
    tasksCompleted: 0,
    target: "ok",
    taskId: found.taskId
  }
  const question = { requestedId: found.damaged, request: plainRequest, policy, task }
  const detail = `The record of checkpoint ${found.damaged} is damaged and cannot be read. Nothing of it was changed.`
  return decide(withoutRecord(question, "record_corrupt", detail, now))
}

/** The counters of the loop that a saved run belongs to: as they were counted since, not as they were when it began. */
const loopOf = ({ checkpoint }: SavedSession) =>
  Effect.gen(function* () {
    const store = yield* TaskStore
    const began = checkpoint.spec.loop
    if (began === null) return null
    const found = Option.getOrNull(yield* store.loop(began.id))
    return found === null
      ? began
      : { ...began, tasksCompleted: found.tasksCompleted, iterationsCompleted: found.iterationsCompleted }
  })
