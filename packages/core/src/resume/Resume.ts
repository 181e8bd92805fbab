/**
 * Resuming as a service: what a resume would do, and doing it. Both ask the same pure `decide`; an execution that lost
 * its claim to another process looks again and decides again.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as EffectScope from "effect/Scope"
import type { Checkpoint, LoopProgress } from "../checkpoint/Checkpoint.js"
import { currentPhase, phaseNumber } from "../checkpoint/Checkpoint.js"
import { CheckpointStore, type Conflict, type StoreFailure } from "../checkpoint/CheckpointStore.js"
import { Checkpoints, everything } from "../checkpoint/Checkpoints.js"
import type { NewEvent } from "../checkpoint/Event.js"
import type { GateCommand } from "../checkpoint/GateCommand.js"
import type { CheckpointId, SessionId } from "../checkpoint/ids.js"
import { HostProcesses, survivorGraceMs } from "../host/HostProcesses.js"
import type { OwnerLockFailed } from "../host/OwnerIdentity.js"
import { Workspaces } from "../host/Workspaces.js"
import type { Redactor } from "../privacy/Redactor.js"
import { Conversation, type Provider, Providers } from "../provider/Provider.js"
import { Recovery } from "../recovery/Recovery.js"
import { type SettingUnsupported, unsupportedSetting } from "../run/beginRun.js"
import { chooseSession, knownSession } from "../run/chooseSession.js"
import { type LiveRun, Runs } from "../run/Runs.js"
import type { WatchLimits } from "../run/watchdog.js"
import type { PhaseSpec, RunSpec } from "../session/RunSpec.js"
import type * as Scope from "../session/Scope.js"
import { gateFailuresIn, handoverIn, phaseEntered } from "../task/events.js"
import type { Gates } from "../task/GatePort.js"
import type { Reverts } from "../task/RevertPort.js"
import { asTold, keepIt, makeTaskSequel, type TaskSequelOptions } from "../task/taskSequel.js"
import type { Decision } from "./Decision.js"
import { decide } from "./decide.js"
import { decisionEvent } from "./decisionEvent.js"
import {
  defaultPolicy,
  type Facts,
  plainRequest,
  type ResumePolicy,
  type ResumeRequest,
  type TaskFacts
} from "./Facts.js"
import { probed } from "./gather.js"
import { arrivedBy, freshPrompt, samePrompt } from "./handover.js"
import { capped, cappedPermission } from "./permission.js"
import { decideFromRecord, type Question, withoutRecord } from "./record.js"
import { type FollowUp, followUpSpec, resumeSpec } from "./specs.js"

/** What a task loop adds to the resume of its saved session. */
export interface TaskResume {
  readonly facts: TaskFacts
  /** The phases after the interrupted one, as they are planned now. */
  readonly later: ReadonlyArray<PhaseSpec>
  readonly gate: GateCommand | null
  readonly loop: LoopProgress
  /** Events that come before the decision. */
  readonly opening: ReadonlyArray<NewEvent>
  /** Asked when the gate is given up. */
  readonly gaveUp: TaskSequelOptions["gaveUp"]
}

export interface ResumeOptions {
  readonly request: ResumeRequest
  readonly limits: WatchLimits
  readonly task?: TaskResume
  /** Takes the conversation over in the provider's own screen instead of telling it to go on. Never a fresh start. */
  readonly screen?: boolean
  /** The id to use for the new checkpoint, where the caller has promised one (a detached start). */
  readonly id?: CheckpointId
  /** The provider has just answered that it does not have the conversation, whatever its storage looks like. */
  readonly lost?: boolean
}

export type Resumed = Data.TaggedEnum<{
  Refused: { readonly decision: Decision }
  Started: { readonly decision: Decision; readonly run: LiveRun }
}>
export const Resumed = Data.taggedEnum<Resumed>()

/** A decision with the facts that it is made of. */
export interface Examined {
  readonly facts: Facts
  readonly decision: Decision
}

type ExecuteFailure = StoreFailure | Conflict | OwnerLockFailed | SettingUnsupported

