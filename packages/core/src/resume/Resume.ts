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
import type { Checkpoint } from "../checkpoint/Checkpoint.js"
import { currentPhase } from "../checkpoint/Checkpoint.js"
import { CheckpointStore, type Conflict, type StoreFailure } from "../checkpoint/CheckpointStore.js"
import { Checkpoints } from "../checkpoint/Checkpoints.js"
import type { NewEvent } from "../checkpoint/Event.js"
import type { CheckpointId } from "../checkpoint/ids.js"
import type { EndState } from "../checkpoint/state.js"
import { decisionPayload } from "../contract/decisionDocument.js"
import { HostProcesses } from "../host/HostProcesses.js"
import type { OwnerLockFailed } from "../host/OwnerIdentity.js"
import { Workspaces } from "../host/Workspaces.js"
import { Conversation, Providers } from "../provider/Provider.js"
import { Recovery } from "../recovery/Recovery.js"
import { chooseSession } from "../run/chooseSession.js"
import { type LiveRun, Runs } from "../run/Runs.js"
import type { WatchLimits } from "../run/watchdog.js"
import type { RunSpec } from "../session/RunSpec.js"
import type * as Scope from "../session/Scope.js"
import type { Decision } from "./Decision.js"
import { cappedPermission, decide } from "./decide.js"
import { defaultPolicy, type Facts, plainRequest, type ResumePolicy, type ResumeRequest } from "./Facts.js"
import { fromRecord, probed, type Question, withoutRecord } from "./gather.js"
import { freshPrompt, samePrompt } from "./handover.js"

export interface ResumeOptions {
  readonly request: ResumeRequest
  readonly limits: WatchLimits
  /** The id to use for the new checkpoint, where the caller has promised one (a detached start). */
  readonly id?: CheckpointId
}

export type Resumed = Data.TaggedEnum<{
  Refused: { readonly decision: Decision }
  Started: { readonly decision: Decision; readonly run: LiveRun }
}>
export const Resumed = Data.taggedEnum<Resumed>()

export class Resume extends Context.Tag("@alluka/core/Resume")<
  Resume,
  {
    /** What the record alone says, for lists. */
    readonly fromRecord: (checkpoint: Checkpoint) => Effect.Effect<Decision>
    /** What a resume would do. Changes nothing. `id`: as a person typed it. */
    readonly preview: (scope: Scope.Scope, id: string, request?: ResumeRequest) => Effect.Effect<Decision, StoreFailure>
    /** Decides, claims, and starts the run in the caller's scope; or says why not, having changed nothing. */
    readonly execute: (
      scope: Scope.Scope,
      id: string,
      options: ResumeOptions
    ) => Effect.Effect<Resumed, StoreFailure | Conflict | OwnerLockFailed, EffectScope.Scope>
  }
>() {}

