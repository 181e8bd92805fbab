/**
 * The work that every store is given: runs of seven commits each, one that creates the run, five of progress and one that
 * ends it. Creation and end must be on the disk; progress must survive the death of the process.
 */
export const progressCommits = 5
export const commitsOfRun = progressCommits + 2

/** What a commit of progress tells. */
export const said = (step) => `step ${step}: read src/index.ts and changed two lines of it`

/** The moment, in ms. */
export const moment = () => Number(process.hrtime.bigint()) / 1e6

/** Does `count` runs of a store, one after another; how long a run, and each commit of progress, took, ms. */
export const doRuns = async (store, count) => {
  const progressMs = []
  const begun = moment()
  for (let index = 0; index < count; index += 1) {
    const run = await store.create()
    for (let step = 1; step <= progressCommits; step += 1) {
      const before = moment()
      await run.progress(step)
      progressMs.push(moment() - before)
    }
    await run.end()
  }
  return { runMs: (moment() - begun) / count, progressMs }
}
