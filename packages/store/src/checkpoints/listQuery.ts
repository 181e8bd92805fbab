/**
 * From what is asked for to one SQL statement that costs the same however many rows there are. Pure.
 *
 * Every index goes (one column or none), `listed`, `state`, `seq`. So the statement is a union of branches, one for each
 * state asked for, each of which takes the first rows in order from one stretch of one index; merging a few short branches
 * is cheap, where `state IN (...)` would sort every row that matches. What no index holds is filtered on the way.
 */
import type { CheckpointStore, Scope } from "@alluka/core"
import { State } from "@alluka/core"
import type { SqlValue } from "../connection/Sql.js"
import type { Place } from "./cursor.js"
import { checkpointColumns } from "./row.js"
import { type Condition, matchOf, saysAll } from "./searchText.js"

export interface Statement {
  readonly sql: string
  readonly params: ReadonlyArray<SqlValue>
}

type ListQuery = CheckpointStore.ListQuery

/** `null`: nobody can match, since the scope and the query exclude each other. */
const agentAndSession = (
  scope: Scope.Scope,
  query: ListQuery
): { readonly agent: string | null; readonly sessionId: string | null } | null => {
  if (scope._tag === "Operator") return { agent: query.agent, sessionId: query.sessionId }
  if (query.agent !== null && query.agent !== scope.agent) return null
  if (scope.sessionId !== null && query.sessionId !== null && scope.sessionId !== query.sessionId) return null
  return { agent: scope.agent, sessionId: scope.sessionId ?? query.sessionId }
}

const resumableStates: ReadonlyArray<State.State> = ["interrupted", "failed", "cancelled"]

/** The states to look for; empty where none is possible. */
const statesOf = (query: ListQuery): ReadonlyArray<State.State> => {
  const asked = query.states.length === 0 ? State.states : [...new Set(query.states)]
  return query.resumable ? asked.filter((state) => resumableStates.includes(state)) : asked
}

/** What no index decides. */
const filters = (
  query: ListQuery,
  who: { readonly agent: string | null; readonly sessionId: string | null }
): ReadonlyArray<Condition> => {
  const conditions: Array<Condition> = []
  const add = (sql: string, ...params: ReadonlyArray<SqlValue>) => conditions.push({ sql, params })
  if (who.sessionId !== null) add("c.session_id = ?", who.sessionId)
  if (query.folder !== null) add("c.folder = ?", query.folder)
  if (who.agent !== null) add("c.agent = ?", who.agent)
  if (query.provider !== null) add("c.provider = ?", query.provider)
  if (query.model !== null) {
    add(
      `(c.model = ? OR (json_valid(c.progress)
         AND c.progress ->> ('$.phases[' || (c.progress ->> '$.phase') || '].model.requested') = ?))`,
      query.model,
      query.model
    )
  }
  // Times do not follow the order of rows exactly, but the rows of a time are found by an index, and bound the walk.
  if (query.since !== null) {
    add(
      `c.seq >= (SELECT min(seq) FROM checkpoint INDEXED BY checkpoint_by_start WHERE started_at >= ?) AND c.started_at >= ?`,
      query.since,
      query.since
    )
  }
  if (query.until !== null) {
    add(
      `c.seq <= (SELECT max(seq) FROM checkpoint INDEXED BY checkpoint_by_start WHERE started_at <= ?) AND c.started_at <= ?`,
      query.until,
      query.until
    )
  }
  // `listed` says it already, and is in the indexes: then a branch need not look at the rows that it passes over.
  const allListed = halves(query).every((half) => half === 1)
  if (query.dismissed === false && !allListed) add("c.dismissed_at IS NULL")
  if (query.dismissed === "only") add("c.dismissed_at IS NOT NULL")
  if (query.resumable) {
    add("c.is_tip = 1")
    add("NOT EXISTS (SELECT 1 FROM checkpoint r WHERE r.root_id = c.root_id AND r.state = 'running')")
  } else if (!query.attempts && !allListed) {
    add("(c.is_tip = 1 OR c.state = 'running')")
  }
  if (query.search !== null) conditions.push(...saysAll(query.search))
  return conditions
}

/** The index that narrows most, of those whose column is asked for. */
const indexOf = (
  query: ListQuery,
  who: { readonly agent: string | null; readonly sessionId: string | null }
): string => {
  if (who.sessionId !== null) return "checkpoint_by_session"
  if (query.folder !== null) return "checkpoint_by_folder"
  if (who.agent !== null) return "checkpoint_by_agent"
  if (query.provider !== null) return "checkpoint_by_provider"
  return "checkpoint_by_state"
}

interface Order {
  readonly by: string
  /** What it is by, of the table `c`. */
  readonly keys: string
  readonly after: string
}

const orders: Readonly<Record<ListQuery["sort"], Order>> = {
  newest: { by: "seq DESC", keys: "c.seq AS seq", after: "c.seq < ?" },
  oldest: { by: "seq ASC", keys: "c.seq AS seq", after: "c.seq > ?" },
  updated: {
    by: "updated_at DESC, seq DESC",
    keys: "c.seq AS seq, c.updated_at AS updated_at",
    after: "(c.updated_at, c.seq) < (?, ?)"
  }
}

const afterParams = (sort: ListQuery["sort"], place: Place): ReadonlyArray<SqlValue> =>
  sort === "updated" ? [place.updatedAt, place.seq] : [place.seq]

