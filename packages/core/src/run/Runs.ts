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
import type { Checkpoint, Time } from "../checkpoint/Checkpoint.js"
import { currentPhase } from "../checkpoint/Checkpoint.js"
import { CheckpointStore, type Conflict, type Fenced, type StoreFailure } from "../checkpoint/CheckpointStore.js"
import { Checkpoints, type ClaimLost, type StartOptions } from "../checkpoint/Checkpoints.js"
import type { NewEvent, StoredEvent } from "../checkpoint/Event.js"
import { reasonOf } from "../checkpoint/reason.js"
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
import { Following, type Sequel, type Turn, type TurnEnded } from "./sequel.js"
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
  /** What follows when the provider has ended; left out: the end of the run. */
  readonly sequel?: Sequel
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

/** The invocation of a provider that goes on now. */
interface Invocation {
  readonly inbox: Queue.Queue<Input>
  /** The provider once it has started; none: it did not. */
  readonly running: Deferred.Deferred<Option.Option<RunningProvider>>
}

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
      /** Done at the first stop or cancel: what goes on between two invocations is interrupted by it. */
      const halted = yield* Deferred.make<void>()
      const invocation = yield* Ref.make<Invocation | null>(null)
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
          const now = yield* Ref.get(invocation)
          if (now === null) return
          const handle = yield* Deferred.await(now.running)
          if (Option.isNone(handle)) return
          yield* handle.value.stop(cause)
          yield* Effect.forkDaemon(Effect.delay(Queue.offer(now.inbox, "drained"), drainMs))
        })
      const halt = (stop: OwnStop) =>
        Effect.flatMap(
          Ref.modify(stopped, (before) => [before === null, before ?? stop] as const),
          (first) =>
            first ? Effect.zipRight(Deferred.succeed(halted, undefined), endProvider(stop.cause)) : Effect.void
        )
      const haltSoon = (stop: OwnStop) => Effect.forkDaemon(halt(stop))

      const watchForCancel = Effect.gen(function* () {
        if (yield* Ref.get(cancelled)) return
        const request = yield* Effect.orElseSucceed(store.cancelRequest(checkpoint.id), Option.none)
        if (Option.isNone(request)) return
        yield* Ref.set(cancelled, true)
        yield* Deferred.succeed(halted, undefined)
        yield* Effect.forkDaemon(endProvider("cancel"))
      })

      /** When the provider ended. A store that is locked then must not make the run look longer. */
      const exitedAt = yield* Ref.make<Time | null>(null)
      const noteExit = Effect.flatMap(Clock.currentTimeMillis, (now) => Ref.set(exitedAt, now))
      const watched = yield* Ref.make(Watchdog.fresh)
      const read = (inbox: Queue.Queue<Input>) =>
        Effect.gen(function* () {
          let watch = Watchdog.alive(yield* Ref.get(watched))
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
              yield* Ref.set(watched, watch)
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

      const finish = (ending: Ending, events: ReadonlyArray<NewEvent> = []) =>
        Effect.gen(function* () {
          const state = yield* committer.state
          const changes = yield* workspaces.changesSince(spec.workspace)
          const rest = [...(yield* committer.rest), ...events]
          const endedAt = yield* Ref.get(exitedAt)
          const done = yield* owned
            .end({ ...ending, progress: { ...state.progress, changes }, events: rest, endedAt })
            .pipe(
              Effect.retry({
                while: (failure) => failure._tag !== "Fenced",
                schedule: Schedule.spaced(500).pipe(Schedule.upTo(endRetryMs))
              })
            )
          yield* published.offerAll(done.events)
          return done.checkpoint
        })

      /** How the run ends by what is known now. */
      const ending = (state: Folding, succeeded: boolean) =>
        Effect.gen(function* () {
          const request = yield* Effect.orElseSucceed(store.cancelRequest(checkpoint.id), Option.none)
          const trouble = yield* committer.trouble
          return endingOf({
            succeeded,
            cancel: Option.getOrNull(request),
            // A provider may end by itself before it is ended for a mismatch.
            stopped: trouble?.cause === "mismatch" ? trouble : yield* Ref.get(stopped),
            failure: state.failure,
            exit: state.exit,
            stderr: state.stderr,
            limits: options.limits,
            resetFromText: yield* resetFromText(state)
          })
        })

      /** One invocation of a provider, from its start to its last event; how the run would end with it. */
      const invoke = (turn: Turn) =>
        Effect.gen(function* () {
          const inbox = yield* Queue.bounded<Input>(256)
          const running = yield* Deferred.make<Option.Option<RunningProvider>>()
          yield* Ref.set(invocation, { inbox, running })
          // Whoever stops the run from here on finds this invocation; who did before is found here.
          if (yield* Deferred.isDone(halted)) {
            yield* Deferred.succeed(running, Option.none())
            return yield* ending(yield* committer.state, false)
          }
          const { phases, phase } = (yield* committer.state).progress
          const attempted = yield* Effect.either(
            turn.provider.start({
              checkpointId: checkpoint.id,
              conversation: turn.conversation,
              prompt: turn.prompt,
              cwd: spec.workspace.realPath,
              model: phases[phase]?.model.requested ?? null,
              thinking: phases[phase]?.thinking.requested ?? null,
              permission: turn.permission,
              addDirs: spec.addDirs,
              args: turn.provider.id === spec.provider ? spec.providerArgs : []
            })
          )
          if (attempted._tag === "Left") {
            yield* Deferred.succeed(running, Option.none())
            return unstarted(attempted.left)
          }
          yield* Deferred.succeed(running, Option.some(attempted.right))
          const reader = yield* Effect.fork(
            Stream.runForEach(attempted.right.events, (event) =>
              Effect.zipRight(event._tag === "Exited" ? noteExit : Effect.void, Queue.offer(inbox, event))
            ).pipe(Effect.zipRight(Queue.offer(inbox, "drained")))
          )
          const ticker = yield* Effect.fork(Effect.repeat(Queue.offer(inbox, "tick"), Schedule.spaced(tickMs)))
          yield* read(inbox)
          yield* Fiber.interruptAll([reader, ticker])
          const state = yield* committer.state
          return yield* ending(state, state.succeeded)
        }).pipe(Effect.scoped, Effect.ensuring(Ref.set(invocation, null)))

      /** What follows an invocation; a stop or a cancel ends the run instead. */
      const after = (sequel: Sequel, over: Ending) =>
        Effect.gen(function* () {
          const state = yield* committer.state
          const ended: TurnEnded = {
            checkpoint: { ...checkpoint, progress: state.progress },
            ending: over,
            lostSession: state.failure?.lostSession ?? null,
            answer: state.answer
          }
          if (yield* sequel.isOver(ended)) return Following.End({ ending: over, events: [] })
          const ticks = Effect.repeat(watchForCancel, Schedule.spaced(tickMs))
          const followed = yield* Effect.raceFirst(
            Effect.asSome(sequel.follow(ended, { tell: committer.tell })),
            Effect.raceFirst(Effect.as(Deferred.await(halted), Option.none()), Effect.as(ticks, Option.none()))
          )
          return Option.isSome(followed)
            ? followed.value
            : Following.End({ ending: over.state === "completed" ? yield* ending(state, false) : over, events: [] })
        })

      const drive = Effect.gen(function* () {
        yield* committer.flush
        let turn: Turn = {
          provider,
          conversation: input.conversation(checkpoint),
          prompt: input.prompt,
          permission: currentPhase(checkpoint.progress).permission ?? spec.permission,
          expectedSession: input.expectedSession(checkpoint)
        }
        while (true) {
          const over = yield* invoke(turn)
          const fenced = yield* committer.fenced
          if (fenced !== null) return yield* Effect.fail(fenced)
          if (input.sequel === undefined) return yield* finish(over)
          const following = yield* after(input.sequel, over)
          if (following._tag === "End") return yield* finish(following.ending, following.events)
          turn = following.turn
          yield* committer.beginTurn(following.progress, turn.expectedSession, following.events)
          const trouble = yield* committer.trouble
          if (trouble !== null) yield* halt(trouble)
        }
      })

      const fiber = yield* Effect.forkDaemon(
        drive.pipe(Effect.onExit((exit) => Effect.zipRight(Deferred.done(outcome, exit), published.end)))
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

const unstarted = (error: ProviderNotFound | ProviderStartFailed): Ending => ({
  state: "failed",
  reason: reasonOf(error._tag === "ProviderNotFound" ? "provider_not_found" : "provider_error", error.message)
})

export const layer: Layer.Layer<Runs, never, Checkpoints | CheckpointStore | OutputLog | Workspaces | Redactor> =
  Layer.effect(Runs, make)
