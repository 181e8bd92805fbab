/** Why a task loop does not go on, and the very command that does. Pure. */
import type { Checkpoint, Reason } from "../checkpoint/Checkpoint.js"
import type { ReasonCode } from "../checkpoint/state.js"
import { exitCodeOfReason } from "../contract/exitCodes.js"
import { duration } from "../text/duration.js"
import type { TaskLoop } from "./TaskStore.js"

export interface NextStep {
  readonly title: string
  /** Without the program's name. */
  readonly argv: ReadonlyArray<string>
}

export interface Blocked {
  /** A reason of an end or of a decision, or one of the loop's own. */
  readonly reason: string
  readonly message: string
  readonly detail: string | null
  readonly taskId: string | null
  readonly checkpointId: string | null
  readonly next: ReadonlyArray<NextStep>
  readonly exitCode: number
}

const resume: NextStep = { title: "Go on with the task", argv: ["task", "run", "resume"] }

/**
 * Ends that are no fault of the one task: the next would end the same way. After any other failure the loop goes on with
 * the next task.
 */
const stopsTheLoop: ReadonlySet<ReasonCode> = new Set([
  "provider_not_found",
  "auth_required",
  "budget_exceeded",
  "model_unavailable"
])

/** Whether a loop ends with a run that did not complete. Whoever is interrupted can simply go on, and so is asked to. */
export const endsTheLoop = ({ reason, state }: Pick<Checkpoint, "state" | "reason">): boolean =>
  state === "interrupted" || state === "cancelled" || (reason !== null && stopsTheLoop.has(reason.code))

/** What blocks a loop whose run ended without completing. */
export const blockedByEnd = (checkpoint: Checkpoint, now: number): Blocked => {
  const { id, reason, state, taskId } = checkpoint
  const code = reason?.code ?? "ended_without_result"
  const who = taskId ?? id
  return {
    reason: code,
    message: `Blocked: task ${who} ${state}${reason === null ? "" : `: ${reason.message}`}`,
    detail: reason?.resetsAt != null ? `The limit resets ${untilReset(reason.resetsAt, now)}.` : null,
    taskId,
    checkpointId: id,
    next: stepsAfter(code, reason, checkpoint),
    exitCode: exitCodeOfReason(code)
  }
}

const untilReset = (resetsAt: number, now: number): string =>
  `at ${new Date(resetsAt).toISOString()}${resetsAt > now ? `, in ${duration(resetsAt - now)}` : ""}`

const stepsAfter = (code: ReasonCode, reason: Reason | null, checkpoint: Checkpoint): ReadonlyArray<NextStep> => {
  const provider = checkpoint.progress.phases[checkpoint.progress.phase]?.provider ?? checkpoint.spec.provider
  switch (code) {
    case "usage_limit":
      return reason?.resetsAt == null
        ? [resume]
        : [
            { title: "Wait for the reset, then go on", argv: [...resume.argv, "--continue-at-reset"] },
            { title: "Try before the reset", argv: [...resume.argv, "--ignore-limit"] }
          ]
    case "auth_required":
      return [{ title: "See what is missing", argv: ["providers", "test", provider] }, resume]
    case "provider_not_found":
      return [
        { title: "Name the program's place", argv: ["config", "set", `providers.${provider}.command`, "PATH"] },
        resume
      ]
    case "model_unavailable":
      return [{ title: "Go on with another model", argv: [...resume.argv, "--model", "MODEL"] }]
    case "cancelled_by_user":
    case "cancelled_by_stop":
      return [
        { title: "Go on with the cancelled run", argv: ["resume", checkpoint.id, "--confirm-cancelled"] },
        {
          title: "Begin the task anew",
          argv: ["task", "run", "one", ...(checkpoint.taskId === null ? [] : ["--id", checkpoint.taskId])]
        }
      ]
    case "gate_failed":
      return [{ title: "See what the check said", argv: ["runs", "show", checkpoint.id] }, resume]
    default:
      return [resume]
  }
}

/** Another loop has the folder. */
export const blockedByLoop = (
  loop: TaskLoop,
  liveness: { readonly _tag: "Alive" } | { readonly _tag: "Unknown"; readonly why: string },
  kind: "one" | "loop"
): Blocked => {
  const { owner } = loop
  const who = `pid ${owner.pid} on ${owner.host}, since ${new Date(loop.startedAt).toISOString()}`
  const alive = liveness._tag === "Alive"
  return {
    reason: alive ? "loop_running" : "owner_unknown",
    message: alive
      ? `Blocked: another task run is going on in this folder (${who})`
      : `Blocked: a task run was begun in this folder, and whether it is still alive cannot be proven here (${who})`,
    detail: alive ? null : liveness.why,
    taskId: null,
    checkpointId: null,
    next: alive
      ? [
          { title: "Watch it", argv: ["runs", "watch"] },
          { title: "Let it stop after its present task", argv: ["task", "stop"] }
        ]
      : [
          {
            title: "Take its place, if you know that its process is gone",
            argv: ["task", "run", kind, "--assume-owner-dead"]
          }
        ],
    exitCode: 6
  }
}

/** Nothing is left to begin, and something is left to go on with. */
export const blockedByUnfinished = (taskIds: ReadonlyArray<string>): Blocked => ({
  reason: "tasks_unfinished",
  message: `Blocked: nothing is left to begin; ${taskIds.join(", ")} ${taskIds.length === 1 ? "is" : "are"} unfinished`,
  detail: null,
  taskId: taskIds[0] ?? null,
  checkpointId: null,
  next: [resume],
  exitCode: 7
})
