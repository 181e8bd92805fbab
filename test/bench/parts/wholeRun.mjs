/** A whole run, commit by commit, against the driver alone at the same durability. */
import { median, medianRatio } from "../measure/statistics.mjs"
import { openOurs } from "../runs/ours.mjs"
import { openRaw } from "../runs/raw.mjs"
import { commitsOfRun } from "../runs/work.mjs"

const runsARound = 40

export const wholeRun = {
  name: "run",
  title: `A run of ${commitsOfRun} commits`,
  run: async ({ empty, quick }) => {
    const stores = {
      raw: openRaw(empty("raw")),
      rawWithEvents: openRaw(empty("raw-events"), { events: true }),
      ours: openOurs(empty("ours"))
    }
    const names = Object.keys(stores)
    const runMs = Object.fromEntries(names.map((name) => [name, []]))
    const progressMs = Object.fromEntries(names.map((name) => [name, []]))
    // What is slow the first time is not what is measured.
    for (const name of names) await stores[name].doRuns(runsARound)
    for (let round = 0; round < (quick ? 12 : 40); round += 1) {
      for (let turn = 0; turn < names.length; turn += 1) {
        const name = names[(round + turn) % names.length]
        const measured = await stores[name].doRuns(runsARound)
        runMs[name].push(measured.runMs)
        progressMs[name].push(median(measured.progressMs))
      }
    }
    for (const name of names) await stores[name].close()
    const detail = (samples) => Object.fromEntries(names.map((name) => [name, median(samples[name])]))
    return [
      {
        id: "run.throughput",
        title: "runs a second, of those of better-sqlite3 with one row a run",
        value: medianRatio(runMs.raw, runMs.ours),
        unit: "ratio",
        detail: { runMs: detail(runMs) }
      },
      {
        id: "run.throughput_events",
        title: "the same, of those of better-sqlite3 with a timeline too",
        value: medianRatio(runMs.rawWithEvents, runMs.ours),
        unit: "ratio",
        detail: {}
      },
      {
        id: "run.progress",
        title: "p50 of a progress commit, of that of better-sqlite3 with one row a run",
        value: medianRatio(progressMs.ours, progressMs.raw),
        unit: "ratio",
        detail: { progressMs: detail(progressMs) }
      }
    ]
  }
}
