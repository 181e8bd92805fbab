/**
 * The end of runs whose owner is dead, in one transaction for all of them. The same as core's `afterDeath`, in SQL: ten
 * thousand rows take a moment, where one by one they would take fourteen times that.
 */
import { type CheckpointStore, Liveness } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Database } from "../connection/Database.js"
import { tasksOfDeadRuns } from "../tasks/runs.js"
import { idsOf, phaseNumber } from "./row.js"

/** A sentence as a literal of SQL. */
const literal = (sentence: string): string => `'${sentence.replaceAll("'", "''")}'`

const deadOwners = "SELECT value ->> 'id' AS id, value ->> 'cause' AS cause FROM json_each(?)"

/**
 * What becomes of each running row of a dead owner. Content that is no JSON is left alone: one damaged row must not keep
 * the others from being ended.
 *
 * It ended when it was last active, and never before it began: clocks jump.
 */
const ends = `WITH dead AS (${deadOwners}), ends AS (
  SELECT c.seq, c.id, c.task_id, c.progress,
    CASE WHEN c.cancel_requested IS NULL THEN 'interrupted' ELSE 'cancelled' END AS state,
    CASE WHEN c.cancel_requested IS NULL THEN dead.cause
         WHEN json_valid(c.cancel_requested) THEN c.cancel_requested ->> 'code'
         ELSE 'cancelled_by_user' END AS code,
    CASE WHEN c.cancel_requested IS NOT NULL THEN ${literal(Liveness.cancelledAtDeathMessage)}
         WHEN dead.cause = 'host_restarted' THEN ${literal(Liveness.deathMessage.host_restarted)}
         ELSE ${literal(Liveness.deathMessage.owner_lost)} END AS message,
    max(c.started_at, CASE WHEN json_valid(c.progress)
      THEN coalesce(CAST(c.progress ->> '$.position.lastActivityAt' AS INTEGER), c.updated_at)
      ELSE c.updated_at END) AS ended_at,
    CASE WHEN json_valid(c.progress) THEN coalesce(CAST(c.progress ->> '$.phase' AS INTEGER), 0) ELSE 0 END AS phase
  FROM dead JOIN checkpoint c ON c.owner_id = dead.id AND c.state = 'running'
)`

const insertEvents = `${ends}
  INSERT INTO event (checkpoint_id, task_id, kind, at, phase, message, payload)
  SELECT id, task_id, 'state_changed', CAST(? AS INTEGER), ${phaseNumber("ends.progress", "ends.phase")}, state || ': ' || message,
    json_object('from', 'running', 'to', state, 'reason', code)
  FROM ends ORDER BY seq`

/** The phase that was running ends with the run. */
const progressOfEnd = `CASE
  WHEN json_valid(e.progress) AND json_type(e.progress, '$.phases[' || e.phase || ']') = 'object' THEN json_set(e.progress,
    '$.phases[' || e.phase || '].state', e.state, '$.phases[' || e.phase || '].endedAt', e.ended_at)
  ELSE e.progress END`

const updateRows = `${ends}
  UPDATE checkpoint SET
    state = e.state,
    reason_code = e.code,
    reason = json_object('code', e.code, 'message', e.message, 'detail', NULL, 'resetsAt', NULL, 'resetsAtSource', NULL,
      'exitCode', NULL, 'signal', NULL, 'providerText', NULL, 'truncated', json('false')),
    ended_at = e.ended_at,
    updated_at = CAST(? AS INTEGER),
    reconciled_at = CAST(? AS INTEGER),
    progress = ${progressOfEnd}
  FROM ends e WHERE checkpoint.seq = e.seq AND checkpoint.state = 'running'
  RETURNING checkpoint.seq, checkpoint.id`

const anyRunning = `SELECT 1 FROM checkpoint WHERE state = 'running' AND owner_id IN (SELECT id FROM (${deadOwners})) LIMIT 1`

export const reconcile =
  (database: Database): CheckpointStore.CheckpointStore["Type"]["reconcile"] =>
  (dead, at, waitMs) => {
    const operation = "CheckpointStore.reconcile"
    const owners = JSON.stringify(dead)
    return Effect.gen(function* () {
      // Asked first without the write lock: most of the time there is nothing to do, and then nothing is written.
      if (dead.length === 0) return []
      const found = yield* database.read(operation, (sql) => sql.run(anyRunning, owners))
      if (found.length === 0) return []
      const rows = yield* database.write({ operation, durability: "full", waitMs, whenReadOnly: "apply" }, (sql) => {
        sql.run(insertEvents, owners, at)
        const ended = sql.run(updateRows, owners, at, at)
        tasksOfDeadRuns(sql, idsOf(ended), at)
        return Either.right(ended)
      })
      return idsOf([...rows].sort((a, b) => Number(a.seq) - Number(b.seq)))
    })
  }
