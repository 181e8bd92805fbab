/** Between rows and records. Pure: what is read is decoded with core's schemas, and a damaged row is a value, not a throw. */
import { Checkpoint, type CheckpointStore, Event, Ids, type OwnerIdentity } from "@alluka/core"
import * as Schema from "@alluka/core/Schema"
import * as Either from "effect/Either"
import type { Row, SqlValue } from "../connection/Sql.js"
import { isCheckpoint, isStoredEvent } from "./isRecord.js"

const ofCheckpoint =
  `seq id agent session_id task_id key title state reason cancel_requested started_at updated_at ended_at
  reconciled_at dismissed_at attempt root_id resumed_from resumed_by forked_from labels progress spec owner_id`.split(
    /\s+/
  )
const ofOwner = ["host", "pid", "pid_start"]

/** What a query of checkpoints selects, from `checkpoint c LEFT JOIN owner o`. */
export const checkpointColumns = [
  ...ofCheckpoint.map((name) => `c.${name}`),
  ...ofOwner.map((name) => `o.${name} AS owner_${name}`)
].join(", ")

const checkpointNames = [...ofCheckpoint, ...ofOwner.map((name) => `owner_${name}`)]

/** Copied for each row, so that all of them have one shape. */
const emptyRow: Row = Object.fromEntries(checkpointNames.map((name) => [name, null]))

/** A row of `checkpointColumns` that came as its values alone, which the driver makes in half the time. */
export const checkpointRow = (values: ReadonlyArray<unknown>): Row => {
  const row: Record<string, unknown> = { ...emptyRow }
  for (let index = 0; index < checkpointNames.length; index++) row[checkpointNames[index] ?? ""] = values[index]
  return row
}

export const checkpointSource = "checkpoint c LEFT JOIN owner o ON o.id = c.owner_id"

/** Core's `phaseNumber` in SQL: the phases of a task count from 1, a run in one pass is phase 0. */
export const phaseNumber = (progress: string, phase: string): string =>
  `CASE WHEN json_valid(${progress}) AND json_array_length(${progress}, '$.phases') > 1 THEN ${phase} + 1 ELSE 0 END`

/** What an event about a row repeats of it: the task, and the phase, which a damaged row may not have. */
export const told = `task_id,
  CASE WHEN json_valid(progress) THEN ${phaseNumber("progress", "(progress ->> '$.phase')")} END AS phase`

export const eventColumns = "seq, checkpoint_id, task_id, kind, at, phase, message, payload"

/**
 * Decodes a value of which the stored form is the decoded form, as that of our records is: checking it takes half the
 * time of building it anew, and lists are all decoding. What the check refuses is decoded after all, for the reason why.
 */
const decoder =
  <A, I>(
    is: (value: unknown) => value is A,
    schema: Schema.Schema<A, I>
  ): ((value: unknown) => Either.Either<A, unknown>) =>
  (value) =>
    is(value) ? Either.right(value) : Schema.decodeUnknownEither(schema)(value)

const decodeCheckpointFields = decoder(isCheckpoint, Checkpoint.Checkpoint)
const decodeEventFields = decoder(isStoredEvent, Event.StoredEvent)
const decodeCancelRequest = Schema.decodeUnknownEither(Checkpoint.CancelRequest)
const decodeCheckpointId = Schema.decodeUnknownEither(Ids.CheckpointId)

/** Parses JSON that a column holds; an absent value stays `null`. Throws for anything else. */
const json = (value: unknown): unknown => {
  if (value === null) return null
  if (typeof value !== "string") throw new TypeError("a column that holds JSON has another type")
  return JSON.parse(value)
}

/** Runs a step that may throw on damaged content. */
const careful = <A>(run: () => Either.Either<A, unknown>): Either.Either<A, unknown> => {
  try {
    return run()
  } catch (cause) {
    return Either.left(cause)
  }
}

/** A row selected as `checkpointColumns`, or why it is no checkpoint. */
export const decodeCheckpoint = (row: Row): Either.Either<Checkpoint.Checkpoint, unknown> =>
  careful(() =>
    Either.filterOrLeft(
      decodeCheckpointFields({
        id: row.id,
        seq: row.seq,
        agent: row.agent,
        sessionId: row.session_id,
        taskId: row.task_id,
        key: row.key,
        labels: json(row.labels),
        title: row.title,
        spec: json(row.spec),
        progress: json(row.progress),
        state: row.state,
        reason: json(row.reason),
        cancelRequested: json(row.cancel_requested),
        startedAt: row.started_at,
        updatedAt: row.updated_at,
        endedAt: row.ended_at,
        reconciledAt: row.reconciled_at,
        dismissedAt: row.dismissed_at,
        attempt: row.attempt,
        rootId: row.root_id,
        resumedFrom: row.resumed_from,
        resumedBy: row.resumed_by,
        forkedFrom: row.forked_from,
        owner: {
          id: row.owner_id,
          host: row.owner_host,
          pid: row.owner_pid,
          pidStart: row.owner_pid_start
        }
      }),
      ({ progress }) => progress.phases[progress.phase] !== undefined,
      () => new Error("the phase it says it is in does not exist")
    )
  )

