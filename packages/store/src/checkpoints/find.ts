/** Single checkpoints and small sets of them, by what they are or belong to. */
import type { Checkpoint, State } from "@alluka/core"
import { CheckpointStore, type Scope } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Database } from "../connection/Database.js"
import type { SqlValue } from "../connection/Sql.js"
import {
  checkpointColumns,
  checkpointSource,
  decodeAll,
  decodeCheckpoint,
  decodeEvent,
  decodeOwner,
  eventColumns,
  idsOf
} from "./row.js"

type Find = CheckpointStore.CheckpointStore["Type"]

const select = (where: string): string => `SELECT ${checkpointColumns} FROM ${checkpointSource} WHERE ${where}`

const byId = select("c.id = ?")

export const get =
  (database: Database): Find["get"] =>
  (id) => {
    const operation = "CheckpointStore.get"
    return Effect.flatMap(
      database.read(operation, (sql) => sql.run(byId, id)),
      ([row]) =>
        row === undefined
          ? Effect.succeedNone
          : Either.match(decodeCheckpoint(row), {
              onLeft: (cause) => Effect.fail(new CheckpointStore.RecordCorrupt({ operation, id, cause })),
              onRight: (checkpoint) => Effect.succeedSome(checkpoint)
            })
    )
  }

/** A range, not a pattern: what a person types can hold no wildcard. */
export const idsWithPrefix =
  (database: Database): Find["idsWithPrefix"] =>
  (prefix, limit) =>
    Effect.map(
      database.read("CheckpointStore.idsWithPrefix", (sql) =>
        sql.run(
          "SELECT id FROM checkpoint WHERE id >= ? AND id < ? ORDER BY seq DESC LIMIT ?",
          `ckpt_${prefix}`,
          `ckpt_${prefix}\u{10ffff}`,
          limit
        )
      ),
      idsOf
    )

const many = (
  database: Database,
  operation: string,
  query: string,
  ...params: ReadonlyArray<SqlValue>
): Effect.Effect<ReadonlyArray<Checkpoint.Checkpoint>, CheckpointStore.StoreFailure> =>
  Effect.map(
    database.read(operation, (sql) => sql.run(query, ...params)),
    (rows) => decodeAll(rows, decodeCheckpoint).items
  )

export const lineage =
  (database: Database): Find["lineage"] =>
  (rootId) =>
    many(database, "CheckpointStore.lineage", `${select("c.root_id = ?")} ORDER BY c.seq`, rootId)

/** Those that are of any of the given: the session, the provider's session, the folder. */
export const running =
  (database: Database): Find["running"] =>
  (where) => {
    const conditions: Array<string> = []
    const params: Array<SqlValue> = []
    if (where.sessionId !== undefined) {
      conditions.push("c.session_id = ?")
      params.push(where.sessionId)
    }
    if (where.providerSession !== undefined) {
      conditions.push("(c.provider = ? AND c.provider_session_id = ?)")
      params.push(where.providerSession.provider, where.providerSession.id)
    }
    if (where.folder !== undefined) {
      conditions.push("c.folder = ?")
      params.push(where.folder)
    }
    if (conditions.length === 0) return Effect.succeed([])
    // Running rows are few, so the index of owners, which holds nothing else, is the one to walk.
    const query = `SELECT ${checkpointColumns}
      FROM checkpoint c INDEXED BY checkpoint_by_owner LEFT JOIN owner o ON o.id = c.owner_id
      WHERE c.state = 'running' AND (${conditions.join(" OR ")}) ORDER BY c.seq`
    return many(database, "CheckpointStore.running", query, ...params)
  }

export const byKey =
  (database: Database): Find["byKey"] =>
  (key) =>
    Effect.map(
      many(
        database,
        "CheckpointStore.byKey",
        select("c.key IS NOT NULL AND c.key = ? AND c.state IN ('running', 'completed')"),
        key
      ),
      ([found]) => Option.fromNullable(found)
    )

/** Looks at every phase of every checkpoint: an import is rare, and an index would cost every run. */
export const knownConversations =
  (database: Database): Find["knownConversations"] =>
  (provider, ids) =>
    Effect.map(
      database.read("CheckpointStore.knownConversations", (sql) =>
        sql.run(
          `SELECT DISTINCT p.value ->> '$.providerSession.id' AS id
           FROM checkpoint c, json_each(CASE WHEN json_valid(c.progress) THEN c.progress ELSE '{}' END, '$.phases') p
           WHERE p.value ->> '$.provider' = ?
             AND p.value ->> '$.providerSession.id' IN (SELECT value FROM json_each(?))`,
          provider,
          JSON.stringify(ids)
        )
      ),
      (rows) => new Set(rows.flatMap(({ id }) => (typeof id === "string" ? [id] : [])))
    )

const noCounts: Readonly<Record<State.State, number>> = {
  running: 0,
  completed: 0,
  interrupted: 0,
  failed: 0,
  cancelled: 0
}

const isState = (value: unknown): value is State.State => typeof value === "string" && Object.hasOwn(noCounts, value)

/** What is counted is what lists show by default: tips and running attempts that are not dismissed. */
const countQuery = (scope: Scope.Scope): readonly [string, ...ReadonlyArray<SqlValue>] => {
  if (scope._tag === "Operator") return ["SELECT state, sum(count) AS count FROM state_count GROUP BY state"]
  if (scope.sessionId === null) return ["SELECT state, count FROM state_count WHERE agent = ?", scope.agent]
  return [
    `SELECT state, count(*) AS count FROM checkpoint INDEXED BY checkpoint_by_session
     WHERE session_id = ? AND listed = 1 AND agent = ? GROUP BY state`,
    scope.sessionId,
    scope.agent
  ]
}

export const counts =
  (database: Database): Find["counts"] =>
  (scope) =>
    Effect.map(
      database.read("CheckpointStore.counts", (sql) => sql.run(...countQuery(scope))),
      (rows) => {
        const found: Record<State.State, number> = { ...noCounts }
        for (const { state, count } of rows) if (isState(state)) found[state] = Number(count)
        return found
      }
    )

export const events =
  (database: Database): Find["events"] =>
  (id, after, limit) =>
    Effect.map(
      database.read("CheckpointStore.events", (sql) =>
        sql.run(
          `SELECT ${eventColumns} FROM event WHERE checkpoint_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
          id,
          after,
          limit
        )
      ),
      (rows) => decodeAll(rows, decodeEvent).items
    )

/** An owner of whom nothing readable is left cannot be probed, so nothing is said about it. */
export const runningOwners = (database: Database): Find["runningOwners"] =>
  Effect.map(
    database.read("CheckpointStore.runningOwners", (sql) =>
      sql.run(
        `SELECT o.id, o.host, o.boot_id, o.pid, o.pid_start, o.pid_namespace, r.running
         FROM (SELECT owner_id, count(*) AS running FROM checkpoint WHERE state = 'running' GROUP BY owner_id) r
         JOIN owner o ON o.id = r.owner_id`
      )
    ),
    (rows) =>
      rows.flatMap((row) =>
        Either.match(decodeOwner(row), {
          onLeft: () => [],
          onRight: (owner) => [{ owner, running: Number(row.running) }]
        })
      )
  )
