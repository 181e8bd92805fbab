/** A whole run, commit by commit, against the driver alone at the same durability, and beside other stores. */
import { median, medianRatio } from "../measure/statistics.mjs"
import { peers } from "../peers/catalogue.mjs"
import { ensurePeer } from "../peers/install.mjs"
import { openOurs } from "../runs/ours.mjs"
import { openRaw } from "../runs/raw.mjs"
import { commitsOfRun } from "../runs/work.mjs"

const runsARound = 20
/** Runs before anything is measured: until the code is compiled and the write-ahead log has its full length, which is reused from then on. */
const warmUp = 100

/** The peers that can be measured here; of the others the note says why. */
const openPeers = async (empty, note) => {
  const opened = {}
  for (const peer of peers) {
    try {
      opened[peer.name] = await peer.open(await ensurePeer(peer), empty(peer.name))
    } catch (error) {
      note(
        `${peer.title} is left out: ${
          String(error?.stderr ?? error?.message ?? error)
            .trim()
            .split("\n")[0]
        }`
      )
    }
  }
  return opened
}

export const wholeRun = {
  name: "run",
  title: `A run of ${commitsOfRun} commits`,
  run: async ({ empty, note, peers: withPeers, quick }) => {
    const stores = {
      raw: openRaw(empty("raw")),
      rawWithEvents: openRaw(empty("raw-events"), { events: true }),
      ours: openOurs(empty("ours")),
      ...(withPeers ? await openPeers(empty, note) : {})
    }
    const names = Object.keys(stores)
    const runMs = Object.fromEntries(names.map((name) => [name, []]))
    const progressMs = Object.fromEntries(names.map((name) => [name, []]))
    // What is slow the first time is not what is measured.
    for (const name of names) await stores[name].doRuns(warmUp)
    for (let round = 0; round < (quick ? 12 : 40); round += 1) {
      for (let turn = 0; turn < names.length; turn += 1) {
        const name = names[(round + turn) % names.length]
        const measured = await stores[name].doRuns(runsARound)
        runMs[name].push(measured.runMs)
        progressMs[name].push(median(measured.progressMs))
      }
    }
    for (const name of names) await stores[name].close()
    const throughput = (id, title, of) => ({
      id,
      title,
      value: medianRatio(runMs[of], runMs.ours),
      unit: "ratio",
      detail: { ourMs: median(runMs.ours), theirMs: median(runMs[of]) }
    })
    const progress = (id, title, of) => ({
      id,
      title,
      value: medianRatio(progressMs.ours, progressMs[of]),
      unit: "ratio",
      detail: { ourMs: median(progressMs.ours), theirMs: median(progressMs[of]) }
    })
    note(
      "Creation and end are synced to the disk, progress is not, in all that can be told so. The timeline is a row for each commit, in its transaction, as ours has it."
    )
    return [
      throughput("run.throughput", "runs a second, of those of better-sqlite3 with one row a run", "raw"),
      throughput("run.throughput_timeline", "the same, of those of better-sqlite3 with a timeline", "rawWithEvents"),
      progress("run.progress", "p50 of a progress commit, of that of better-sqlite3 with one row a run", "raw"),
      progress("run.progress_timeline", "the same, of that of better-sqlite3 with a timeline", "rawWithEvents"),
      ...peers
        .filter(({ name }) => name in stores)
        .map(({ name, title }) => throughput(`run.${name}`, `runs a second, of those of ${title}`, name))
    ]
  }
}
