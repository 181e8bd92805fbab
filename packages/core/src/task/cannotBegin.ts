/** Tasks that no run can begin of, and what that means for the loop that comes to one. */
import * as Data from "effect/Data"
import type { WorkspaceUnusable } from "../host/Workspaces.js"
import type { ProviderNotFound } from "../provider/Provider.js"
import type { ProviderUnknown, SettingUnsupported } from "../run/beginRun.js"
import type { Blocked } from "./blocked.js"
import type { HandFailure } from "./LoopRequest.js"
import type { TaskId } from "./Task.js"
import type { TaskInvalid } from "./Tasks.js"

/** What is wrong with the one task, or with where it is to be done. */
type Unfit = ProviderUnknown | ProviderNotFound | SettingUnsupported | TaskInvalid | WorkspaceUnusable

const unfit: ReadonlySet<string> = new Set<Unfit["_tag"]>([
  "ProviderUnknown",
  "ProviderNotFound",
  "SettingUnsupported",
  "TaskInvalid",
  "WorkspaceUnusable"
])

export const isUnfit = <Failure extends HandFailure>(failure: Failure): failure is Failure & Unfit =>
  unfit.has(failure._tag)

/** A task as it is written, or where it is to be done, lets no run begin: nothing was created. */
export class TaskCannotBegin extends Data.TaggedError("TaskCannotBegin")<{
  readonly task: TaskId
  readonly cause: Unfit
}> {
  override get message(): string {
    return `task ${this.task} cannot be begun: ${this.cause.message}`
  }
}

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
export const blockedByFailure = (failure: HandFailure): Blocked => {
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
