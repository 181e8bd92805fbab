/** Lists, counts and searches among many runs: how they grow with history, and against the driver alone. */
import { join } from "node:path"
import { Checkpoints, Scope } from "@alluka/core"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { interleave } from "../measure/interleave.mjs"
import { median, medianRatio } from "../measure/statistics.mjs"
import { elapsed } from "../measure/timed.mjs"
import { services } from "../runs/ours.mjs"

const limit = 50

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

const openStore = (home) => {
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

/** A search takes in what was committed since the last one, a part at a time. */
const takeIn = async (store) => {
  while (store.pending() > 200) await store.list({ search: "nothing-of-the-kind" })()
}

const words = (count) => count.toLocaleString("en")

export const lists = {
  name: "lists",
  title: "Lists, counts and searches",
  run: async ({ note, quick, store: storeOf }) => {
    const [few, many] = quick ? [10_000, 100_000] : [100_000, 1_000_000]
    const small = openStore(await storeOf(few))
    const large = openStore(await storeOf(many))
    const searched = quick ? large : small
    await takeIn(searched)
    const failed = { states: ["failed"] }
    const calls = {
      newestSmall: small.list({}),
      newestLarge: large.list({}),
      newestRaw: large.rawNewest,
      failedSmall: small.list(failed),
      failedLarge: large.list(failed),
      failedRaw: large.rawOfState,
      countsSmall: small.counts,
      countsLarge: large.counts,
      miss: searched.list({ search: "zzzqqqxx" }),
      common: searched.list({ search: "login form" }),
      single: searched.list({ search: "form 4711" })
    }
    for (const call of Object.values(calls)) for (let warm = 0; warm < 30; warm += 1) await call()
    const samples = await interleave(
      quick ? 101 : 301,
      Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, () => elapsed(call)]))
    )
    await small.close()
    await large.close()
    const ratio = (id, title, value, base) => ({
      id,
      title,
      value: medianRatio(samples[value], samples[base]),
      unit: "ratio",
      detail: { ms: median(samples[value]), baseMs: median(samples[base]) }
    })
    const ms = (id, title, value) => ({ id, title, value: median(samples[value]), unit: "ms", detail: {} })
    const grown = `of ${words(many)} runs, of that of ${words(few)}`
    note("A list through `Checkpoints` holds whole records, each checked; the driver's rows have their JSON parsed.")
    return [
      ratio("lists.newest_growth", `newest ${limit} ${grown}`, "newestLarge", "newestSmall"),
      ratio(
        "lists.newest_raw",
        `newest ${limit} of ${words(many)} runs, of that of better-sqlite3`,
        "newestLarge",
        "newestRaw"
      ),
      ratio("lists.state_growth", `newest ${limit} of a state ${grown}`, "failedLarge", "failedSmall"),
      ratio("lists.state_raw", `newest ${limit} of a state, of that of better-sqlite3`, "failedLarge", "failedRaw"),
      ratio("lists.counts_growth", `counts by state ${grown}`, "countsLarge", "countsSmall"),
      ms("search.miss", "search of 100,000 runs that finds nothing", "miss"),
      ms("search.common", `search of 100,000 runs that finds many, newest ${limit}`, "common"),
      ms("search.single", "search of 100,000 runs that finds one", "single")
    ]
  }
}