export class Resume extends Context.Tag("@alluka/core/Resume")<
  Resume,
  {
    /** What the record alone says, for lists. */
    readonly fromRecord: (checkpoint: Checkpoint) => Effect.Effect<Decision>
    /** What a resume would do. Changes nothing. `id`: as a person typed it; `task`: what a task loop knows besides. */
    readonly preview: (
      scope: Scope.Scope,
      id: string,
      request?: ResumeRequest,
      task?: TaskFacts
    ) => Effect.Effect<Decision, StoreFailure | SettingUnsupported>
    /** The same with the facts that the decision is made of. */
    readonly examine: (
      scope: Scope.Scope,
      id: string,
      request?: ResumeRequest,
      task?: TaskFacts
    ) => Effect.Effect<Examined, StoreFailure | SettingUnsupported>
    /**
     * What a resume would do now that the provider has answered that it does not have the conversation. The answer is not
     * kept: an attempt that was turned away changes nothing about its source, and storage that comes back is found.
     */
    readonly afterLoss: (
      scope: Scope.Scope,
      id: string,
      request: ResumeRequest,
      task?: TaskFacts
    ) => Effect.Effect<Decision, StoreFailure | SettingUnsupported>
    /** Decides, claims, and starts the run in the caller's scope; or says why not, having changed nothing. */
    readonly execute: (
      scope: Scope.Scope,
      id: string,
      options: ResumeOptions
    ) => Effect.Effect<Resumed, ExecuteFailure, EffectScope.Scope>
    /**
     * Begins a new run with a new task in a session, going on in its conversation where that is possible (decided as
     * `continue_session`), also after a completed run.
     */
    readonly followUp: (
      scope: Scope.Scope,
      session: SessionId,
      task: FollowUp,
      options: ResumeOptions
    ) => Effect.Effect<Resumed, ExecuteFailure, EffectScope.Scope>
  }
>() {}

/** How often an execution decides anew after it lost a claim, or after it ended what was in the way. */
const maxRounds = 4

