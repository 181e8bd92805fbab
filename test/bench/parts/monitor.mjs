/** The monitor on a real terminal: how soon it shows what happened, and what it costs while nothing does. */
import { setTimeout as delay } from "node:timers/promises"
import { cpuMs, peakMb, tellsUse } from "../measure/processUse.mjs"
import { quantile } from "../measure/statistics.mjs"
import { startLiveRuns } from "../monitor/liveRuns.mjs"
import { has, openMonitor, selectedRow } from "../monitor/screen.mjs"

const runs = 100_000
const live = 1000
/** How long a monitor that was just opened is left alone, ms, before what it does is measured. */
const restMs = 3000
/** The same before it counts as idle: Node goes on compiling for a while what the start has used. */
const idleRestMs = 30_000

const ms = (id, title, samples, share) => ({
  id: `monitor.${id}`,
  title,
  value: quantile(samples, share),
  unit: "ms",
  detail: { samples: samples.length }
})

const both = (id, title, samples) => [
  ms(`${id}_p50`, `${title}, p50`, samples, 0.5),
  ms(`${id}_p95`, `${title}, p95`, samples, 0.95)
]

/** From the start of the program to the first runs on the screen. */
const firstPaint = async (home, rounds) => {
  const samples = []
  for (let round = 0; round < rounds; round += 1) {
    const monitor = openMonitor(home)
    samples.push((await monitor.shows((rows) => selectedRow(rows) !== null, "the first runs")) - monitor.startedAt)
    await monitor.close()
  }
  return samples
}

/** From a key to the row it selects, while another process commits ten times a second. */
const keys = async (home, count) => {
  const end = await startLiveRuns(home, { count: 1, everyMs: 100 })
  const monitor = openMonitor(home)
  const samples = []
  const memory = []
  try {
    await monitor.shows(has("3 Live 1 "), "the live run")
    monitor.press("4")
    await monitor.shows((rows) => has("HISTORY")(rows) && !has("NEEDS")(rows), "the history")
    for (let step = 0; step < count; step += 1) {
      // Down and up again in turn over some forty rows, so that the list scrolls.
      const before = selectedRow(monitor.rows())
      const pressed = performance.now()
      monitor.press(Math.floor(step / 40) % 2 === 0 ? "j" : "k")
      const moved = (rows) => selectedRow(rows) !== null && selectedRow(rows) !== before
      samples.push((await monitor.shows(moved, "another row selected")) - pressed)
      await delay(40 + Math.random() * 60)
    }
    if (tellsUse) memory.push(peakMb(monitor.pid))
  } finally {
    await monitor.close()
    await end()
  }
  return { samples, memory }
}

/** From the commits of another process, which owns a thousand live runs, to the words on the screen. */
const commits = async (home, { count, others, memory }) => {
  const samples = []
  let monitor = null
  let enough = () => undefined
  const done = new Promise((resolve) => {
    enough = resolve
  })
  const waiting = new Set()
  const end = await startLiveRuns(home, {
    count: live,
    everyMs: 150,
    others,
    said: (message, at) => {
      if (monitor === null) return
      // A message may be replaced by the next before it is painted: that one was shown too.
      const number = Number(message.split(" ")[1])
      const shown = (rows) => rows.some((row) => Number(/message (\d+)\./.exec(row)?.[1] ?? 0) >= number)
      const one = monitor
        .shows(shown, message)
        .then((seen) => samples.push(Math.max(0, performance.timeOrigin + seen - at)))
      waiting.add(one.catch(() => undefined))
      if (samples.length >= count) enough()
    }
  })
  const opened = openMonitor(home)
  try {
    await opened.shows(has(`3 Live ${live}`), "the live runs")
    opened.press("3")
    await opened.shows((rows) => selectedRow(rows)?.includes(`live run ${live}`) === true, "the newest live run")
    await opened.shows(has("message"), "its first message")
    await delay(restMs)
    monitor = opened
    await done
    monitor = null
    await Promise.all(waiting)
    if (tellsUse) memory.push(peakMb(opened.pid))
  } finally {
    await opened.close()
    await end()
  }
  return samples
}

/** Share of a core, in percent, over some seconds in which nothing happens. */
const idle = async (home, seconds, liveRuns) => {
  const end = liveRuns === 0 ? async () => undefined : await startLiveRuns(home, { count: liveRuns })
  const monitor = openMonitor(home)
  try {
    await monitor.shows((rows) => selectedRow(rows) !== null, "the runs")
    await delay(idleRestMs)
    const before = [performance.now(), cpuMs(monitor.pid)]
    await delay(seconds * 1000)
    return ((cpuMs(monitor.pid) - before[1]) / (performance.now() - before[0])) * 100
  } finally {
    await monitor.close()
    await end()
  }
}

export const monitor = {
  name: "monitor",
  title: "The monitor, on a real terminal",
  run: async ({ note, quick, store }) => {
    const home = await store(runs)
    const paints = await firstPaint(home, quick ? 5 : 15)
    const { memory, samples: pressed } = await keys(home, quick ? 80 : 320)
    const told = await commits(home, { count: quick ? 60 : 300, others: 0, memory })
    const busy = await commits(home, { count: quick ? 60 : 300, others: 15, memory })
    const figures = [
      ms("first_paint", `start to the first runs of ${runs.toLocaleString("en")}`, paints, 0.5),
      ...both("key", "key to screen at ten commits a second", pressed),
      ...both("commit", "another process's commit to the screen, 1,000 live runs", told),
      ...both("commit_busy", "the same while they say a hundred things a second", busy)
    ]
    if (!tellsUse) {
      note("Memory and idle CPU are read from Linux' /proc, and not measured here.")
      return figures
    }
    const seconds = quick ? 15 : 60
    const share = (id, title, value) => ({ id: `monitor.${id}`, title, value, unit: "percent", detail: { seconds } })
    return [
      ...figures,
      share("idle", "idle, CPU of one core", await idle(home, seconds, 0)),
      share("idle_live", "idle beside a silent live run, CPU of one core", await idle(home, seconds, 1)),
      { id: "monitor.memory", title: "memory, at its most", value: Math.max(...memory), unit: "mb", detail: {} }
    ]
  }
}
