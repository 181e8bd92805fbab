/** Commits progress some twenty times a second and prints when: `node writer.mjs HOME COUNT`. */
import { setTimeout as delay } from "node:timers/promises"
import { Checkpoints, Scope } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { services, spec, told } from "./ours.mjs"

const [home, count] = process.argv.slice(2)
const runtime = ManagedRuntime.make(services(home))
const owned = await runtime.runPromise(
  Effect.flatMap(Checkpoints.Checkpoints, (checkpoints) => checkpoints.start(Scope.operator, spec))
)
const { progress } = owned.checkpoint
for (let number = 1; number <= Number(count); number += 1) {
  await delay(30 + Math.random() * 40)
  const message = `message ${number}`
  const at = Date.now()
  await runtime.runPromise(owned.advance({ progress, events: [told(message)], durability: "normal", confirmed: false }))
  process.stdout.write(`${JSON.stringify([message, at])}\n`)
}
await runtime.runPromise(owned.end({ state: "completed", reason: null, progress, events: [] }))
await runtime.dispose()
