/** Begins the first run of a task: everything that can be checked is checked before anything is created. */
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { LoopProgress } from "../checkpoint/Checkpoint.js"
import { phaseNumber } from "../checkpoint/Checkpoint.js"
import type { NewEvent } from "../checkpoint/Event.js"
import { Ids } from "../checkpoint/ids.js"
import { Workspaces } from "../host/Workspaces.js"
import { Redactor } from "../privacy/Redactor.js"
import type { ResumePolicy } from "../resume/Facts.js"
import { usableProvider } from "../run/beginRun.js"
import { chooseSession, newConversation } from "../run/chooseSession.js"
import { Runs } from "../run/Runs.js"
import type { WatchLimits } from "../run/watchdog.js"
import { type RunSpec, root } from "../session/RunSpec.js"
import type * as Scope from "../session/Scope.js"
import { phaseEntered } from "./events.js"
import { type Planned, phasePrompt } from "./phases.js"
import { Reverts } from "./RevertPort.js"
import type { Task } from "./Task.js"
import { gateFault } from "./Tasks.js"
import { makeTaskSequel, revertName, type TaskSequelOptions } from "./taskSequel.js"

export interface TaskBeginning {
  readonly task: Task
  readonly plan: Planned
  readonly agent: string
  readonly loop: LoopProgress
  readonly limits: WatchLimits
  readonly policy: ResumePolicy
  /** The folder is to be put back if the gate is given up. */
  readonly mayRevert: boolean
  readonly gaveUp: TaskSequelOptions["gaveUp"]
  /** Events that are told first. */
  readonly opening: ReadonlyArray<NewEvent>
}

/** The plan of a task has no phase: nothing can be begun. */
export class PlanEmpty extends Data.TaggedError("PlanEmpty")<{ readonly task: string }> {
  override get message(): string {
    return `the plan of ${this.task} has no phase`
  }
}

export const beginTask = (scope: Scope.Scope, beginning: TaskBeginning) =>
  Effect.gen(function* () {
    const { loop, plan, task } = beginning
    const runs = yield* Runs
    const workspaces = yield* Workspaces
    const { redact } = yield* Redactor
    const fault = plan.gate === null ? null : gateFault(plan.gate, redact)
    if (fault !== null) return yield* fault
    const able = yield* Effect.forEach(plan.phases, ({ permission, provider, thinking }) =>
      usableProvider(provider, { permission, thinking })
    )
    const [provider] = able
    const [first] = plan.phases
    if (provider === undefined || first === undefined) return yield* new PlanEmpty({ task: task.id })
    const workspace = yield* workspaces.resolve(task.cwd)
    const id = yield* (yield* Ids).checkpoint
    const spec: RunSpec = {
      agent: beginning.agent,
      sessionId: null,
      taskId: task.id,
      key: null,
      labels: task.labels,
      title: task.title,
      origin: "task",
      prompt: task.prompt,
      instruction: null,
      provider: provider.id,
      providerArgs: [],
      permission: plan.phases.at(-1)?.permission ?? first.permission,
      addDirs: task.plan.addDirs,
      workspace,
      phases: plan.phases,
      phase: 0,
      loop,
      gate: plan.gate,
      knownDamage: 0,
      lineage: root
    }
    const unremembered =
      plan.gate === null || !beginning.mayRevert ? null : yield* remember(workspace, revertName(task.id, id))
    const now = yield* Clock.currentTimeMillis
    const number = phaseNumber(spec)
    return yield* runs.start(
      scope,
      provider,
      spec,
      {
        prompt: phasePrompt(first.name, task.prompt, ""),
        ...newConversation,
        sequel: yield* makeTaskSequel({
          policy: beginning.policy,
          gate: plan.gate,
          failures: [],
          gaveUp: beginning.gaveUp
        })
      },
      {
        limits: beginning.limits,
        start: { id, chooseSession: chooseSession(provider, spec) },
        opening: [
          ...beginning.opening.map((event) => ({ ...event, phase: number })),
          phaseEntered({ phases: plan.phases, phase: 0, handover: { text: "", truncated: false }, at: now }),
          ...(unremembered === null
            ? []
            : [
                {
                  kind: "notice" as const,
                  timestamp: now,
                  phase: number,
                  message: `if the check is given up, the folder will be left as it is: ${redact(unremembered)}`,
                  payload: { revert: false }
                }
              ])
        ]
      }
    )
  })

/** Remembers the folder as it is; a text says why it could not be. */
const remember = (workspace: RunSpec["workspace"], name: string) =>
  Effect.gen(function* () {
    const reverts = yield* Reverts
    return yield* Effect.match(reverts.remember(workspace, name), {
      onFailure: ({ detail }) => detail,
      onSuccess: () => null
    })
  })
