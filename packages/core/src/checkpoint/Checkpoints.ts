/**
 * Checkpoints as a service: begin one, find, list and follow them, ask for a cancel, tidy up. Every call takes the scope
 * it is made in. What is outside of the scope answers as if it were not there.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { OwnerIdentity, type OwnerLockFailed } from "../host/OwnerIdentity.js"
import { Redactor } from "../privacy/Redactor.js"
import { Recovery } from "../recovery/Recovery.js"
import * as Schema from "../Schema.js"
import type { RunSpec } from "../session/RunSpec.js"
import * as Scope from "../session/Scope.js"
import { oneLine } from "../text/oneLine.js"
import { type Checkpoint, type ProviderSession, phaseNumber, type Time } from "./Checkpoint.js"
import {
  type CheckpointPage,
  CheckpointStore,
  Conflict,
  type Draft,
  type InvalidCursor,
  type ListQuery,
  type RecordCorrupt,
  type StoreFailure
} from "./CheckpointStore.js"
import { draftOf } from "./draft.js"
import type { NewEvent, StoredEvent } from "./Event.js"
import { CheckpointId, Ids } from "./ids.js"
import { type OwnedRun, own } from "./OwnedRun.js"
import type { CancelledCode, EndState, State } from "./state.js"

/** No checkpoint with this id can be seen in the caller's scope. */
export class CheckpointNotFound extends Data.TaggedError("CheckpointNotFound")<{ readonly id: string }> {
  override get message(): string {
    return `no checkpoint ${this.id}`
  }
}

/** The text fits several checkpoints. */
export class AmbiguousId extends Data.TaggedError("AmbiguousId")<{
  readonly id: string
  readonly candidates: ReadonlyArray<CheckpointId>
}> {
  override get message(): string {
    return `"${this.id}" fits several checkpoints: ${this.candidates.join(", ")}`
  }
}

/** Another process won the claim, or the source can no longer be resumed. */
export class ClaimLost extends Data.TaggedError("ClaimLost")<{ readonly source: CheckpointId }> {
  override get message(): string {
    return `${this.source} was claimed by another process`
  }
}

/** A list of everything: the newest 30 tips. Change what differs. */
export const everything: ListQuery = {
  states: [],
  agent: null,
  sessionId: null,
  provider: null,
  model: null,
  resumable: false,
  folder: null,
  since: null,
  until: null,
  search: null,
  attempts: false,
  dismissed: false,
  sort: "newest",
  limit: 30,
  cursor: null
}

/** How a run may begin besides its spec. */
export interface StartOptions {
  /** The id to use, where the caller has promised one (a detached start). */
  readonly id?: CheckpointId
  /** The provider session id that we choose, derived from the new checkpoint's id. */
  readonly chooseSession?: (id: CheckpointId, startedAt: number) => ProviderSession | null
  /** States from which the source of a resume may be claimed. */
  readonly eligible?: ReadonlyArray<EndState>
  /** When it began, where that was before it was recorded (an import); left out: now. */
  readonly startedAt?: Time
  /** Put into the `created` event's payload. */
  readonly payload?: NewEvent["payload"]
}

export class Checkpoints extends Context.Tag("@alluka/core/Checkpoints")<
  Checkpoints,
  {
    /** Commits the checkpoint of a new run, before anything of it is started. */
    readonly start: (
      scope: Scope.Scope,
      spec: RunSpec,
      options?: StartOptions
    ) => Effect.Effect<OwnedRun, StoreFailure | Conflict | ClaimLost | OwnerLockFailed>
    readonly get: (
      scope: Scope.Scope,
      id: CheckpointId
    ) => Effect.Effect<Checkpoint, CheckpointNotFound | RecordCorrupt | StoreFailure>
    /**
     * Finds a checkpoint by what a person types: the id, four or more characters of its random part (with or without
     * `ckpt_`), or `latest`.
     */
    readonly find: (
      scope: Scope.Scope,
      text: string
    ) => Effect.Effect<Checkpoint, CheckpointNotFound | AmbiguousId | RecordCorrupt | StoreFailure>
    readonly list: (scope: Scope.Scope, query: ListQuery) => Effect.Effect<CheckpointPage, StoreFailure | InvalidCursor>
    readonly counts: (scope: Scope.Scope) => Effect.Effect<Readonly<Record<State, number>>, StoreFailure>
    /** Events of one checkpoint after a `seq`, oldest first. */
    readonly timeline: (
      scope: Scope.Scope,
      id: CheckpointId,
      after?: number,
      limit?: number
    ) => Effect.Effect<ReadonlyArray<StoredEvent>, CheckpointNotFound | RecordCorrupt | StoreFailure>
    /** All attempts of the checkpoint's lineage, oldest first. */
    readonly lineage: (
      scope: Scope.Scope,
      id: CheckpointId
    ) => Effect.Effect<ReadonlyArray<Checkpoint>, CheckpointNotFound | RecordCorrupt | StoreFailure>
    /** The newest `seq`: taken before a snapshot, it lets `changes` go on from there without a gap. */
    readonly latestSeq: Effect.Effect<number, StoreFailure>
    /** Everything that is committed after a `seq` (default: from now on), by any process. */
    readonly changes: (scope: Scope.Scope, after?: number) => Stream.Stream<StoredEvent, StoreFailure>
    /**
     * Stores the wish to cancel. The owner ends the run within a second; an ended checkpoint stays as it is, and who waits
     * for its usage limit to reset waits no longer.
     */
    readonly cancel: (
      scope: Scope.Scope,
      id: CheckpointId,
      by: string,
      code?: CancelledCode
    ) => Effect.Effect<Checkpoint, CheckpointNotFound | RecordCorrupt | StoreFailure>
    readonly dismiss: (
      scope: Scope.Scope,
      id: CheckpointId
    ) => Effect.Effect<boolean, CheckpointNotFound | RecordCorrupt | StoreFailure>
    readonly rename: (
      scope: Scope.Scope,
      id: CheckpointId,
      title: string
    ) => Effect.Effect<boolean, CheckpointNotFound | RecordCorrupt | StoreFailure>
    /** Deletes ended checkpoints; running ones are left. Says which are gone. */
    readonly remove: (
      scope: Scope.Scope,
      ids: ReadonlyArray<CheckpointId>
    ) => Effect.Effect<ReadonlyArray<CheckpointId>, CheckpointNotFound | RecordCorrupt | StoreFailure>
  }
