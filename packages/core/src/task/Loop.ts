/**
 * Working through a folder's tasks: the saved session first, then one task after the other, each in one run. One loop a
 * folder, held by the owner protocol: whoever dies leaves it to the next who comes. Every decision about what is next is
 * made by the pure functions beside this file.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as EffectScope from "effect/Scope"
import type { Checkpoint, LoopProgress } from "../checkpoint/Checkpoint.js"
import { phaseNumber } from "../checkpoint/Checkpoint.js"
import { CheckpointStore, type Conflict, type RecordCorrupt, type StoreFailure } from "../checkpoint/CheckpointStore.js"
import { Checkpoints, type ClaimLost } from "../checkpoint/Checkpoints.js"
import type { NewEvent } from "../checkpoint/Event.js"
import { Ids } from "../checkpoint/ids.js"
import { tipOf } from "../checkpoint/lineage.js"
import { HostProcesses, survivorGraceMs } from "../host/HostProcesses.js"
import { type Liveness, OwnerIdentity, type OwnerLockFailed } from "../host/OwnerIdentity.js"
import { Workspaces, type WorkspaceUnusable } from "../host/Workspaces.js"
import type { Redactor } from "../privacy/Redactor.js"
import type { ProviderNotFound, Providers } from "../provider/Provider.js"
import { Recovery } from "../recovery/Recovery.js"
import type { Decision, DecisionReason } from "../resume/Decision.js"
import { decisionEvent } from "../resume/decisionEvent.js"
import { defaultPolicy, type ResumePolicy } from "../resume/Facts.js"
import { Resume, type Resumed } from "../resume/Resume.js"
import { waitForReset } from "../resume/waitForReset.js"
import type { ProviderUnknown, SettingUnsupported } from "../run/beginRun.js"
import type { LiveRun, Runs } from "../run/Runs.js"
import { phaseAsked } from "../session/RunSpec.js"
import type * as Scope from "../session/Scope.js"
import { beginTask, type PlanEmpty } from "./beginTask.js"
import { type Blocked, blockedByEnd, blockedByLoop, blockedByUnfinished, endsTheLoop } from "./blocked.js"
import type { Gates } from "./GatePort.js"
import type { HandFailure, LoopEnd, LoopHands, LoopRequest } from "./LoopRequest.js"
import { namesProvider, planned } from "./phases.js"
import type { Reverts } from "./RevertPort.js"
import { type Inspected, inspectSaved } from "./saved.js"
import { nextTask, unfinished } from "./select.js"
import type { Task, TaskId } from "./Task.js"
import { type LoopClaim, type TaskLoop, TaskNotFound, TaskStore } from "./TaskStore.js"
import type { TaskInvalid } from "./Tasks.js"
import { type GateGivenUp, keepIt } from "./taskSequel.js"

/** A task that was named and is settled: nothing was started. */
export class TaskSettled extends Data.TaggedError("TaskSettled")<{
  readonly id: string
  readonly status: Task["status"]
}> {
  override get message(): string {
    return `task ${this.id} is ${this.status}`
  }
}

/** A task as it is written, or where it is to be done, lets no run begin: nothing was created. */
export class TaskCannotBegin extends Data.TaggedError("TaskCannotBegin")<{
  readonly task: TaskId
  readonly cause: ProviderUnknown | ProviderNotFound | SettingUnsupported | TaskInvalid | WorkspaceUnusable
}> {
  override get message(): string {
    return `task ${this.task} cannot be begun: ${this.cause.message}`
  }
}

export type LoopFailure =
  | StoreFailure
  | RecordCorrupt
  | Conflict
  | ClaimLost
  | OwnerLockFailed
  | WorkspaceUnusable
  | ProviderUnknown
  | ProviderNotFound
  | SettingUnsupported
  | TaskCannotBegin
  | TaskNotFound
  | TaskSettled
  | PlanEmpty

/** A loop that was begun and has not ended. */
export interface CurrentLoop {
  readonly loop: TaskLoop
  readonly liveness: Liveness
}

