/**
 * Drives a provider into a checkpoint: commits before it starts, folds what it says, commits as it goes, and stores the
 * one true end. All judgement is in `progress`, `ending` and `watchdog`; this service only moves things between them.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import type * as EffectScope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Checkpoint, Reason } from "../checkpoint/Checkpoint.js"
import { currentPhase } from "../checkpoint/Checkpoint.js"
import { CheckpointStore, type Conflict, type Fenced, type StoreFailure } from "../checkpoint/CheckpointStore.js"
import { Checkpoints, type ClaimLost, type StartOptions } from "../checkpoint/Checkpoints.js"
import type { NewEvent, StoredEvent } from "../checkpoint/Event.js"
import { OutputLog } from "../host/OutputLog.js"
import type { OwnerLockFailed } from "../host/OwnerIdentity.js"
import { Workspaces } from "../host/Workspaces.js"
import { Redactor } from "../privacy/Redactor.js"
import type {
  Conversation,
  Provider,
  ProviderNotFound,
  ProviderStartFailed,
  RunningProvider
} from "../provider/Provider.js"
import type { RunEvent } from "../provider/RunEvent.js"
import type { RunSpec } from "../session/RunSpec.js"
import type * as Scope from "../session/Scope.js"
import { makeCommitter } from "./committer.js"
import { type Ending, endingOf, type OwnStop } from "./ending.js"
import type { Folding } from "./progress.js"
import * as Watchdog from "./watchdog.js"

/** A run of this process. */
export interface LiveRun {
  /** As it was created. */
  readonly checkpoint: Checkpoint
  /** Its events as they are committed, ending with `state_changed`. For one reader. */
  readonly events: Stream.Stream<StoredEvent>
  /** The checkpoint once it has ended. `Fenced`: another process took the run over. */
  readonly outcome: Effect.Effect<Checkpoint, Fenced | StoreFailure>
  /** Ends the provider for a reason of ours; the first reason counts. Returns when the provider has ended. */
  readonly stop: (cause: OwnStop["cause"]) => Effect.Effect<void>
}

/** What a run says in which conversation, besides its spec. */
export interface RunInput {
  readonly conversation: (checkpoint: Checkpoint) => Conversation
  /** What is sent to the provider. */
  readonly prompt: string
  /** The id that the provider must open; `null`: whatever it opens is right. */
  readonly expectedSession: (checkpoint: Checkpoint) => string | null
}

export interface RunOptions {
  readonly limits: Watchdog.WatchLimits
  readonly start: StartOptions
  /** Events that follow `created`, told before the provider is started. */
  readonly opening: ReadonlyArray<NewEvent>
}

export class Runs extends Context.Tag("@alluka/core/Runs")<
  Runs,
  {
    /**
     * Begins a run. When it returns, the checkpoint is committed and the run goes on by itself; closing the scope ends it
     * as `shutdown` and waits until that is stored.
     */
    readonly start: (
      scope: Scope.Scope,
      provider: Provider,
      spec: RunSpec,
      input: RunInput,
      options: RunOptions
    ) => Effect.Effect<LiveRun, StoreFailure | Conflict | ClaimLost | OwnerLockFailed, EffectScope.Scope>
  }
>() {}

/** How often the owner looks for a stored cancel, flushes what waits, and watches the clock, ms. */
const tickMs = 250
/** How long the rest of a provider's stream is waited for once its processes were ended, ms. */
const drainMs = 3000
/** How long an end is tried to be stored in a store that cannot be written (a full disk), ms. A lock is waited for without limit. */
const endRetryMs = 60_000

type Input = RunEvent | "tick" | "drained"