export const make = (policy: ResumePolicy) =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints
    const store = yield* CheckpointStore
    const providers = yield* Providers
    const processes = yield* HostProcesses
    const recovery = yield* Recovery
    const runs = yield* Runs
    const workspaces = yield* Workspaces
    const context = yield* Effect.context<
      Checkpoints | CheckpointStore | Providers | HostProcesses | Recovery | Workspaces
    >()
    const sequelContext = yield* Effect.context<CheckpointStore | Gates | Providers | Redactor | Reverts>()

    const look = (
      scope: Scope.Scope,
      id: string,
      request: ResumeRequest,
      task: TaskFacts | null = null
    ): Effect.Effect<Facts, StoreFailure | SettingUnsupported> => {
      const question: Question = { requestedId: id, request, policy, task }
      const unreadable = (trouble: NonNullable<Facts["trouble"]>, detail: string | null) =>
        Effect.map(Clock.currentTimeMillis, (now) => withoutRecord(question, trouble, detail, now))
      return checkpoints.find(scope, id).pipe(
        Effect.tap((checkpoint) => settingsFit(checkpoint, request)),
        Effect.flatMap((checkpoint) => probed(scope, checkpoint, question)),
        Effect.catchTags({
          CheckpointNotFound: () => unreadable("checkpoint_not_found", null),
          AmbiguousId: (error) => unreadable("checkpoint_not_found", error.message),
          RecordCorrupt: (error) => unreadable("record_corrupt", error.message),
          StoreNewer: (error) => unreadable("store_newer", error.message)
        }),
        Effect.provide(context)
      )
    }

    /** Settings that the person names must be ones that the provider has; stored ones were checked when they were stored. */
    const settingsFit = (checkpoint: Checkpoint, request: ResumeRequest) => {
      const id = request.provider ?? currentPhase(checkpoint.progress).provider
      const provider = Option.getOrNull(providers.find(id))
      if (provider === null) return Effect.void
      const unsupported = unsupportedSetting(provider, {
        thinking: request.thinking,
        permission: cappedPermission({ request, policy }, checkpoint)
      })
      return unsupported === null ? Effect.void : Effect.fail(unsupported)
    }

    /** Ends what a dead owner left, where the person said so; the facts as they are afterwards. */
    const clearSurvivors = (scope: Scope.Scope, facts: Facts) =>
      Effect.gen(function* () {
        const { checkpoint, request } = facts
        if (checkpoint === null || facts.probe?.survivor == null || !request.consents.has("survivor")) return facts
        const lineage = yield* Effect.orElseSucceed(checkpoints.lineage(scope, checkpoint.id), () => [checkpoint])
        const left = yield* processes.endAll(
          lineage.map((each) => each.id),
          survivorGraceMs
        )
        const first = left[0]
        if (first === undefined) return facts
        const consents = new Set([...request.consents].filter((each) => each !== "survivor"))
        return {
          ...facts,
          request: { ...request, consents },
          probe: { ...facts.probe, survivor: { pid: first.pid, command: first.command } }
        }
      })

    const execute: Resume["Type"]["execute"] = (scope, id, options) => {
      const attempt = (round: number): ReturnType<Resume["Type"]["execute"]> =>
        Effect.gen(function* () {
          const found = yield* look(scope, id, options.request, options.task?.facts ?? null)
          const seen = options.lost === true ? { ...found, sessionLost: true } : found
          const first = decide(seen)
          if (
            first.reason === "owner_unknown" &&
            options.request.consents.has("owner_dead") &&
            seen.runningAttempt !== null &&
            round < maxRounds
          ) {
            const abandoned = yield* Effect.option(checkpoints.get(scope, seen.runningAttempt.id))
            if (Option.isSome(abandoned)) yield* recovery.assumeDead(abandoned.value)
            return yield* attempt(round + 1)
          }
          const facts = first.status === "refusing_to_resume" ? seen : yield* clearSurvivors(scope, seen)
          const decision = decide(facts)
          const { checkpoint } = facts
          if (decision.status === "refusing_to_resume" || checkpoint === null) return Resumed.Refused({ decision })
          if (options.screen === true && decision.status !== "resuming_same_session")
            return Resumed.Refused({ decision })
          const started = yield* begin(scope, checkpoint, facts, decision, options).pipe(
            Effect.asSome,
            Effect.catchTag("ClaimLost", () => Effect.succeedNone)
          )
          if (Option.isSome(started)) return Resumed.Started({ decision, run: started.value })
          if (round >= maxRounds) {
            return Resumed.Refused({
              decision: decide(yield* look(scope, id, options.request, options.task?.facts ?? null))
            })
          }
          // The winner's checkpoint is committed by now; what it means for us is decided from the facts again.
          yield* Effect.sleep(20 * (round + 1))
          return yield* attempt(round + 1)
        })
      return attempt(0)
    }

    const begin = (scope: Scope.Scope, source: Checkpoint, facts: Facts, decision: Decision, options: ResumeOptions) =>
      Effect.gen(function* () {
        const { request } = options
        const known = yield* providerOf(source, request)
        const provider = options.screen === true ? onItsScreen(known) : known
        const same = decision.status === "resuming_same_session"
        const workspace = yield* Effect.orElseSucceed(
          workspaces.resolve(request.cd ?? source.spec.workspace.cwd),
          () => source.spec.workspace
        )
        const { task } = options
        const resumed = resumeSpec(source, {
          request,
          same,
          workspace,
          permission: cappedPermission(facts, source),
          knownDamage: knownDamageOf(facts, source),
          attempt: facts.nextAttempt
        })
        const spec = task === undefined ? cappedLater(resumed, policy) : withTask(resumed, task)
        const ofTask = isTaskRun(spec)
        const events = ofTask
          ? yield* lineageEvents(scope, source)
          : same
            ? []
            : yield* store.events(source.id, 0, 10_000)
        const handover = handoverIn(events, source)
        const told = ofTask ? asTold(source, handover) : source
        const arrived = arrivedBy(facts.probe?.session)
        const now = yield* Clock.currentTimeMillis
        const number = phaseNumber(spec)
        return yield* runs.start(
          scope,
          provider,
          spec,
          {
            prompt: same
              ? samePrompt(told, request.instruction, arrived)
              : freshPrompt(told, request.instruction, events),
            conversation: conversationOf(source, same, request.fork),
            expectedSession: knownSession,
            ...(ofTask && options.screen !== true
              ? {
                  sequel: yield* Effect.provide(
                    makeTaskSequel({
                      policy,
                      gate: spec.gate ?? null,
                      failures: gateFailuresIn(events),
                      gaveUp: task?.gaveUp ?? keepIt
                    }),
                    sequelContext
                  )
                }
              : {})
          },
          {
            limits: options.limits,
            start: {
              ...(options.id === undefined ? {} : { id: options.id }),
              // The claim holds only while the source is still in the state that was decided about.
              eligible: source.state === "running" ? [] : [source.state],
              ...(same && !request.fork ? {} : { chooseSession: chooseSession(provider, spec) })
            },
            opening: [
              ...(task?.opening.map((event) => ({ ...event, phase: number })) ?? []),
              yield* decisionEvent(decision, number),
              ...(ofTask ? [phaseEntered({ ...spec, handover: { text: handover, truncated: false }, at: now })] : [])
            ]
          }
        )
      })

    /** The events of every attempt so far: what a task's run did is told in all of them. */
    const lineageEvents = (scope: Scope.Scope, source: Checkpoint) =>
      Effect.gen(function* () {
        const lineage = yield* Effect.orElseSucceed(checkpoints.lineage(scope, source.id), () => [source])
        const all = yield* Effect.forEach(lineage, ({ id }) => store.events(id, 0, 10_000))
        return all.flat()
      })

    const followUp: Resume["Type"]["followUp"] = (scope, session, task, options) =>
      Effect.gen(function* () {
        const request: ResumeRequest = { ...options.request, scope: "continue_session" }
        const page = yield* Effect.catchTag(
          checkpoints.list(scope, { ...everything, sessionId: session, attempts: true, dismissed: true, limit: 1 }),
          // The query has no cursor.
          "InvalidCursor",
          Effect.die
        )
        const newest = page.items[0]
        const facts = yield* look(scope, newest?.id ?? session, request)
        const decision = decide(facts)
        if (decision.status === "refusing_to_resume" || facts.checkpoint === null) return Resumed.Refused({ decision })
        const source = facts.checkpoint
        const provider = yield* providerOf(source, request)
        const same = decision.status === "resuming_same_session"
        const workspace = yield* Effect.orElseSucceed(
          workspaces.resolve(request.cd ?? source.spec.workspace.cwd),
          () => source.spec.workspace
        )
        const spec = followUpSpec(source, task, {
          request,
          same,
          workspace,
          permission: cappedPermission(facts, source),
          knownDamage: knownDamageOf(facts, source)
        })
        const run = yield* runs
          .start(
            scope,
            provider,
            spec,
            {
              prompt: task.prompt,
              conversation: conversationOf(source, same, request.fork),
              expectedSession: knownSession
            },
            {
              limits: options.limits,
              start: {
                ...(options.id === undefined ? {} : { id: options.id }),
                ...(same && !request.fork ? {} : { chooseSession: chooseSession(provider, spec) })
              },
              opening: [yield* decisionEvent(decision, phaseNumber(spec))]
            }
          )
          .pipe(Effect.catchTag("ClaimLost", (lost) => Effect.die(lost)))
        return Resumed.Started({ decision, run })
      })

    /** The provider that starts: `decide` has refused before this where there is none. */
    const providerOf = (source: Checkpoint, request: ResumeRequest): Effect.Effect<Provider> =>
      Effect.orDie(providers.find(request.provider ?? currentPhase(source.progress).provider))

    const examine: Resume["Type"]["examine"] = (scope, id, request = plainRequest, task) =>
      Effect.map(look(scope, id, request, task ?? null), (facts) => ({ facts, decision: decide(facts) }))

    return Resume.of({
      fromRecord: (checkpoint) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          decideFromRecord(checkpoint, policy, now, (id) => Option.getOrNull(providers.find(id)))
        ),
      afterLoss: (scope, id, request, task) =>
        Effect.map(look(scope, id, request, task ?? null), (facts) => decide({ ...facts, sessionLost: true })),
      examine,
      preview: (scope, id, request, task) => Effect.map(examine(scope, id, request, task), ({ decision }) => decision),
      execute,
      followUp
    })
  })

