/**
 * For apps with an agent loop of their own: runs an effect inside a checkpoint. The checkpoint exists before the effect
 * starts; success completes it, failure fails it, interruption without a stored cancel makes it interrupted
 * (`shutdown`), and the death of the process is found by the next reconciliation.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import type { OwnerLockFailed } from "../host/OwnerIdentity.js"
import { Workspaces, type WorkspaceUnusable } from "../host/Workspaces.js"
import { Redactor } from "../privacy/Redactor.js"
import * as OpenTools from "../run/openTools.js"
import { type RunSpec, root } from "../session/RunSpec.js"
import type * as Scope from "../session/Scope.js"
import { bounded } from "../text/bounded.js"
import { oneLine } from "../text/oneLine.js"
import type { Checkpoint, Reason } from "./Checkpoint.js"
import { CheckpointStore, type Conflict, type Fenced, type StoreFailure } from "./CheckpointStore.js"
import { Checkpoints, type ClaimLost } from "./Checkpoints.js"
import type { NewEvent } from "./Event.js"
import type { SessionId } from "./ids.js"
import { reasonOf } from "./reason.js"
import { type EndState, type ReasonCode, stateOfReason } from "./state.js"

export interface TrackSpec {
  /** Name of the app: the run's provider is `app:NAME`, and only that app can resume it. */
  readonly app: string
  readonly agent: string
  readonly sessionId?: SessionId
  readonly title?: string
  readonly prompt: string
  readonly cwd: string
  readonly model?: string
  readonly labels?: Readonly<Record<string, string>>
}

/** What the tracked effect may tell its checkpoint. */
export interface Tracked {
  readonly checkpoint: Checkpoint
  /** Stores a message of the agent, redacted and bounded. */
  readonly message: (text: string) => Effect.Effect<void, StoreFailure | Fenced | Conflict>
  /** Stores that a tool is at work; until it is told to have finished, its effects are uncertain. */
  readonly toolStarted: (id: string, name: string) => Effect.Effect<void, StoreFailure | Fenced | Conflict>
  readonly toolFinished: (id: string, ok: boolean) => Effect.Effect<void, StoreFailure | Fenced | Conflict>
}

type TrackFailure = StoreFailure | Conflict | ClaimLost | OwnerLockFailed | Fenced | WorkspaceUnusable

/** What the effect told so far. */
interface Working {
  readonly messages: number
  readonly tools: OpenTools.OpenTools
}

const cancelPollMs = 250

/** Runs `effect` inside a new checkpoint and ends the checkpoint as the effect ended. */
export const track = <A, E, R>(
  scope: Scope.Scope,
  spec: TrackSpec,
  effect: (tracked: Tracked) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | TrackFailure, R | Checkpoints | CheckpointStore | Workspaces | Redactor> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const checkpoints = yield* Checkpoints
      const store = yield* CheckpointStore
      const { redact } = yield* Redactor
      const workspace = yield* Effect.flatMap(Workspaces, (workspaces) => workspaces.resolve(spec.cwd))
      const owned = yield* checkpoints.start(scope, runSpecOf(spec, workspace), {
        // The app keeps the conversation; it is known by the checkpoint that it began with (`appProvider`).
        chooseSession: (id, seenAt) => ({ id, assignedBy: "caller", seenAt, location: null })
      })
      const { checkpoint } = owned
      const working = yield* Ref.make<Working>({ messages: 0, tools: [] })

      const tell = (
        kind: NewEvent["kind"],
        message: string,
        payload: NewEvent["payload"],
        move: (before: Working, now: number) => Working
      ) =>
        Effect.gen(function* () {
          const timestamp = yield* Clock.currentTimeMillis
          const { messages, tools } = yield* Ref.updateAndGet(working, (before) => move(before, timestamp))
          const { position } = checkpoint.progress
          const next = {
            ...checkpoint.progress,
            position: { ...position, messages, openTool: OpenTools.newest(tools), lastActivityAt: timestamp }
          }
          const event: NewEvent = { kind, timestamp, phase: 0, message: oneLine(redact(message), 280), payload }
          yield* owned.advance({ progress: next, events: [event], durability: "full", confirmed: false })
        })

      const tracked: Tracked = {
        checkpoint,
        message: (text) =>
          tell("message", text, { role: "assistant", id: null, ...bounded(redact(text), 4096) }, (before) => ({
            ...before,
            messages: before.messages + 1
          })),
        toolStarted: (id, name) =>
          tell("tool_started", name, { id, name: redact(name) }, (before, since) => ({
            ...before,
            tools: OpenTools.started(before.tools, { id, name: oneLine(redact(name), 80), since })
          })),
        toolFinished: (id, ok) =>
          tell("tool_finished", `${id} ${ok ? "finished" : "failed"}`, { id, ok }, (before) => ({
            ...before,
            tools: OpenTools.finished(before.tools, id)
          }))
      }

      const cancelAsked: Effect.Effect<void> = store.cancelRequest(checkpoint.id).pipe(
        Effect.orElseSucceed(Option.none),
        Effect.flatMap((request) =>
          Option.isSome(request)
            ? Effect.void
            : Effect.zipRight(
                Effect.sleep(cancelPollMs),
                Effect.suspend(() => cancelAsked)
              )
        )
      )
      const work = yield* Effect.fork(restore(effect(tracked)))
      const watcher = yield* Effect.fork(Effect.interruptible(Effect.zipRight(cancelAsked, Fiber.interruptFork(work))))
      const exit = yield* Effect.onInterrupt(restore(Fiber.await(work)), () => Fiber.interrupt(work)).pipe(
        Effect.catchAllCause(() => Fiber.await(work))
      )
      yield* Fiber.interrupt(watcher)
      const request = yield* Effect.orElseSucceed(store.cancelRequest(checkpoint.id), Option.none)
      const ending = endingOf(exit, Option.getOrNull(request), redact)
      yield* owned.end({ ...ending, progress: yield* owned.progress, events: [] })
      return yield* exit
    })
  )

const endingOf = <A, E>(
  exit: Exit.Exit<A, E>,
  cancel: Checkpoint["cancelRequested"],
  redact: (text: string) => string
): { readonly state: EndState; readonly reason: Reason | null } => {
  if (exit._tag === "Success") return { state: "completed", reason: null }
  if (Cause.isInterruptedOnly(exit.cause)) {
    return cancel === null
      ? because("shutdown", "the owning process was asked to stop")
      : because(cancel.code, `cancelled by ${cancel.by}`)
  }
  return because("provider_error", redact(Cause.pretty(exit.cause).split("\n")[0] ?? "the run failed"))
}

const because = (code: ReasonCode, message: string): { readonly state: EndState; readonly reason: Reason } => ({
  state: stateOfReason(code),
  reason: reasonOf(code, message)
})

const runSpecOf = (spec: TrackSpec, workspace: RunSpec["workspace"]): RunSpec => ({
  agent: spec.agent,
  sessionId: spec.sessionId ?? null,
  taskId: null,
  key: null,
  labels: spec.labels ?? {},
  title: spec.title ?? null,
  origin: "api",
  prompt: spec.prompt,
  instruction: null,
  provider: `app:${spec.app}`,
  providerArgs: [],
  permission: "edit",
  addDirs: [],
  workspace,
  phases: [
    {
      name: "run",
      provider: `app:${spec.app}`,
      model: spec.model ?? null,
      thinking: null,
      providerSession: null,
      cumulativeUsage: null
    }
  ],
  phase: 0,
  loop: null,
  knownDamage: 0,
  lineage: root
})
