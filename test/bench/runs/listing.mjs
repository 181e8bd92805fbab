/** Lists, counts and searches of a store, through the public service and by the driver alone. */
import { join } from "node:path"
import { Checkpoints, Scope } from "@alluka/core"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { services } from "./ours.mjs"

/** Rows of a page. */
export const limit = 50

/** The same rows by the driver, with their JSON parsed: the least that a list of records takes. */
const columns = `c.seq, c.id, c.agent, c.session_id, c.title, c.state, c.reason, c.started_at, c.updated_at, c.ended_at,
  c.labels, c.progress, c.spec, o.host, o.pid`
const parsed = (row) => ({
  ...row,
  progress: JSON.parse(row.progress),
  spec: JSON.parse(row.spec),
  labels: JSON.parse(row.labels),
  reason: row.reason === null ? null : JSON.parse(row.reason)
})

export const openListing = (home) => {
  const runtime = ManagedRuntime.make(services(home))
  const database = new Database(join(home, "alluka.db"), { readonly: true })
  const raw = (where) => {
    const statement = database.prepare(
      `SELECT ${columns} FROM checkpoint c LEFT JOIN owner o ON o.id = c.owner_id ${where} ORDER BY c.seq DESC LIMIT ${limit}`
    )
    return () => statement.all().map(parsed)
  }
  const use = (call) => runtime.runPromise(Effect.flatMap(Checkpoints.Checkpoints, call))
  const list = (query) => () =>
    use((checkpoints) => checkpoints.list(Scope.operator, { ...Checkpoints.everything, limit, ...query }))
  return {
    list,
    rawNewest: raw("WHERE c.is_tip = 1"),
    rawOfState: raw("WHERE c.listed = 1 AND c.state = 'failed'"),
    counts: () => use((checkpoints) => checkpoints.counts(Scope.operator)),
    pending: () => database.prepare("SELECT count(*) FROM run_text_pending").pluck().get(),
    close: async () => {
      database.close()
      await runtime.dispose()
    }
  }
}

/** A search takes in what was committed since the last one, a part at a time; this until nothing is left. */
export const takeIn = async (store) => {
  while (store.pending() > 200) await store.list({ search: "nothing-of-the-kind" })()
}
