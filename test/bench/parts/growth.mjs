/** How lists, counts and searches grow from a thousand runs on: for the picture. */
import { medianOf } from "../measure/timed.mjs"
import { limit, openListing, takeIn } from "../runs/listing.mjs"

const asked = {
  [`newest ${limit}`]: (store) => store.list({}),
  "newest of a state": (store) => store.list({ states: ["failed"] }),
  "counts by state": (store) => store.counts,
  "search, nothing found": (store) => store.list({ search: "zzzqqqxx" })
}

export const growth = {
  name: "growth",
  title: "Growth",
  run: async ({ plot, quick, store: storeOf }) => {
    const sizes = quick ? [1000, 10_000, 100_000] : [1000, 10_000, 100_000, 1_000_000]
    const points = Object.fromEntries(Object.keys(asked).map((name) => [name, []]))
    for (const size of sizes) {
      const store = openListing(await storeOf(size))
      await takeIn(store)
      for (const [name, call] of Object.entries(asked)) points[name].push([size, await medianOf(201, call(store))])
      await store.close()
    }
    for (const [name, own] of Object.entries(points)) plot({ name, points: own })
    return []
  }
}
