/**
 * Gathers the facts of a resume decision: from the record alone for lists, with a look at the world for previews and
 * executions. Nothing here changes anything, and nothing that could not be found out is taken for absence.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Checkpoint } from "../checkpoint/Checkpoint.js"
import { currentPhase } from "../checkpoint/Checkpoint.js"
import { CheckpointStore, type StoreFailure } from "../checkpoint/CheckpointStore.js"
import { Checkpoints } from "../checkpoint/Checkpoints.js"
import { reached, tipOf } from "../checkpoint/lineage.js"
import { HostProcesses } from "../host/HostProcesses.js"
import { Workspaces } from "../host/Workspaces.js"
import { Providers } from "../provider/Provider.js"
import { Recovery } from "../recovery/Recovery.js"
import type * as Scope from "../session/Scope.js"
import type { Facts, Probe, RunningAttempt } from "./Facts.js"
import { factsOfRecord, type Question } from "./record.js"

/** Facts that the record alone tells. */
export const fromRecord = (checkpoint: Checkpoint, question: Question, now: number) =>
  Effect.map(Providers, (providers) =>
    factsOfRecord(checkpoint, question, now, (id) => Option.getOrNull(providers.find(id)))
  )

/** Facts with a look at the world. */
export const probed = (scope: Scope.Scope, checkpoint: Checkpoint, question: Question) =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints
    const store = yield* CheckpointStore
    const now = yield* Clock.currentTimeMillis
    const base = yield* fromRecord(checkpoint, question, now)
    const lineage = yield* checkpoints.lineage(scope, checkpoint.id)
    const phase = currentPhase(checkpoint.progress)
    // Read after the lineage: an attempt that began in between is one of ours all the same.
    const outside = (found: ReadonlyArray<Checkpoint>) => found.filter(({ rootId }) => rootId !== checkpoint.rootId)
    const live = yield* store.running({ sessionId: checkpoint.sessionId })
    const inSession = outside(live)
    const inConversation =
      phase.providerSession === null
        ? []
        : outside(yield* store.running({ providerSession: { provider: phase.provider, id: phase.providerSession.id } }))
    const running =
      lineage.find(({ state }) => state === "running") ?? live.find(({ rootId }) => rootId === checkpoint.rootId)
    const runningAttempt = running === undefined ? null : yield* attemptOf(running)
    return {
      ...base,
      tip: tipOf(lineage)?.id ?? null,
      attempts: lineage.filter((attempt) => reached(attempt, lineage)).length,
      nextAttempt: Math.max(...lineage.map(({ attempt }) => attempt), 0) + 1,
      runningAttempt,
      sessionHolder: yield* firstLive([...inSession, ...inConversation]),
      // A live attempt settles it: nobody who comes second should wait for a look at folders and programs.
      probe: runningAttempt?.liveness === "alive" ? null : yield* lookAround(checkpoint, question, lineage),
      basis: "probed"
    } satisfies Facts
  })

const attemptOf = (checkpoint: Checkpoint) =>
  Effect.gen(function* () {
    const recovery = yield* Recovery
    const liveness = yield* recovery.ownerOf(checkpoint)
    if (liveness._tag === "Dead") return null
    const attempt: RunningAttempt = {
      id: checkpoint.id,
      pid: checkpoint.owner.pid,
      host: checkpoint.owner.host,
      since: checkpoint.startedAt,
      liveness: liveness._tag === "Alive" ? "alive" : "unknown",
      why: liveness._tag === "Unknown" ? liveness.why : null
    }
    return attempt
  })

const firstLive = (candidates: ReadonlyArray<Checkpoint>) =>
  Effect.gen(function* () {
    for (const candidate of candidates) {
      const attempt = yield* attemptOf(candidate)
      if (attempt !== null) return attempt
    }
    return null
  })

const lookAround = (
  checkpoint: Checkpoint,
  question: Question,
  lineage: ReadonlyArray<Checkpoint>
): Effect.Effect<Probe, StoreFailure, Providers | Workspaces | HostProcesses | CheckpointStore | Recovery> =>
  Effect.gen(function* () {
    const providers = yield* Providers
    const workspaces = yield* Workspaces
    const processes = yield* HostProcesses
    const store = yield* CheckpointStore
    const phase = currentPhase(checkpoint.progress)
    const own = Option.getOrNull(providers.find(phase.provider))
    const starter =
      question.request.provider === null ? own : Option.getOrNull(providers.find(question.request.provider))

    const folder = question.request.cd ?? checkpoint.spec.workspace.cwd
    const resolved = yield* Effect.either(workspaces.resolve(folder))
    const workspace: Probe["workspace"] =
      resolved._tag === "Right"
        ? { _tag: "Usable", realPath: resolved.right.realPath }
        : { _tag: "Unusable", code: resolved.left.code, path: resolved.left.path, detail: resolved.left.detail }

    const [availability, auth, session, location, survivors, drift, neighbours] = yield* Effect.all(
      [
        starter === null ? Effect.succeed(null) : starter.detect,
        // A sign-in probe starts the program, and a missing sign-in ends a run within a second anyway: asked only where the
        // last attempt failed for it, so that nobody is told "resuming" again and again.
        starter === null || checkpoint.reason?.code !== "auth_required"
          ? Effect.succeed("unknown" as const)
          : starter.auth,
        own === null || phase.providerSession === null || !own.isSessionId(phase.providerSession.id)
          ? Effect.succeed(null)
          : own.inspectSession(phase.providerSession, checkpoint.spec.workspace.realPath),
        own === null ? Effect.succeed(null) : own.location,
        processes.survivors(lineage.map(({ id }) => id)),
        resolved._tag === "Right" ? workspaces.drift(checkpoint.spec.workspace) : Effect.succeed(null),
        resolved._tag === "Right"
          ? store.running({ folder: resolved.right.realPath })
          : Effect.succeed<ReadonlyArray<Checkpoint>>([])
      ],
      { concurrency: "unbounded" }
    )
    const ids = new Set(lineage.map(({ id }) => id))
    const live = yield* Effect.filter(
      neighbours.filter(({ id }) => !ids.has(id)),
      (neighbour) => Effect.map(attemptOf(neighbour), (attempt) => attempt !== null)
    )
    return {
      providerFound: availability === null ? null : availability._tag === "Installed",
      providerCommand: availability?.command ?? null,
      installHint: starter?.install ?? "",
      auth,
      workspace,
      drift,
      session,
      survivor: survivors[0] === undefined ? null : { pid: survivors[0].pid, command: survivors[0].command },
      neighbours: live.map(({ id }) => id),
      location
    }
  })