export class TaskRuns extends Context.Tag("@alluka/core/TaskRuns")<
  TaskRuns,
  {
    /**
     * What a loop in this folder would decide about its saved session, where nobody can be asked. `null`: there is neither
     * a task nor a saved session. Changes nothing.
     */
    readonly preview: (
      scope: Scope.Scope,
      request: LoopRequest
    ) => Effect.Effect<Decision | null, StoreFailure | SettingUnsupported | WorkspaceUnusable>
    /** Works through the tasks of a folder until it is done, stopped or blocked. */
    readonly run: <E extends HandFailure>(
      scope: Scope.Scope,
      request: LoopRequest,
      hands: LoopHands<E>
    ) => Effect.Effect<LoopEnd, E | LoopFailure, EffectScope.Scope>
    /** Asks the loop of a folder to end after the run that goes on. None: there is no loop. */
    readonly stop: (cwd: string) => Effect.Effect<Option.Option<TaskLoop>, StoreFailure | WorkspaceUnusable>
    /** The loop of a folder (a real path) whose end is not stored, and whether its process is alive. */
    readonly current: (folder: string) => Effect.Effect<Option.Option<CurrentLoop>, StoreFailure>
  }
>() {}

/** Fresh starts that leave the saved session alone and begin with another run of a task. */
const leavesSaved: ReadonlySet<DecisionReason> = new Set([
  "no_session",
  "session_stale",
  "session_declined",
  "explicit_task_selection_overrides_session",
  "resume_target_missing",
  "resume_target_terminal"
])

/** A run that a loop goes on with. */
interface Next {
  readonly checkpoint: Checkpoint
  /** The provider answered that it does not have its conversation. */
  readonly lost: boolean
}

/** What is known of a task whose saved session goes on. */
const goingOn = {
  classification: "valid",
  explicitOther: false,
  declined: false,
  confirmed: true,
  target: "ok"
} as const

/** How often a loop tries again for a task that somebody else took first. */
const maxTries = 20

/** What a loop works with. */
type LoopServices =
  | CheckpointStore
  | Checkpoints
  | Gates
  | HostProcesses
  | Ids
  | OwnerIdentity
  | Providers
  | Recovery
  | Redactor
  | Resume
  | Reverts
  | Runs
  | TaskStore
  | Workspaces

