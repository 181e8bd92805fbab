/**
 * Owns live runs, and commits what they say: `node live.mjs HOME RUNS EVERY_MS OTHERS`. The newest run says something about
 * every so many ms, and so many others say something at the same pace each time. Prints `started`, then for each message
 * of the newest run the message and the time of its commit. Silent with an `EVERY_MS` of 0. Ends with its stdin.
 */
import { setTimeout as delay } from "node:timers/promises"
import { Checkpoints, Scope } from "@alluka/core"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { services, spec, told } from "../runs/ours.mjs"

const [home, count, everyMs, others] = process.argv.slice(2)
const runtime = ManagedRuntime.make(services(home))
const checkpoints = await runtime.runPromise(Checkpoints.Checkpoints)

let over = false
process.stdin
  .on("data", () => undefined)
  .on("end", () => {
    over = true
  })

const owned = []
for (let number = 1; number <= Number(count); number += 1) {
  owned.push(await runtime.runPromise(checkpoints.start(Scope.operator, { ...spec, title: `live run ${number}` })))
}
process.stdout.write("started\n")

const say = (run, message) => {
  const { progress } = run.checkpoint
  const position = { ...progress.position, turn: 1, lastActivityAt: Date.now() }
  return runtime.runPromise(
    run.advance({
      progress: { ...progress, position },
      events: [told(message)],
      durability: "normal",
      confirmed: false
    })
  )
}

const newest = owned.at(-1)
for (let number = 1; !over; number += 1) {
  // Never in step with whatever the reader does at regular times.
  await delay(Number(everyMs) === 0 ? 100 : Number(everyMs) * (0.5 + Math.random()))
  if (Number(everyMs) === 0) continue
  for (let other = 0; other < Number(others); other += 1) {
    await say(owned[Math.floor(Math.random() * (owned.length - 1))], `busy ${number}`)
  }
  const message = `message ${number}.`
  await say(newest, message)
  process.stdout.write(`${JSON.stringify([message, performance.timeOrigin + performance.now()])}\n`)
}
await Promise.all(
  owned.map((run) =>
    runtime.runPromise(run.end({ state: "completed", reason: null, progress: run.checkpoint.progress, events: [] }))
  )
)
await runtime.dispose()
