/** Fills a new store with completed runs: `node seedRuns.mjs HOME COUNT`. */
import { fillStore } from "./fillStore.mjs"

const [home, count] = process.argv.slice(2)

await fillStore(home, Number(count))
