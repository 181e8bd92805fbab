/** Lists, counts and searches among many runs: how they grow with history, and against the driver alone. */
import { interleave } from "../measure/interleave.mjs"
import { median, medianRatio } from "../measure/statistics.mjs"
import { elapsed } from "../measure/timed.mjs"
import { limit, openListing, takeIn } from "../runs/listing.mjs"

const words = (count) => count.toLocaleString("en")

export const lists = {
  name: "lists",
  title: "Lists, counts and searches",
  run: async ({ note, quick, store: storeOf }) => {
    const [few, many] = quick ? [10_000, 100_000] : [100_000, 1_000_000]
    const small = openListing(await storeOf(few))
    const large = openListing(await storeOf(many))
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
    for (const call of Object.values(calls)) for (let warm = 0; warm < 300; warm += 1) await call()
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
