/**
 * The port to the stored tasks and task loops. Every method is one transaction. The status of a task whose run begins or
 * ends is not written through here: the store does that in the transaction of the checkpoint itself, so that no death of a
 * process can come between the two.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Checkpoint, Time } from "../checkpoint/Checkpoint.js"
import type { RecordCorrupt, StoreFailure } from "../checkpoint/CheckpointStore.js"
import type { CheckpointId } from "../checkpoint/ids.js"
import type { OwnerRecord } from "../host/OwnerIdentity.js"
import type { Plan, Task, TaskId, TaskStatus } from "./Task.js"

/** There is no such task. */
export class TaskNotFound extends Data.TaggedError("TaskNotFound")<{ readonly id: string }> {
  override get message(): string {
    return `no task ${this.id}`
  }
}

/** A run of the task is going on; what was asked for would pull the task away under it. Nothing was changed. */
export class TaskBusy extends Data.TaggedError("TaskBusy")<{ readonly id: TaskId; readonly run: CheckpointId }> {
  override get message(): string {
    return `task ${this.id} is being worked on by ${this.run}; stop or cancel that run first`
  }
}

/** A task about to be stored; texts are redacted and bounded already. */
export interface TaskDraft
  extends Pick<Task, "folder" | "cwd" | "title" | "prompt" | "promptRedacted" | "labels" | "plan"> {
  readonly prefix: string
  readonly status: Exclude<TaskStatus, "doing">
}

/** Changes to a task; what is left out stays. */
export interface TaskChange {
  readonly title?: string
  readonly prompt?: { readonly text: string; readonly redacted: boolean }
  readonly status?: Exclude<TaskStatus, "doing">
  readonly plan?: Plan
  readonly labels?: Readonly<Record<string, string>>
}

export interface TaskQuery {
  /** Real path of a folder; `null`: every folder's. */
  readonly folder: string | null
  /** Empty: all. */
  readonly statuses: ReadonlyArray<TaskStatus>
}

export interface TaskPage {
  /** By folder, in the order in which they are to be done. */
  readonly items: ReadonlyArray<Task>
  /** Rows that matched and could not be read. */
  readonly skipped: number
}

/** Where a task goes among those of its folder. */
export type Place =
  | { readonly at: "top" | "bottom" }
  | { readonly before: TaskId }
  | { readonly after: TaskId }
  /** From 1. */
  | { readonly position: number }

/** A task's conversation that could go on: every attempt of its latest run, oldest first. */
export interface TaskLineage {
  readonly taskId: string
  /** First attempt. */
  readonly rootId: string
  /** `null`: the task was removed. */
  readonly task: Task | null
  readonly attempts: ReadonlyArray<Checkpoint>
  /** Attempts whose records cannot be read. */
  readonly damaged: ReadonlyArray<string>
}

export interface TaskLoop {
  readonly id: string
  readonly folder: string
  readonly owner: OwnerRecord
  readonly startedAt: Time
  readonly endedAt: Time | null
  /** `null`: as many as there are. */
  readonly maxTasks: number | null
  /** Tasks that a run of this loop completed. */
  readonly tasksCompleted: number
  /** Runs of this loop that completed or failed. */
  readonly iterationsCompleted: number
  /** Somebody asked it to end after the run that goes on. */
  readonly stopRequestedAt: Time | null
}

export type LoopClaim = Data.TaggedEnum<{
  Taken: { readonly loop: TaskLoop }
  /** Another loop is going on in the folder, or its end was never stored. */
  Held: { readonly loop: TaskLoop }
}>
export const LoopClaim = Data.taggedEnum<LoopClaim>()

export interface LoopOrder {
  /** Of a new loop; or of the old one that goes on, whose counters count on. */
  readonly id: string
  readonly folder: string
  readonly maxTasks: number | null
  /** The id of a loop of which it is proven that its owner is dead: it is ended, and this one takes its place. */
  readonly replaces: string | null
}

export class TaskStore extends Context.Tag("@alluka/core/TaskStore")<
  TaskStore,
  {
    /** Stores tasks at the end of their folders' lists, all or none, and gives them their ids. */
    readonly add: (drafts: ReadonlyArray<TaskDraft>, at: Time) => Effect.Effect<ReadonlyArray<Task>, StoreFailure>
    readonly get: (id: TaskId) => Effect.Effect<Option.Option<Task>, StoreFailure | RecordCorrupt>
    readonly list: (query: TaskQuery) => Effect.Effect<TaskPage, StoreFailure>
    readonly update: (
      id: TaskId,
      change: TaskChange,
      at: Time
    ) => Effect.Effect<Task, StoreFailure | RecordCorrupt | TaskNotFound | TaskBusy>
    readonly move: (
      id: TaskId,
      place: Place,
      at: Time
    ) => Effect.Effect<Task, StoreFailure | RecordCorrupt | TaskNotFound>
    /** Removes tasks, all or none; their checkpoints stay. */
    readonly remove: (ids: ReadonlyArray<TaskId>) => Effect.Effect<void, StoreFailure | TaskNotFound | TaskBusy>
    /** A task that is `doing` and not being run is `todo` again. Says whether it was changed. */
    readonly putBack: (id: TaskId, at: Time) => Effect.Effect<boolean, StoreFailure>
    /**
     * The conversations of a folder: the latest run of every task that is `doing`, and the newest run of any task. Newest
     * first.
     */
    readonly lineages: (folder: string) => Effect.Effect<ReadonlyArray<TaskLineage>, StoreFailure>

    /** Begins a loop, or goes on with one: at most one of a folder is open, whoever asks. */
    readonly claimLoop: (order: LoopOrder, owner: OwnerRecord, at: Time) => Effect.Effect<LoopClaim, StoreFailure>
    readonly endLoop: (id: string, at: Time) => Effect.Effect<void, StoreFailure>
    readonly loop: (id: string) => Effect.Effect<Option.Option<TaskLoop>, StoreFailure>
    /** The open loop of a folder. */
    readonly openLoop: (folder: string) => Effect.Effect<Option.Option<TaskLoop>, StoreFailure>
    /** Asks the open loop of a folder to end after the run that goes on. None: there is no open loop. */
    readonly requestStop: (folder: string, at: Time) => Effect.Effect<Option.Option<TaskLoop>, StoreFailure>
  }
>() {}