/** What the person has been told of by now: earlier damage, and a last line that is found cut. */
const knownDamageOf = ({ probe }: Facts, source: Checkpoint): number =>
  Math.max(source.spec.knownDamage, (probe?.session?.brokenLines ?? 0) + (probe?.session?.tailDamaged === true ? 1 : 0))

/** The provider as it is on its own screen. */
const onItsScreen = (provider: Provider): Provider => ({ ...provider, start: provider.takeOver ?? provider.start })

/** Phases and a gate are gone through by whoever runs a task, however it was resumed. */
const isTaskRun = (spec: RunSpec): boolean => spec.taskId !== null || spec.phases.length > 1 || spec.gate != null

/** What is stored of later phases may ask for no more than the policy allows. */
const cappedLater = (spec: RunSpec, policy: ResumePolicy): RunSpec => ({
  ...spec,
  phases: spec.phases.map((phase, index) =>
    index <= spec.phase || phase.permission === undefined
      ? phase
      : { ...phase, permission: capped(phase.permission, policy) }
  )
})

const withTask = (spec: RunSpec, { gate, later, loop }: TaskResume): RunSpec => ({
  ...spec,
  phases: [...spec.phases.slice(0, spec.phase + 1), ...later],
  gate,
  loop
})

const conversationOf =
  (source: Checkpoint, same: boolean, fork: boolean) =>
  (created: Checkpoint): Conversation => {
    const old = currentPhase(source.progress).providerSession
    if (!same || old === null) return Conversation.New({ id: knownSession(created) })
    return fork
      ? Conversation.Fork({ from: old.id, location: old.location, id: knownSession(created) })
      : Conversation.Continue({ id: old.id, location: old.location })
  }

export const layer = (
  policy: ResumePolicy = defaultPolicy
): Layer.Layer<
  Resume,
  never,
  Checkpoints | CheckpointStore | Gates | HostProcesses | Providers | Recovery | Redactor | Reverts | Runs | Workspaces
> => Layer.effect(Resume, make(policy))
