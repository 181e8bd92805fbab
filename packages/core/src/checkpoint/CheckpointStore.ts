/**
 * The port to the durable store. Every method is one transaction; `Checkpoints`, `Runs`, `Resume` and `Recovery` build on
 * it, and nothing else does. Texts given to it are already redacted and bounded.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { OwnerRecord } from "../host/OwnerIdentity.js"
import type { Scope } from "../session/Scope.js"
import type { CancelRequest, Checkpoint, Progress, Reason, Time } from "./Checkpoint.js"
import type { NewEvent, StoredEvent } from "./Event.js"
import type { CheckpointId, OwnerId, SessionId } from "./ids.js"
import type { EndState, State } from "./state.js"

/** The store stayed locked past the bound (`waitedMs`). Nothing was written. */
export class StoreLocked extends Data.TaggedError("StoreLocked")<{
  readonly operation: string
  readonly path: string
  readonly waitedMs: number
  readonly cause: unknown
}> {
  override get message(): string {
    return `the run store ${this.path} stayed locked by another process for ${(this.waitedMs / 1000).toFixed(1)} s (${this.operation})`
  }
}

/** The store cannot be read or written: missing folder, read-only, disk full, damaged file, network file system. */
export class StoreUnavailable extends Data.TaggedError("StoreUnavailable")<{
  readonly operation: string
  readonly path: string
  readonly code:
    | "read_only"
    | "disk_full"
    | "not_accessible"
    | "damaged"
    | "network_file_system"
    | "unsafe_folder"
    | "io"
  readonly cause: unknown
}> {
  override get message(): string {
    return `the run store ${this.path} cannot be used (${this.code}, ${this.operation}): ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}

/** The store was written by a newer program. The file is left as it is. */
export class StoreNewer extends Data.TaggedError("StoreNewer")<{
  readonly path: string
  readonly found: number
  readonly supported: number
}> {
  override get message(): string {
    return `the run store ${this.path} has schema ${this.found}; this program knows up to ${this.supported}. Use a newer alluka.`
  }
}

/** The row is there but cannot be read. */
export class RecordCorrupt extends Data.TaggedError("RecordCorrupt")<{
  readonly operation: string
  readonly id: string
  readonly cause: unknown
}> {
  override get message(): string {
    return `the record of ${this.id} is damaged (${this.operation})`
  }
}

/** No row took the write: the run is no longer ours, or no longer running. End the child, write nothing more. */
export class Fenced extends Data.TaggedError("Fenced")<{ readonly operation: string; readonly id: CheckpointId }> {
  override get message(): string {
    return `${this.id} is no longer owned by this process (${this.operation})`
  }
}

/** Another running checkpoint already holds this session, lineage or provider session. */
export class Conflict extends Data.TaggedError("Conflict")<{
  readonly operation: string
  /** `task`: it is running already, or is not to be done any more. */
  readonly on: "lineage" | "session" | "provider_session" | "key" | "id" | "task"
  readonly holder: CheckpointId | null
}> {
  override get message(): string {
    return `another run${this.holder === null ? "" : ` (${this.holder})`} already holds this ${this.on.replace("_", " ")}`
  }
}

/** A list's cursor that is none of ours, or one of a list in another order. */
export class InvalidCursor extends Data.TaggedError("InvalidCursor")<{ readonly cursor: string }> {
  override get message(): string {
    return `"${this.cursor}" is not a cursor of this list. Use the next_cursor of the page before, with the same sort order`
  }
}

export type StoreFailure = StoreLocked | StoreUnavailable | StoreNewer

/** A checkpoint about to be created: everything but what the store itself assigns. */
export type Draft = Omit<
  Checkpoint,
  "seq" | "owner" | "reconciledAt" | "dismissedAt" | "resumedBy" | "endedAt" | "state" | "reason" | "cancelRequested"
>

/** A write of the owner into its running checkpoint, together with the events that tell it. */
export interface OwnerWrite {
  readonly id: CheckpointId
  readonly owner: OwnerId
  /** The task that the checkpoint was created for; its events name it. */
  readonly taskId: Checkpoint["taskId"]
  readonly progress: Progress
  readonly at: Time
  readonly events: ReadonlyArray<NewEvent>
  /** `full`: synced to the disk before it returns (session id, tool boundaries); `normal`: survives the process only. */
  readonly durability: "full" | "normal"
  /**
   * The checkpoint this one resumes, now that its conversation was seen to be open: sets `resumed_by` there in the same
   * transaction. `null` otherwise.
   */
  readonly confirmsResumeOf: CheckpointId | null
}

export interface OwnerEnd extends Omit<OwnerWrite, "durability"> {
  readonly state: EndState
  readonly reason: Reason | null
  readonly endedAt: Time
}

export interface ListQuery {
  readonly states: ReadonlyArray<State>
  readonly agent: string | null
  readonly sessionId: SessionId | null
  readonly provider: string | null
  readonly model: string | null
  /** Only checkpoints that may be resumed: the tip, interrupted, failed or cancelled. */
  readonly resumable: boolean
  /** Real path of a folder. */
  readonly folder: string | null
  readonly since: Time | null
  readonly until: Time | null
  readonly search: string | null
  /** Every attempt, not only the tips. */
  readonly attempts: boolean
  /** `false`: without dismissed ones; `true`: with them; `only`: nothing but them. */
  readonly dismissed: boolean | "only"
  readonly sort: "newest" | "oldest" | "updated"
  readonly limit: number
  readonly cursor: string | null
}

export interface CheckpointPage {
  readonly items: ReadonlyArray<Checkpoint>
  /** Rows that matched but could not be read. */
  readonly skipped: number
  readonly nextCursor: string | null
  /** Where it is cheap to know. */
  readonly total: number | null
}

/** A running checkpoint's owner, with how many running checkpoints it has. */
export interface RunningOwner {
  readonly owner: OwnerRecord
  readonly running: number
}

export interface DeadOwner {
  readonly id: OwnerId
  readonly cause: "owner_lost" | "host_restarted"
}

export class CheckpointStore extends Context.Tag("@alluka/core/CheckpointStore")<
  CheckpointStore,
  {
    /** Where the store is, for messages. */
    readonly path: string
    /** Commits a new running checkpoint and its `created` event, synced. Waits up to 10 s for a locked store. */
    readonly create: (
      draft: Draft,
      owner: OwnerRecord,
      event: NewEvent
    ) => Effect.Effect<Checkpoint, StoreFailure | Conflict>
    /**
     * The same for an attempt that resumes `draft.resumedFrom`: one statement that succeeds for exactly one of any number
     * of processes, and only while the source is in one of `eligible` and nobody's resume of it was confirmed. None: lost.
     */
    readonly claim: (
      draft: Draft,
      owner: OwnerRecord,
      eligible: ReadonlyArray<EndState>,
      event: NewEvent
    ) => Effect.Effect<Option.Option<Checkpoint>, StoreFailure>
    readonly progress: (
      write: OwnerWrite
    ) => Effect.Effect<ReadonlyArray<StoredEvent>, StoreFailure | Fenced | Conflict>
    /** Stores the end, waiting for a locked store as long as the process lives. */
    readonly end: (write: OwnerEnd) => Effect.Effect<ReadonlyArray<StoredEvent>, StoreFailure | Fenced>
    /** Adds events to an ended or running checkpoint without changing it (a decision that refused, a hook that failed). */
    readonly note: (
      id: CheckpointId,
      events: ReadonlyArray<NewEvent>
    ) => Effect.Effect<ReadonlyArray<StoredEvent>, StoreFailure>

    readonly get: (id: CheckpointId) => Effect.Effect<Option.Option<Checkpoint>, StoreFailure | RecordCorrupt>
    /** Ids whose random part begins with the given text, at most `limit`, newest first. */
    readonly idsWithPrefix: (prefix: string, limit: number) => Effect.Effect<ReadonlyArray<CheckpointId>, StoreFailure>
    /** Every attempt of a lineage, oldest first; damaged rows left out. */
    readonly lineage: (rootId: CheckpointId) => Effect.Effect<ReadonlyArray<Checkpoint>, StoreFailure>
    /** Running checkpoints of a session, a provider session or a folder: those that would be in the way of another. */
    readonly running: (where: {
      readonly sessionId?: SessionId
      readonly providerSession?: { readonly provider: string; readonly id: string }
      readonly folder?: string
    }) => Effect.Effect<ReadonlyArray<Checkpoint>, StoreFailure>
    /** Those of a provider's conversations (by its own ids) that some checkpoint, running or ended, is of. */
    readonly knownConversations: (
      provider: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>, StoreFailure>
    readonly byKey: (key: string) => Effect.Effect<Option.Option<Checkpoint>, StoreFailure>
    readonly list: (scope: Scope, query: ListQuery) => Effect.Effect<CheckpointPage, StoreFailure | InvalidCursor>
    /** How many checkpoints (tips, not dismissed) are in each state. */
    readonly counts: (scope: Scope) => Effect.Effect<Readonly<Record<State, number>>, StoreFailure>
    readonly events: (
      id: CheckpointId,
      after: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<StoredEvent>, StoreFailure>

    /** Stores the wish to cancel, synced; the owner sees it within 250 ms. Does nothing to a checkpoint that has ended. */
    readonly requestCancel: (
      id: CheckpointId,
      request: CancelRequest
    ) => Effect.Effect<Option.Option<Checkpoint>, StoreFailure>
    readonly cancelRequest: (id: CheckpointId) => Effect.Effect<Option.Option<CancelRequest>, StoreFailure>

    readonly runningOwners: Effect.Effect<ReadonlyArray<RunningOwner>, StoreFailure>
    /**
     * Ends every running checkpoint of the dead owners in one transaction: cancelled where a cancel was requested, else
     * interrupted with the cause. Idempotent. Waits at most `waitMs` for a locked store.
     */
    readonly reconcile: (
      dead: ReadonlyArray<DeadOwner>,
      at: Time,
      waitMs: number
    ) => Effect.Effect<ReadonlyArray<CheckpointId>, StoreFailure>

    readonly dismiss: (id: CheckpointId, at: Time | null) => Effect.Effect<boolean, StoreFailure>
    readonly rename: (id: CheckpointId, title: string, at: Time) => Effect.Effect<boolean, StoreFailure>
    /** Deletes ended checkpoints with their events; a running one is never touched. Says which were deleted. */
    readonly remove: (
      ids: ReadonlyArray<CheckpointId>,
      at: Time
    ) => Effect.Effect<ReadonlyArray<CheckpointId>, StoreFailure>

    readonly latestSeq: Effect.Effect<number, StoreFailure>
    /** Stored events after `seq`, oldest first, at most `limit`. */
    readonly eventsAfter: (seq: number, limit: number) => Effect.Effect<ReadonlyArray<StoredEvent>, StoreFailure>
    /** Everything after `seq` as it is committed, by any process, without gap or repeat. */
    readonly changes: (seq: number) => Stream.Stream<StoredEvent, StoreFailure>
  }
>() {}