/** First rows of a branch, in the order given: as much of them as the order of the whole needs. */
const branchOf = (
  from: string,
  conditions: ReadonlyArray<Condition>,
  keys: string,
  order: string,
  limit: number
): Condition => ({
  sql: `SELECT * FROM (SELECT ${keys} FROM ${from}
          WHERE ${conditions.map(({ sql }) => sql).join(" AND ")} ORDER BY ${order} LIMIT ?)`,
  params: [...conditions.flatMap(({ params }) => params), limit]
})

const amongst = (column: string, values: ReadonlyArray<SqlValue>): Condition => ({
  sql: `${column} IN (${values.map(() => "?").join(", ")})`,
  params: values
})

/** Each state from one stretch of one index. */
const walked = (
  query: ListQuery,
  states: ReadonlyArray<State.State>,
  chosen: string,
  conditions: ReadonlyArray<Condition>,
  limit: number
): ReadonlyArray<Condition> => {
  // By time of update, all states are in one order; only a column that narrows, or the few running ones, beat that.
  const byUpdate =
    query.sort === "updated" && chosen === "checkpoint_by_state" && states.some((state) => state !== "running")
  const index = byUpdate ? "checkpoint_by_update" : chosen
  const groups: ReadonlyArray<Condition> = byUpdate
    ? [amongst("c.state", states)]
    : states.map((state) => ({ sql: "c.state = ?", params: [state] }))
  return halves(query).flatMap((half) =>
    groups.map((group) =>
      branchOf(
        `checkpoint c INDEXED BY ${index}`,
        [{ sql: "c.listed = ?", params: [half] }, group, ...conditions],
        orders[query.sort].keys,
        orderedBy("c", orders[query.sort].by),
        limit
      )
    )
  )
}

/** What the index of texts knows, and what it was not told of yet. */
const matched = (
  query: ListQuery,
  states: ReadonlyArray<State.State>,
  match: string,
  after: Place | null,
  conditions: ReadonlyArray<Condition>,
  limit: number
): ReadonlyArray<Condition> => {
  const { by, keys } = orders[query.sort]
  const all = [amongst("c.state", states), amongst("c.listed", halves(query)), ...conditions]
  const known: ReadonlyArray<Condition> = [
    { sql: "t.run_text MATCH ?", params: [match] },
    // The index goes by rows too; told where to begin, it passes over the rest at once.
    ...(after === null || query.sort === "updated"
      ? []
      : [{ sql: query.sort === "newest" ? "t.rowid < ?" : "t.rowid > ?", params: [after.seq] }]),
    { sql: "NOT EXISTS (SELECT 1 FROM run_text_pending p WHERE p.seq = t.rowid)", params: [] }
  ]
  const order = orderedBy("c", by)
  return [
    branchOf(
      "run_text t CROSS JOIN checkpoint c ON c.seq = t.rowid",
      [...known, ...all],
      keys,
      query.sort === "updated" ? order : order.replace("c.seq", "t.rowid"),
      limit
    ),
    branchOf("run_text_pending p CROSS JOIN checkpoint c ON c.seq = p.seq", all, keys, order, limit)
  ]
}

/** Whether the index of texts helps to find what a query asks for. */
export const isMatched = (query: ListQuery): boolean => query.search !== null && matchOf(query.search) !== null

/**
 * The statement for one page and one row more, which tells whether there is another page; `null` where nothing can match.
 * Selects `checkpointColumns`, in the order asked for. `useIndex`: whether the index of texts may be asked; the rows are
 * the same without it.
 */
export const listStatement = (
  scope: Scope.Scope,
  query: ListQuery,
  after: Place | null,
  useIndex = true
): Statement | null => {
  const who = agentAndSession(scope, query)
  const states = statesOf(query)
  if (who === null || states.length === 0) return null
  const order = orders[query.sort]
  const limit = Math.max(1, query.limit) + 1
  const cursor: ReadonlyArray<Condition> =
    after === null ? [] : [{ sql: order.after, params: afterParams(query.sort, after) }]
  const conditions = [...filters(query, who), ...cursor]
  const match = useIndex && query.search !== null ? matchOf(query.search) : null
  const branches =
    match === null
      ? walked(query, states, indexOf(query, who), conditions, limit)
      : matched(query, states, match, after, conditions, limit)
  return {
    sql: `SELECT ${checkpointColumns} FROM (
        ${branches.map(({ sql }) => sql).join("\n        UNION ALL ")}
        ORDER BY ${order.by} LIMIT ?
      ) page JOIN checkpoint c ON c.seq = page.seq LEFT JOIN owner o ON o.id = c.owner_id
      ORDER BY ${orderedBy("page", order.by)}`,
    params: [...branches.flatMap(({ params }) => params), limit]
  }
}

/** A default list is exactly the rows that are `listed`, a list of dismissed ones has none of them, any other has both. */
const halves = (query: ListQuery): ReadonlyArray<number> => {
  if (query.dismissed === "only") return [0]
  return query.attempts || query.dismissed ? [1, 0] : [1]
}

const orderedBy = (table: string, by: string): string => by.replaceAll(/(updated_at|seq) /g, `${table}.$1 `)

/** Whether the counts by state tell how many rows the whole list has. */
export const isCounted = (scope: Scope.Scope, query: ListQuery): boolean =>
  (scope._tag === "Operator" || scope.sessionId === null) &&
  query.sessionId === null &&
  query.provider === null &&
  query.model === null &&
  query.folder === null &&
  query.since === null &&
  query.until === null &&
  query.search === null &&
  !query.resumable &&
  !query.attempts &&
  query.dismissed === false