export const make = (policy: ResumePolicy) =>
  Effect.gen(function* () {
    const services = yield* Effect.context<LoopServices>()
    const store = yield* TaskStore
    const checkpointStore = yield* CheckpointStore
    const checkpoints = yield* Checkpoints
    const owners = yield* OwnerIdentity
    const ids = yield* Ids
    const processes = yield* HostProcesses
    const recovery = yield* Recovery
    const resume = yield* Resume
    const workspaces = yield* Workspaces

    const preview: TaskRuns["Type"]["preview"] = (scope, request) =>
      Effect.gen(function* () {
        const { realPath } = yield* workspaces.resolve(request.cwd)
        const { decision, saved } = yield* inspectSaved(scope, realPath, request, policy, null)
        if (saved !== null) return decision
        const { items } = yield* store.list({ folder: realPath, statuses: [] })
        return items.length === 0 ? null : decision
      }).pipe(Effect.provide(services))

    // ---------------------------------------------------------------- the folder's loop

    /** Takes the folder's loop, or says who has it. A dead owner's loop is ended by proof of its death. */
    const takeLoop = (request: LoopRequest, folder: string) =>
      Effect.gen(function* () {
        const owner = yield* owners.self
        const id = `loop_${(yield* ids.checkpoint).replace(/^ckpt_/, "")}`
        let replaces: string | null = null
        for (;;) {
          const at = yield* Clock.currentTimeMillis
          const claim: LoopClaim = yield* store.claimLoop(
            { id, folder, maxTasks: request.maxTasks, replaces },
            owner,
            at
          )
          if (claim._tag === "Taken") return claim.loop
          const liveness = yield* owners.probe(claim.loop.owner)
          const mayTake =
            liveness._tag === "Dead" || (liveness._tag === "Unknown" && request.consents.has("owner_dead"))
          if (liveness._tag !== "Dead" && !mayTake) return blockedByLoop(claim.loop, liveness, request.kind)
          replaces = claim.loop.id
        }
      })

    /** Goes on with the loop that a saved run belongs to, so that its counters count on. */
    const goOnWith = (request: LoopRequest, folder: string, id: string, now: TaskLoop) =>
      Effect.gen(function* () {
        const owner = yield* owners.self
        const at = yield* Clock.currentTimeMillis
        const claim = yield* store.claimLoop({ id, folder, maxTasks: request.maxTasks, replaces: now.id }, owner, at)
        return claim.loop
      })

    const progressOf = (loop: TaskLoop): LoopProgress => ({
      id: loop.id,
      maxTasks: loop.maxTasks,
      tasksCompleted: loop.tasksCompleted,
      iterationsPlanned: loop.maxTasks,
      iterationsCompleted: loop.iterationsCompleted
    })

    const reread = (loop: TaskLoop) =>
      Effect.map(
        store.loop(loop.id),
        Option.getOrElse(() => loop)
      )

    // ---------------------------------------------------------------- one loop

    const run: TaskRuns["Type"]["run"] = <E extends HandFailure>(
      scope: Scope.Scope,
      asked: LoopRequest,
      hands: LoopHands<E>
    ) =>
      Effect.gen(function* () {
        const named = asked.taskId === null ? null : yield* namedTask(asked.taskId)
        const request = named === null ? asked : { ...asked, cwd: named.cwd }
        const { realPath: folder } = yield* workspaces.resolve(request.cwd)
        const taken = yield* takeLoop(request, folder)
        if ("reason" in taken) return yield* heldByAnother(scope, request, folder, taken, hands)
        let loop = taken
        const runs: Array<Checkpoint> = []
        const attempted = new Set<string>()
        let started = false
        const end = (outcome: LoopEnd["outcome"], more: Partial<LoopEnd> = {}) =>
          Effect.map(
            reread(loop),
            (now): LoopEnd => ({
              outcome,
              decision: null,
              blocked: null,
              runs,
              loop: progressOf(now),
              ...more
            })
          )
        const blocked = (why: Blocked, decision: Decision | null = null) =>
          Effect.zipRight(tellBlocked(why, hands), end("blocked", { blocked: why, decision }))

        const work = Effect.gen(function* () {
          // ------------------------------------------------ the saved session
          let seen = yield* settleSaved(scope, folder, request, hands)
          let { decision } = seen
          if (decision?.status === "refusing_to_resume") {
            yield* hands.decided(decision)
            return yield* end("refused", { decision })
          }
          const goesOn = seen.saved !== null && decision !== null && !leavesSaved.has(decision.reason)
          if (goesOn && seen.loop !== null) loop = yield* goOnWith(request, folder, seen.loop.id, loop)
          if (!goesOn) yield* leave(seen)
          let next: Next | null =
            goesOn && seen.saved !== null ? { checkpoint: seen.saved.checkpoint, lost: false } : null
          let opening = goesOn ? null : decision

          for (;;) {
            // ------------------------------------------------ a run
            let live: LiveRun
            let told: Decision | null = null
            if (next !== null) {
              const resumed: Resumed = yield* goOnWithRun(scope, request, hands, seen, next, loop)
              if (resumed._tag === "Refused") {
                yield* hands.decided(resumed.decision)
                return yield* end("refused", { decision: resumed.decision })
              }
              live = resumed.run
              told = resumed.decision
              decision = resumed.decision
            } else {
              const now = yield* reread(loop)
              if (now.stopRequestedAt !== null) return yield* end("stopped", { decision })
              if (request.maxTasks !== null && now.iterationsCompleted >= request.maxTasks) {
                return yield* end("done", { decision })
              }
              const begun = yield* Effect.either(
                beginNext(scope, request, hands, folder, named, attempted, now, opening)
              )
              if (begun._tag === "Left") {
                // Before anything was streamed it is an error like any other; in the middle of a loop it blocks the rest.
                if (!started) return yield* Effect.fail(begun.left)
                return yield* blocked(blockedByFailure(begun.left), decision)
              }
              if (begun.right === null) {
                if (opening !== null) yield* hands.decided(opening)
                const left = yield* store.list({ folder, statuses: ["doing"] })
                const rest = request.kind === "loop" ? unfinished(left.items).map(({ id }) => id) : []
                if (rest.length > 0) return yield* blocked(blockedByUnfinished(rest), decision)
                return yield* end("done", { decision })
              }
              live = begun.right
              told = opening
            }
            started = true
            opening = null
            const previous = next
            next = null
            if (live.checkpoint.taskId !== null) attempted.add(live.checkpoint.taskId)
            const followed = yield* hands.follow(live, told)

            // ------------------------------------------------ what comes of it
            if (followed.checkpoint === null) return yield* end("unknown", { decision })
            const ended = followed.checkpoint
            runs.push(ended)
            if (followed.signalled) return yield* end("signalled", { decision })
            // What the storage did not tell the provider did: decided again, now that it is known.
            if (ended.reason?.code === "provider_session_missing" && previous !== null && !previous.lost) {
              const again = yield* afterLoss(scope, seen, previous.checkpoint, hands)
              decision = again.decision
              if (decision.status === "refusing_to_resume") {
                yield* hands.decided(decision)
                return yield* end("refused", { decision })
              }
              seen = { ...seen, request: again.request }
              next = { checkpoint: previous.checkpoint, lost: true }
              continue
            }
            if (ended.reason?.code === "usage_limit" && request.continueAtReset) {
              const waited = yield* untilReset(scope, ended, loop, hands)
              if (waited === "reset") {
                next = { checkpoint: yield* tipAfter(scope, ended), lost: false }
                seen = { ...seen, facts: null, later: [] }
                continue
              }
              if (waited === "stopped") return yield* end("stopped", { decision })
            }
            if (ended.state !== "completed") {
              const why = blockedByEnd(ended, yield* Clock.currentTimeMillis)
              if (endsTheLoop(ended) || (request.stopOnFailure && request.kind === "loop")) {
                yield* noteBlocked(ended, why, hands)
                return yield* end("blocked", { blocked: why, decision })
              }
            }
            if (request.kind === "one") return yield* end("done", { decision })
          }
        })
        return yield* Effect.ensuring(
          work,
          Effect.suspend(() =>
            Effect.flatMap(Clock.currentTimeMillis, (at) => Effect.ignore(store.endLoop(loop.id, at)))
          )
        )
      }).pipe(Effect.provide(services))

    const namedTask = (id: Task["id"]) =>
      Effect.gen(function* () {
        const found = yield* store.get(id)
        if (Option.isNone(found)) return yield* new TaskNotFound({ id })
        const { status } = found.value
        if (status === "done" || status === "rejected") return yield* new TaskSettled({ id, status })
        return found.value
      })

    /** Another loop has the folder: what the saved session says of it is told first, where it is what runs there. */
    const heldByAnother = <E extends HandFailure>(
      scope: Scope.Scope,
      request: LoopRequest,
      folder: string,
      why: Blocked,
      hands: LoopHands<E>
    ) =>
      Effect.gen(function* () {
        const { decision } = yield* inspectSaved(scope, folder, { ...request, resume: "yes" }, policy, null)
        const nothing: LoopEnd = { outcome: "blocked", decision, blocked: why, runs: [], loop: null }
        if (decision?.reason === "already_running" || decision?.reason === "owner_unknown") {
          yield* hands.decided(decision)
          return { ...nothing, outcome: "refused" as const, blocked: null }
        }
        yield* tellBlocked(why, hands)
        return { ...nothing, decision: null }
      })

    /** Inspects and, where a run may, puts into effect what was agreed to: who is dead is dead, what is waited for comes. */
    const settleSaved = <E extends HandFailure>(
      scope: Scope.Scope,
      folder: string,
      request: LoopRequest,
      hands: LoopHands<E>
    ) =>
      Effect.gen(function* () {
        let seen = yield* inspectSaved(scope, folder, request, policy, hands.ask)
        const reason = seen.decision?.reason
        if (reason === "owner_unknown" && request.consents.has("owner_dead") && seen.saved !== null) {
          yield* recovery.assumeDead(seen.saved.checkpoint)
          seen = yield* inspectSaved(scope, folder, request, policy, hands.ask)
        }
        if (reason === "usage_limit_not_reset" && request.continueAtReset && seen.saved !== null) {
          yield* waitForReset(scope, seen.saved.checkpoint, { tell: hands.tell, left: () => Effect.void })
          seen = yield* inspectSaved(scope, folder, request, policy, hands.ask)
        }
        return seen
      })

    /** The saved session is left alone: its task, if it was declined, is to be done again. */
    const leave = ({ decision, request, saved, task }: Inspected) =>
      Effect.gen(function* () {
        if (saved !== null && request.consents.has("survivor")) {
          const lineage = yield* Effect.orElseSucceed(checkpointStore.lineage(saved.checkpoint.rootId), () => [])
          yield* processes.endAll(
            lineage.map(({ id }) => id),
            survivorGraceMs
          )
        }
        if (decision?.reason === "session_declined" && task !== null) {
          yield* store.putBack(task.id, yield* Clock.currentTimeMillis)
        }
      })

    /** What becomes of a conversation that the provider does not have: a person may be asked, as where storage tells it. */
    const afterLoss = <E extends HandFailure>(
      scope: Scope.Scope,
      { facts, request }: Inspected,
      { id }: Checkpoint,
      { ask }: LoopHands<E>
    ) =>
      Effect.gen(function* () {
        const task = facts ?? { ...goingOn, tasksCompleted: 0 }
        const decision = yield* resume.afterLoss(scope, id, request, task)
        if (!decision.requires.includes("fresh") || ask === null || !(yield* ask(decision)))
          return { decision, request }
        const agreed = { ...request, consents: new Set([...request.consents, "fresh" as const]) }
        return { decision: yield* resume.afterLoss(scope, id, agreed, task), request: agreed }
      })

    const goOnWithRun = <E extends HandFailure>(
      scope: Scope.Scope,
      request: LoopRequest,
      hands: LoopHands<E>,
      seen: Inspected,
      next: Next,
      loop: TaskLoop
    ) =>
      Effect.gen(function* () {
        const { checkpoint } = next
        const now = yield* reread(loop)
        const recorded = checkpoint.progress.phases.slice(checkpoint.progress.phase + 1)
        return yield* resume.execute(scope, checkpoint.id, {
          request: seen.request,
          lost: next.lost,
          limits: request.limits,
          task: {
            facts: { ...goingOn, differences: seen.facts?.differences ?? [], tasksCompleted: now.tasksCompleted },
            later: seen.facts !== null ? seen.later : recorded.map(phaseAsked),
            gate: seen.facts !== null ? seen.gate : (checkpoint.spec.gate ?? null),
            loop: progressOf(now),
            opening:
              checkpoint.taskId === null ? [] : [yield* selected(checkpoint.taskId, checkpoint.title, "saved_session")],
            gaveUp: gaveUp(request, hands)
          }
        })
      })

    /** Begins the next task's first run; `null`: there is none to begin. */
    const beginNext = <E extends HandFailure>(
      scope: Scope.Scope,
      request: LoopRequest,
      hands: LoopHands<E>,
      folder: string,
      named: Task | null,
      attempted: ReadonlySet<string>,
      loop: TaskLoop,
      opening: Decision | null
    ) =>
      Effect.gen(function* () {
        const taken = new Set(attempted)
        for (let tries = 0; tries < maxTries; tries++) {
          const { items } = yield* store.list({ folder, statuses: ["todo", "doing"] })
          const task =
            named === null
              ? nextTask(items, taken)
              : (items.find(({ id }) => id === named.id && !taken.has(id)) ?? null)
          if (task === null) return null
          const provider = namesProvider(task.plan, request.defaults) ? "" : yield* hands.provider
          const begun = yield* beginTask(scope, {
            task,
            plan: planned(task.plan, request.defaults, provider),
            agent: request.agent,
            loop: progressOf(loop),
            limits: request.limits,
            policy,
            mayRevert: request.revert === "revert" || (request.revert === "ask" && hands.gateGaveUp !== null),
            gaveUp: gaveUp(request, hands),
            opening: [
              yield* selected(task.id, task.title, named === null ? "next" : "named"),
              ...(opening === null ? [] : [yield* decisionEvent(opening, 0)])
            ]
          }).pipe(
            Effect.asSome,
            Effect.mapError((failure) => {
              switch (failure._tag) {
                case "ProviderUnknown":
                case "ProviderNotFound":
                case "SettingUnsupported":
                case "TaskInvalid":
                case "WorkspaceUnusable":
                  return new TaskCannotBegin({ task: task.id, cause: failure })
                default:
                  return failure
              }
            }),
            // Somebody else runs it by now, or has settled it.
            Effect.catchIf(
              (failure) => failure._tag === "Conflict" && failure.on === "task",
              () => Effect.succeedNone
            )
          )
          if (Option.isSome(begun)) return begun.value
          taken.add(task.id)
        }
        return null
      })

    const gaveUp =
      <E extends HandFailure>(request: LoopRequest, { gateGaveUp }: LoopHands<E>) =>
      (facts: GateGivenUp) => {
        if (request.revert === "revert") return Effect.succeed("revert" as const)
        return request.revert === "keep" || gateGaveUp === null ? keepIt() : gateGaveUp(facts)
      }

    /** Waits for a usage limit to reset, unless the loop is asked to stop meanwhile. */
    const untilReset = <E extends HandFailure>(
      scope: Scope.Scope,
      ended: Checkpoint,
      loop: TaskLoop,
      hands: LoopHands<E>
    ) => {
      const stop = Effect.repeat(Effect.delay(reread(loop), 1000), { until: (now) => now.stopRequestedAt !== null })
      return Effect.raceFirst(
        waitForReset(scope, ended, { tell: hands.tell, left: () => Effect.void }),
        Effect.as(stop, "stopped" as const)
      )
    }

    /** The attempt to go on from: a run that never reached the conversation leaves its source the tip. */
    const tipAfter = (scope: Scope.Scope, ended: Checkpoint) =>
      Effect.map(
        Effect.orElseSucceed(checkpoints.lineage(scope, ended.id), () => [ended]),
        (lineage) => tipOf(lineage) ?? ended
      )

    const tellBlocked = <E extends HandFailure>(why: Blocked, hands: LoopHands<E>) =>
      Effect.flatMap(Clock.currentTimeMillis, (timestamp) =>
        hands.tell({
          ...blockedEvent(why, timestamp, 0),
          seq: null,
          checkpointId: why.checkpointId,
          taskId: why.taskId
        })
      )

    /** The same in the timeline of the run that blocks. */
    const noteBlocked = <E extends HandFailure>(ended: Checkpoint, why: Blocked, hands: LoopHands<E>) =>
      Effect.gen(function* () {
        const at = yield* Clock.currentTimeMillis
        const noted = yield* Effect.orElseSucceed(
          checkpointStore.note(ended.id, [blockedEvent(why, at, phaseNumber(ended.progress))]),
          () => []
        )
        const [event] = noted
        yield* event === undefined ? tellBlocked(why, hands) : hands.tell(event)
      })

    const stop: TaskRuns["Type"]["stop"] = (cwd) =>
      Effect.gen(function* () {
        const { realPath } = yield* workspaces.resolve(cwd)
        return yield* store.requestStop(realPath, yield* Clock.currentTimeMillis)
      })

    const current: TaskRuns["Type"]["current"] = (folder) =>
      Effect.gen(function* () {
        const open = yield* store.openLoop(folder)
        if (Option.isNone(open)) return Option.none()
        return Option.some({ loop: open.value, liveness: yield* owners.probe(open.value.owner) })
      })

    return TaskRuns.of({ preview, run, stop, current })
  })

