/** The first commit of a run: a new checkpoint, or an attempt that claims the right to resume one. */
import type { Checkpoint, CheckpointStore, Event, Ids, OwnerIdentity, State } from "@alluka/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { type Database, synced } from "../connection/Database.js"
import type { Statements } from "../connection/Statements.js"
import { taskGoesOn, taskStarts } from "../tasks/runs.js"
import { orConflict, type Wanted } from "./conflict.js"
import { insertEvent, nextSeq } from "./events.js"
import { created, draftColumns, draftPlaceholders, draftValues, idsOf, progressColumns } from "./row.js"

/** The first run of a process brings its owner's row; the rows of later runs find it there. */
export const insertOwner = (
  sql: Statements,
  owner: OwnerIdentity.OwnerRecord,
  version: string | null,
  at: number
): void => {
  sql.run(
    `INSERT INTO owner (id, host, boot_id, pid, pid_start, pid_namespace, started_at, version)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    owner.id,
    owner.host,
    owner.bootId,
    owner.pid,
    owner.pidStart,
    owner.pidNamespace,
    at,
    version
  )
}

const seqOf = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>): number => Number(rows[0]?.seq)

const insertNew = `INSERT INTO checkpoint (seq, root_id, is_tip, ${draftColumns})
  VALUES (${nextSeq}, ?, 1, ${draftPlaceholders})`

export const create =
  (database: Database, version: string | null): CheckpointStore.CheckpointStore["Type"]["create"] =>
  (draft, owner, event) =>
    Effect.flatMap(Clock.currentTimeMillis, (at) => {
      const operation = "CheckpointStore.create"
      return database.write(synced(operation), (sql) =>
        Either.gen(function* () {
          const { lastRowid: seq } = yield* orConflict(sql, operation, wantedBy(draft), () =>
            sql.change(insertNew, draft.rootId, ...draftValues(draft, owner))
          )
          insertOwner(sql, owner, version, at)
          yield* taskStarts(sql, operation, draft, at)
          insertEvent(sql, draft.id, draft.taskId, event, seq)
          return created(draft, owner, seq, draft.rootId)
        })
      )
    })

const wantedBy = (draft: CheckpointStore.Draft): Wanted => {
  const { provider, providerSessionId } = progressColumns(draft.progress)
  const { id, rootId, sessionId, key, taskId } = draft
  return { id, rootId, sessionId, key, taskId, provider, providerSessionId }
}

const placeholders = (count: number): string => Array.from({ length: count }, () => "?").join(", ")

/**
 * One statement decides: the source is still the tip, in one of the eligible states, and no other attempt of its lineage,
 * no other run of its session and of its provider session is running. Of any number of processes one gets the row.
 */
const insertClaim = (eligible: number): string =>
  `INSERT INTO checkpoint (seq, root_id, is_tip, ${draftColumns})
   SELECT ${nextSeq}, s.root_id, 0, ${draftPlaceholders} FROM checkpoint s
   WHERE s.id = ? AND s.state IN (${placeholders(eligible)})
     AND s.resumed_by IS NULL AND s.is_tip = 1
   ON CONFLICT DO NOTHING RETURNING seq, root_id AS id`

/** Whether the source could be claimed when it was looked at. */
const claimable = (eligible: number): string =>
  `SELECT 1 FROM checkpoint s
   WHERE s.id = ? AND s.state IN (${placeholders(eligible)}) AND s.resumed_by IS NULL AND s.is_tip = 1
     AND NOT EXISTS (SELECT 1 FROM checkpoint r WHERE r.root_id = s.root_id AND r.state = 'running')`

/**
 * Looked at first without the write lock: of many that want the same run all but one have lost already when they come, and
 * need not queue for the lock to be told so.
 */
export const claim =
  (database: Database, version: string | null): CheckpointStore.CheckpointStore["Type"]["claim"] =>
  (
    draft: CheckpointStore.Draft,
    owner: OwnerIdentity.OwnerRecord,
    eligible: ReadonlyArray<State.EndState>,
    event: Event.NewEvent
  ) =>
    Effect.gen(function* () {
      const operation = "CheckpointStore.claim"
      const open = yield* database.read(operation, (sql) =>
        sql.run(claimable(eligible.length), draft.resumedFrom, ...eligible)
      )
      if (open.length === 0) return Option.none<Checkpoint.Checkpoint>()
      const at = yield* Clock.currentTimeMillis
      return yield* database.write(synced(operation), (sql) => {
        const rows = sql.run(insertClaim(eligible.length), ...draftValues(draft, owner), draft.resumedFrom, ...eligible)
        const rootId: Ids.CheckpointId | undefined = idsOf(rows)[0]
        if (rootId === undefined) return Either.right(Option.none<Checkpoint.Checkpoint>())
        // After the claim: who loses writes nothing at all.
        insertOwner(sql, owner, version, at)
        taskGoesOn(sql, draft, rootId, at)
        insertEvent(sql, draft.id, draft.taskId, event, seqOf(rows))
        return Either.right(Option.some(created(draft, owner, seqOf(rows), rootId)))
      })
    })