/** A row selected as `eventColumns`, or why it is no event. */
export const decodeEvent = (row: Row): Either.Either<Event.StoredEvent, unknown> =>
  careful(() =>
    decodeEventFields({
      seq: row.seq,
      checkpointId: row.checkpoint_id,
      taskId: row.task_id,
      kind: row.kind,
      timestamp: row.at,
      phase: row.phase,
      message: row.message,
      payload: json(row.payload)
    })
  )

/** The content of a `cancel_requested` column that is not null. */
export const decodeCancel = (value: unknown): Either.Either<Checkpoint.CancelRequest, unknown> =>
  careful(() => decodeCancelRequest(json(value)))

/** The readable ids of rows that have an `id`. */
export const idsOf = (rows: ReadonlyArray<Row>): ReadonlyArray<Ids.CheckpointId> =>
  rows.flatMap((row) => Either.match(decodeCheckpointId(row.id), { onLeft: () => [], onRight: (id) => [id] }))

/** Decodes what can be decoded, and counts the rest. */
export const decodeAll = <A>(
  rows: ReadonlyArray<Row>,
  decode: (row: Row) => Either.Either<A, unknown>
): { readonly items: ReadonlyArray<A>; readonly skipped: number } => {
  const items = rows.flatMap((row) => Either.match(decode(row), { onLeft: () => [], onRight: (item) => [item] }))
  return { items, skipped: rows.length - items.length }
}

/** An owner's row, as `runningOwners` selects it. */
export const decodeOwner = (row: Row): Either.Either<OwnerIdentity.OwnerRecord, unknown> =>
  careful(() =>
    Either.map(
      Schema.decodeUnknownEither(Checkpoint.Owner)({
        id: row.id,
        host: row.host,
        pid: row.pid,
        pidStart: row.pid_start
      }),
      (owner) => ({
        ...owner,
        bootId: typeof row.boot_id === "string" ? row.boot_id : null,
        pidNamespace: typeof row.pid_namespace === "string" ? row.pid_namespace : null
      })
    )
  )

/** The columns that repeat a part of the progress, so that it can be queried. */
export interface ProgressColumns {
  readonly progress: string
  readonly provider: string
  readonly model: string | null
  readonly providerSessionId: string | null
}

export const progressColumns = (progress: Checkpoint.Progress): ProgressColumns => {
  const phase = Checkpoint.currentPhase(progress)
  return {
    progress: JSON.stringify(progress),
    provider: phase.provider,
    model: phase.model.actual ?? phase.model.requested,
    providerSessionId: phase.providerSession?.id ?? null
  }
}

/** Names of the columns that `draftValues` gives values for, in its order. */
export const draftColumns = `id, agent, session_id, task_id, key, title, provider, model, provider_session_id, state,
  started_at, updated_at, attempt, resumed_from, forked_from, owner_id, folder, labels, progress, spec`

export const draftPlaceholders = "?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"

export const draftValues = (
  draft: CheckpointStore.Draft,
  owner: OwnerIdentity.OwnerRecord
): ReadonlyArray<SqlValue> => {
  const columns = progressColumns(draft.progress)
  return [
    draft.id,
    draft.agent,
    draft.sessionId,
    draft.taskId,
    draft.key,
    draft.title,
    columns.provider,
    columns.model,
    columns.providerSessionId,
    draft.startedAt,
    draft.updatedAt,
    draft.attempt,
    draft.resumedFrom,
    draft.forkedFrom,
    owner.id,
    draft.spec.workspace.realPath,
    JSON.stringify(draft.labels),
    columns.progress,
    JSON.stringify(draft.spec)
  ]
}

/** The record of a draft that was just inserted. */
export const created = (
  draft: CheckpointStore.Draft,
  owner: OwnerIdentity.OwnerRecord,
  seq: number,
  rootId: Ids.CheckpointId
): Checkpoint.Checkpoint => ({
  ...draft,
  rootId,
  seq,
  owner: { id: owner.id, host: owner.host, pid: owner.pid, pidStart: owner.pidStart },
  state: "running",
  reason: null,
  cancelRequested: null,
  endedAt: null,
  reconciledAt: null,
  dismissedAt: null,
  resumedBy: null
})