const blockedEvent = (why: Blocked, timestamp: number, phase: number): NewEvent => ({
  kind: "blocked",
  timestamp,
  phase,
  message: why.message,
  payload: {
    reason: why.reason,
    task_id: why.taskId,
    detail: why.detail,
    exit_code: why.exitCode,
    next: why.next.map(({ argv, title }) => ({ title, argv }))
  }
})

/** Exit codes of failures that the command line has a code of its own for. */
const exitCodeOfFailure: Readonly<Record<string, number>> = {
  SettingUnsupported: 2,
  TaskInvalid: 2,
  ProviderUnknown: 4,
  ProviderNotFound: 4,
  WorkspaceUnusable: 5,
  StoreLocked: 6,
  Conflict: 6
}

/** A failure in the middle of a loop, which has streamed already, as what blocks it. */
const blockedByFailure = (failure: HandFailure): Blocked => {
  const [task, { _tag }] = failure instanceof TaskCannotBegin ? [failure.task, failure.cause] : [null, failure]
  return {
    reason: _tag.replace(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toLowerCase(),
    message: `Blocked: ${failure.message}`,
    detail: null,
    taskId: task,
    checkpointId: null,
    next: [
      task === null
        ? { title: "Look at the tasks", argv: ["task", "list"] }
        : { title: "See how it is to be done", argv: ["task", "show", task] }
    ],
    exitCode: exitCodeOfFailure[_tag] ?? 1
  }
}

const selected = (id: string, title: string, why: "saved_session" | "named" | "next"): Effect.Effect<NewEvent> =>
  Effect.map(Clock.currentTimeMillis, (timestamp) => ({
    kind: "task_selected",
    timestamp,
    phase: 0,
    message: `${id}: ${title}`,
    payload: { task_id: id, reason: why }
  }))

export const layer = (policy: ResumePolicy = defaultPolicy): Layer.Layer<TaskRuns, never, LoopServices> =>
  Layer.effect(TaskRuns, make(policy))
