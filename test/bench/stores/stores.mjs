/** Stores full of history in a folder of their own, made when they are first asked for and kept for the run of the bench. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fillStore } from "../../support/fillStore.mjs"
import { history } from "./history.mjs"

export const openStores = (say) => {
  const folder = mkdtempSync(join(tmpdir(), "alluka-bench-"))
  const made = new Map()
  let names = 0
  const empty = (name) => {
    names += 1
    const home = join(folder, `${name}-${names}`)
    mkdirSync(home, { mode: 0o700 })
    return home
  }
  const make = async (count) => {
    say(`making a store of ${count.toLocaleString("en")} runs`)
    const home = empty(`runs-${count}`)
    await fillStore(home, count, history)
    return home
  }
  return {
    /** The data folder of a store with so many runs. */
    store: (count) => {
      const found = made.get(count) ?? make(count)
      made.set(count, found)
      return found
    },
    /** A new folder for a store or anything else. */
    empty,
    close: () => rmSync(folder, { recursive: true, force: true })
  }
}