/** How often an execution decides anew after it lost a claim, or after it ended what was in the way. */
const maxRounds = 4
/** How long the processes that a person told us to end are given, ms. */
const survivorGraceMs = 5000

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

    const look = (scope: Scope.Scope, id: string, request: ResumeRequest): Effect.Effect<Facts, StoreFailure> => {
      const question: Question = { requestedId: id, request, policy, task: null }
      const unreadable = (trouble: NonNullable<Facts["trouble"]>, detail: string | null) =>
        Effect.map(Clock.currentTimeMillis, (now) => withoutRecord(question, trouble, detail, now))
      return checkpoints.find(scope, id).pipe(
        Effect.flatMap((checkpoint) => probed(scope, checkpoint, question)),
        Effect.catchTags({
          CheckpointNotFound: () => unreadable("checkpoint_not_found", null),
          AmbiguousId: (error) => unreadable("checkpoint_not_found", error.message),
          RecordCorrupt: (error) => unreadable("record_corrupt", error.message)
        }),
        Effect.provide(context)
      )
    }

    const execute: Resume["Type"]["execute"] = (scope, id, options) => {
      const attempt = (round: number): ReturnType<Resume["Type"]["execute"]> =>
        Effect.gen(function* () {
          const facts = yield* look(scope, id, options.request)
          const decision = decide(facts)
          const { checkpoint } = facts
          const { consents } = options.request
          if (
            decision.reason === "owner_unknown" &&
            consents.has("owner_dead") &&
            facts.runningAttempt !== null &&
            round < maxRounds
          ) {
            const abandoned = yield* Effect.either(checkpoints.get(scope, facts.runningAttempt.id))
            if (abandoned._tag === "Right") yield* recovery.assumeDead(abandoned.right)
            return yield* attempt(round + 1)
          }
          if (decision.status === "refusing_to_resume" || checkpoint === null) return Resumed.Refused({ decision })
          if (facts.probe?.survivor != null && consents.has("survivor")) {
            const lineage = yield* Effect.orElseSucceed(checkpoints.lineage(scope, checkpoint.id), () => [checkpoint])
            const left = yield* processes.endAll(
              lineage.map((each) => each.id),
              survivorGraceMs
            )
            if (left.length > 0) {
              const withoutConsent = {
                ...options.request,
                consents: new Set([...consents].filter((each) => each !== "survivor"))
              }
              return Resumed.Refused({ decision: decide({ ...facts, request: withoutConsent }) })
            }
          }
          const started = yield* begin(scope, checkpoint, facts, decision, options).pipe(
            Effect.map((run) => Option.some(run)),
            Effect.catchTag("ClaimLost", () => Effect.succeed(Option.none<LiveRun>()))
          )
          if (Option.isSome(started)) return Resumed.Started({ decision, run: started.value })
          if (round >= maxRounds) {
            const again = decide(yield* look(scope, id, options.request))
            return Resumed.Refused({ decision: again })
          }
          // The winner may not have told anyone yet why it holds the claim; give it a moment.
          yield* Effect.sleep(20 * (round + 1))
          return yield* attempt(round + 1)
        })
      return attempt(0)
    }

    const begin = (scope: Scope.Scope, source: Checkpoint, facts: Facts, decision: Decision, options: ResumeOptions) =>
      Effect.gen(function* () {
        const { request } = options
        const phase = currentPhase(source.progress)
        const same = decision.status === "resuming_same_session"
        const providerId = request.provider ?? phase.provider
        const provider = Option.getOrThrow(providers.find(providerId))
        const workspace = yield* Effect.orElseSucceed(
          workspaces.resolve(request.cd ?? source.spec.workspace.cwd),
          () => source.spec.workspace
        )
        const kept = request.provider === null || request.provider === phase.provider
        const spec: RunSpec = {
          agent: source.agent,
          sessionId: same && !request.fork ? source.sessionId : null,
          taskId: source.taskId,
          key: null,
          labels: source.labels,
          title: source.title,
          origin: "resume",
          prompt: source.spec.prompt,
          instruction: request.instruction,
          provider: providerId,
          providerArgs: kept ? source.spec.providerArgs : [],
          permission: cappedPermission(facts, source),
          addDirs: source.spec.addDirs,
          workspace,
          phases: source.progress.phases.map((each, index) =>
            index === source.progress.phase
              ? {
                  name: each.name,
                  provider: providerId,
                  model: request.model ?? (kept ? (each.model.requested ?? each.model.actual) : null),
                  thinking: request.thinking ?? (kept ? (each.thinking.requested ?? each.thinking.actual) : null),
                  providerSession: same && !request.fork ? reopened(each.providerSession) : null,
                  cumulativeUsage: same ? source.progress.cumulativeUsage : null
                }
              : {
                  name: each.name,
                  provider: each.provider,
                  model: each.model.requested,
                  thinking: each.thinking.requested,
                  providerSession: index < source.progress.phase ? each.providerSession : null,
                  cumulativeUsage: null
                }
          ),
          phase: source.progress.phase,
          loop: source.spec.loop,
          lineage: request.fork
            ? { kind: "fork", from: source.id }
            : { kind: "resume", from: source.id, rootId: source.rootId, attempt: facts.nextAttempt }
        }
        const events = same ? [] : yield* store.events(source.id, 0, 10_000)
        const now = yield* Clock.currentTimeMillis
        const old = phase.providerSession
        const promptMissing = facts.probe?.session?.promptMissing === true
        return yield* runs.start(
          scope,
          provider,
          spec,
          {
            prompt: same
              ? samePrompt(source, request.instruction, promptMissing)
              : freshPrompt(source, request.instruction, events),
            conversation: (created) => {
              const chosen = currentPhase(created.progress).providerSession
              if (!same || old === null) return Conversation.New({ id: chosen?.id ?? null })
              return request.fork
                ? Conversation.Fork({ from: old.id, location: old.location, id: chosen?.id ?? null })
                : Conversation.Continue({ id: old.id, location: old.location })
            },
            expectedSession: (created) => currentPhase(created.progress).providerSession?.id ?? null
          },
          {
            limits: options.limits,
            start: {
              ...(options.id === undefined ? {} : { id: options.id }),
              eligible: eligibleStates(source),
              ...(same && !request.fork ? {} : { chooseSession: chooseSession(provider, spec) })
            },
            opening: [decisionEvent(decision, source.progress.phase, now)]
          }
        )
      })

    return Resume.of({
      fromRecord: (checkpoint) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const question: Question = { requestedId: checkpoint.id, request: plainRequest, policy, task: null }
          return decide(yield* fromRecord(checkpoint, question, now))
        }).pipe(Effect.provideService(Providers, providers)),
      preview: (scope, id, request = plainRequest) => Effect.map(look(scope, id, request), decide),
      execute
    })
  })

/** A session that is about to be opened again: known, but not yet named by the provider in this attempt. */
const reopened = (session: Checkpoint["progress"]["phases"][number]["providerSession"]) =>
  session === null ? null : { ...session, seenAt: null }

/** The claim holds only while the source is still in the state that was decided about. */
const eligibleStates = (source: Checkpoint): ReadonlyArray<EndState> =>
  source.state === "running" ? [] : [source.state]

const decisionEvent = (decision: Decision, phase: number, timestamp: number): NewEvent => ({
  kind: "resume_decision",
  timestamp,
  phase,
  message: decision.message,
  payload: decisionPayload(decision)
})

export const layer = (
  policy: ResumePolicy = defaultPolicy
): Layer.Layer<
  Resume,
  never,
  Checkpoints | CheckpointStore | Providers | HostProcesses | Recovery | Runs | Workspaces
> => Layer.effect(Resume, make(policy))