export const make = Effect.gen(function* () {
  const checkpoints = yield* Checkpoints
  const store = yield* CheckpointStore
  const output = yield* OutputLog
  const workspaces = yield* Workspaces
  const redactor = yield* Redactor

  const start: Runs["Type"]["start"] = (scope, provider, spec, input, options) =>
    Effect.gen(function* () {
      const owned = yield* checkpoints.start(scope, spec, options.start)
      const { checkpoint } = owned
      const published = yield* Mailbox.make<StoredEvent>()
      const outcome = yield* Deferred.make<Checkpoint, Fenced | StoreFailure>()
      const stopped = yield* Ref.make<OwnStop | null>(null)
      const cancelled = yield* Ref.make(false)
      const running = yield* Deferred.make<Option.Option<RunningProvider>>()
      const inbox = yield* Queue.bounded<Input>(256)
      const committer = yield* makeCommitter({
        owned,
        output,
        redact: redactor.redact,
        expectedSession: input.expectedSession(checkpoint),
        opening: options.opening,
        publish: (events) => published.offerAll(events)
      })

      /** Ends the provider's processes and, should its stream not end with them, the wait for it. */
      const endProvider = (cause: Parameters<RunningProvider["stop"]>[0]) =>
        Effect.gen(function* () {
          const handle = yield* Deferred.await(running)
          if (Option.isNone(handle)) return
          yield* handle.value.stop(cause)
          yield* Effect.forkDaemon(Effect.delay(Queue.offer(inbox, "drained"), drainMs))
        })
      const halt = (stop: OwnStop) =>
        Effect.flatMap(
          Ref.modify(stopped, (before) => [before === null, before ?? stop] as const),
          (first) => (first ? endProvider(stop.cause) : Effect.void)
        )
      const haltSoon = (stop: OwnStop) => Effect.forkDaemon(halt(stop))

      const watchForCancel = Effect.gen(function* () {
        if (yield* Ref.get(cancelled)) return
        const request = yield* Effect.orElseSucceed(store.cancelRequest(checkpoint.id), Option.none)
        if (Option.isNone(request)) return
        yield* Ref.set(cancelled, true)
        yield* Effect.forkDaemon(endProvider("cancel"))
      })

      const loop = Effect.gen(function* () {
        let watch = Watchdog.fresh
        let looked = yield* monotonicMs
        while (true) {
          const next = yield* Queue.take(inbox)
          if (next === "drained") return
          if (next === "tick") {
            const now = yield* monotonicMs
            const state = yield* committer.state
            watch = Watchdog.tick(
              watch,
              now - looked,
              yield* Clock.currentTimeMillis,
              state.progress.position.openTool !== null
            )
            looked = now
            const over = Watchdog.verdict(watch, options.limits)
            if (over !== null) yield* haltSoon({ cause: over, detail: null })
            yield* watchForCancel
            yield* committer.flushLazily
          } else {
            watch = next._tag === "Retrying" ? Watchdog.retrying(watch, next.until) : Watchdog.alive(watch)
            yield* committer.accept(next)
            if (next._tag === "Exited") return
          }
          const trouble = yield* committer.trouble
          if (trouble !== null) yield* haltSoon(trouble)
        }
      })

      const finish = (state: Folding, ending: Ending) =>
        Effect.gen(function* () {
          const changes = yield* workspaces.changesSince(spec.workspace)
          const rest = yield* committer.rest
          const done = yield* owned.end({ ...ending, progress: { ...state.progress, changes }, events: rest }).pipe(
            Effect.retry({
              while: (failure) => failure._tag !== "Fenced",
              schedule: Schedule.spaced(500).pipe(Schedule.upTo(endRetryMs))
            })
          )
          yield* published.offerAll(done.events)
          return done.checkpoint
        })

      const drive = Effect.gen(function* () {
        yield* committer.flush
        const attempted = yield* Effect.either(
          provider.start({
            checkpointId: checkpoint.id,
            conversation: input.conversation(checkpoint),
            prompt: input.prompt,
            cwd: spec.workspace.realPath,
            model: currentPhase(checkpoint.progress).model.requested,
            thinking: currentPhase(checkpoint.progress).thinking.requested,
            permission: spec.permission,
            addDirs: spec.addDirs,
            args: spec.providerArgs
          })
        )
        if (attempted._tag === "Left") {
          yield* Deferred.succeed(running, Option.none())
          return yield* finish(yield* committer.state, unstarted(attempted.left))
        }
        yield* Deferred.succeed(running, Option.some(attempted.right))
        const reader = yield* Effect.fork(
          Stream.runForEach(attempted.right.events, (event) => Queue.offer(inbox, event)).pipe(
            Effect.zipRight(Queue.offer(inbox, "drained"))
          )
        )
        const ticker = yield* Effect.fork(Effect.repeat(Queue.offer(inbox, "tick"), Schedule.spaced(tickMs)))
        yield* loop
        yield* Fiber.interruptAll([reader, ticker])
        const fenced = yield* committer.fenced
        if (fenced !== null) return yield* Effect.fail(fenced)
        const state = yield* committer.state
        const request = yield* Effect.orElseSucceed(store.cancelRequest(checkpoint.id), Option.none)
        return yield* finish(
          state,
          endingOf({
            succeeded: state.succeeded,
            cancel: Option.getOrNull(request),
            stopped: yield* Ref.get(stopped),
            failure: state.failure,
            exit: state.exit,
            stderr: state.stderr,
            limits: options.limits,
            resetFromText: yield* resetFromText(state)
          })
        )
      })

      const fiber = yield* Effect.forkDaemon(
        Effect.scoped(drive).pipe(Effect.onExit((exit) => Effect.zipRight(Deferred.done(outcome, exit), published.end)))
      )
      yield* Effect.addFinalizer(() => Effect.zipRight(halt({ cause: "shutdown", detail: null }), Fiber.await(fiber)))
      return {
        checkpoint,
        events: Mailbox.toStream(published),
        outcome: Deferred.await(outcome),
        stop: (cause) => halt({ cause, detail: null })
      }
    })

  return Runs.of({ start })
})

const monotonicMs = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos / 1_000_000n))

/** Reads the reset time from the words of a usage limit; the date library is loaded only where it is needed. */
const resetFromText = (state: Folding) =>
  state.failure?.code !== "usage_limit" || state.failure.resetsAt !== null
    ? Effect.succeed(null)
    : Effect.gen(function* () {
        const { resetTime } = yield* Effect.promise(() => import("../limits/resetTime.js"))
        const now = yield* Clock.currentTimeMillis
        return resetTime(state.failure?.text ?? "", now, localZone())?.at ?? null
      })

const localZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

const unstarted = (error: ProviderNotFound | ProviderStartFailed): Ending => {
  const reason: Reason = {
    code: error._tag === "ProviderNotFound" ? "provider_not_found" : "provider_error",
    message: error.message,
    detail: null,
    resetsAt: null,
    resetsAtSource: null,
    exitCode: null,
    signal: null,
    providerText: null,
    truncated: false
  }
  return { state: "failed", reason }
}

export const layer: Layer.Layer<Runs, never, Checkpoints | CheckpointStore | OutputLog | Workspaces | Redactor> =
  Layer.effect(Runs, make)