>() {}

const prefixPattern = /^(?:ckpt_)?([0-9a-hjkmnp-tv-z]{4,12})$/

export const make = Effect.gen(function* () {
  const store = yield* CheckpointStore
  const owners = yield* OwnerIdentity
  const recovery = yield* Recovery
  const redactor = yield* Redactor
  const ids = yield* Ids

  const get: Checkpoints["Type"]["get"] = (scope, id) =>
    store.get(id).pipe(
      // Whose a damaged record is cannot be read: to an agent it is not there.
      Effect.catchTag("RecordCorrupt", (damaged) =>
        scope._tag === "Operator" ? Effect.fail(damaged) : Effect.succeedNone
      ),
      Effect.flatMap((found) =>
        Option.isSome(found) && Scope.allows(scope, found.value)
          ? recovery.correct(found.value)
          : Effect.fail(new CheckpointNotFound({ id }))
      )
    )

  const canSee = (scope: Scope.Scope, id: CheckpointId) =>
    Effect.catchTags(Effect.as(get(scope, id), true), {
      CheckpointNotFound: () => Effect.succeed(false),
      RecordCorrupt: () => Effect.succeed(false)
    })

  /** An agent goes on from its own checkpoints only, and in no session of another. */
  const mayBegin = (scope: Scope.Scope, draft: Draft) =>
    Effect.gen(function* () {
      if (scope._tag === "Operator") return
      const { forkedFrom, resumedFrom, sessionId } = draft
      const source = resumedFrom ?? forkedFrom
      if (source !== null && !(yield* canSee(scope, source))) return yield* new ClaimLost({ source })
      const { items } = yield* Effect.catchTag(
        store.list(Scope.operator, { ...everything, sessionId, attempts: true, dismissed: true, limit: 1 }),
        // The query has no cursor.
        "InvalidCursor",
        Effect.die
      )
      if (items.some(({ agent }) => agent !== scope.agent)) {
        return yield* new Conflict({ operation: "Checkpoints.start", on: "session", holder: null })
      }
    })

  /** What is in the way is named only to who may see it. */
  const discreet = (scope: Scope.Scope, conflict: Conflict) =>
    Effect.flatMap(conflict.holder === null ? Effect.succeed(true) : canSee(scope, conflict.holder), (seen) =>
      Effect.fail(seen ? conflict : new Conflict({ operation: conflict.operation, on: conflict.on, holder: null }))
    )

  const start: Checkpoints["Type"]["start"] = (scope, asked, options = {}) =>
    Effect.gen(function* () {
      const owner = yield* owners.self
      const spec =
        scope._tag === "Agent" ? { ...asked, agent: scope.agent, sessionId: scope.sessionId ?? asked.sessionId } : asked
      const now = yield* Clock.currentTimeMillis
      const id = options.id ?? (yield* ids.checkpoint)
      const draft = draftOf(spec, {
        id,
        sessionId: spec.sessionId ?? (yield* ids.session),
        now: options.startedAt ?? now,
        redact: redactor.redact,
        chosenSession: options.chooseSession?.(id, now) ?? null
      })
      yield* mayBegin(scope, draft)
      const created: NewEvent = {
        kind: "created",
        timestamp: now,
        phase: phaseNumber(draft.progress),
        message: draft.title,
        payload: {
          origin: spec.origin,
          provider: spec.provider,
          attempt: draft.attempt,
          resumed_from: draft.resumedFrom,
          ...options.payload
        }
      }
      if (draft.resumedFrom === null) {
        const made = Effect.catchTag(store.create(draft, owner, created), "Conflict", (found) => discreet(scope, found))
        return yield* Effect.flatMap(made, (checkpoint) => own(store, checkpoint))
      }
      const source = draft.resumedFrom
      const claimed = yield* store.claim(draft, owner, options.eligible ?? ["interrupted", "failed"], created)
      return yield* Option.match(claimed, {
        onNone: () => Effect.fail(new ClaimLost({ source })),
        onSome: (checkpoint) => own(store, checkpoint)
      })
    })

  const find: Checkpoints["Type"]["find"] = (scope, text) =>
    Effect.gen(function* () {
      const typed = text.trim().toLowerCase()
      if (typed === "latest") {
        const page = yield* Effect.catchTag(
          store.list(scope, { ...everything, attempts: true, dismissed: true, limit: 1 }),
          // The query has no cursor.
          "InvalidCursor",
          Effect.die
        )
        const newest = page.items[0]
        return newest === undefined
          ? yield* Effect.fail(new CheckpointNotFound({ id: text }))
          : yield* recovery.correct(newest)
      }
      if (Schema.is(CheckpointId)(typed)) return yield* get(scope, typed)
      const prefix = prefixPattern.exec(typed)?.[1]
      if (prefix === undefined) return yield* Effect.fail(new CheckpointNotFound({ id: text }))
      const candidates = yield* store.idsWithPrefix(prefix, 10)
      const visible = yield* Effect.filter(candidates, (id) =>
        get(scope, id).pipe(
          Effect.as(true),
          Effect.catchTag("CheckpointNotFound", () => Effect.succeed(false)),
          Effect.catchTag("RecordCorrupt", () => Effect.succeed(true))
        )
      )
      const [only, ...others] = visible
      if (only === undefined) return yield* Effect.fail(new CheckpointNotFound({ id: text }))
      if (others.length > 0) return yield* Effect.fail(new AmbiguousId({ id: text, candidates: visible }))
      return yield* get(scope, only)
    })

  /** A process may be waiting for the usage limit of an ended checkpoint to reset: it looks for this event. */
  const endWait = (checkpoint: Checkpoint, by: string, timestamp: number) =>
    Effect.gen(function* () {
      if (checkpoint.reason?.code !== "usage_limit") return
      const events = yield* store.events(checkpoint.id, 0, 10_000)
      if (events.at(-1)?.kind !== "waiting_for_reset") return
      yield* store.note(checkpoint.id, [
        {
          kind: "cancel_requested",
          timestamp,
          phase: phaseNumber(checkpoint.progress),
          message: oneLine(`the wait for the reset was cancelled by ${redactor.redact(by)}`),
          payload: { by: oneLine(redactor.redact(by), 120), waiting: true }
        }
      ])
    })

  const list: Checkpoints["Type"]["list"] = (scope, query) =>
    Effect.gen(function* () {
      const page = yield* store.list(scope, query)
      return { ...page, items: yield* Effect.forEach(page.items, recovery.correct) }
    })

  return Checkpoints.of({
    start,
    get,
    find,
    list,
    counts: store.counts,
    timeline: (scope, id, after = 0, limit = 1000) => Effect.zipRight(get(scope, id), store.events(id, after, limit)),
    lineage: (scope, id) =>
      Effect.flatMap(get(scope, id), ({ rootId }) =>
        Effect.map(
          Effect.flatMap(store.lineage(rootId), (all) => Effect.forEach(all, recovery.correct)),
          (all) => all.filter((checkpoint) => Scope.allows(scope, checkpoint))
        )
      ),
    latestSeq: store.latestSeq,
    changes: (scope, after) => {
      const from = after === undefined ? store.latestSeq : Effect.succeed(after)
      const all = Stream.unwrap(Effect.map(from, (seq) => store.changes(seq)))
      if (scope._tag === "Operator") return all
      return Stream.filterEffect(all, ({ checkpointId }) => canSee(scope, checkpointId))
    },
    cancel: (scope, id, by, code = "cancelled_by_user") =>
      Effect.gen(function* () {
        const checkpoint = yield* get(scope, id)
        const at = yield* Clock.currentTimeMillis
        if (checkpoint.state !== "running") {
          yield* endWait(checkpoint, by, at)
          return checkpoint
        }
        const updated = yield* store.requestCancel(id, { at, by: oneLine(redactor.redact(by), 120), code })
        return Option.getOrElse(updated, () => checkpoint)
      }),
    dismiss: (scope, id) =>
      Effect.gen(function* () {
        yield* get(scope, id)
        return yield* store.dismiss(id, yield* Clock.currentTimeMillis)
      }),
    rename: (scope, id, title) =>
      Effect.gen(function* () {
        yield* get(scope, id)
        return yield* store.rename(id, oneLine(redactor.redact(title), 120), yield* Clock.currentTimeMillis)
      }),
    remove: (scope, checkpointIds) =>
      Effect.gen(function* () {
        yield* Effect.forEach(checkpointIds, (id) =>
          Effect.catchTag(get(scope, id), "RecordCorrupt", () => Effect.void)
        )
        return yield* store.remove(checkpointIds, yield* Clock.currentTimeMillis)
      })
  })
})

export const layer: Layer.Layer<Checkpoints, never, CheckpointStore | OwnerIdentity | Recovery | Redactor | Ids> =
  Layer.effect(Checkpoints, make)
