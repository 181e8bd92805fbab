/** Two watchers of another process's events, one of which begins again and again: each sees every event once, soon. */
import { randomInt } from "node:crypto"
import { CheckpointStore, Checkpoints, Scope } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { expect, test } from "vitest"
import { eventually } from "../support/eventually.js"
import { openWorld } from "../support/world.js"
import { startActor } from "./actor.js"
import { onStore } from "./onStore.js"
import { full, size } from "./size.js"

const rounds = size({ short: 1, full: 20 })
const count = size({ short: 300, full: 1000 })
/** How often the feed asks for other processes' commits, ms. */
const pollMs = 100

interface Seen {
  readonly seq: number
  /** From the commit to the watcher, ms. */
  readonly lateMs: number
}

const watch = (store: CheckpointStore.CheckpointStore["Type"], seen: Array<Seen>, until: number) =>
  store.changes(seen.at(-1)?.seq ?? 0).pipe(
    Stream.tap(({ seq, timestamp }) =>
      Effect.sync(() => {
        seen.push({ seq, lateMs: Date.now() - timestamp })
      })
    ),
    Stream.takeUntil(({ seq }) => seq >= until),
    Stream.runDrain
  )

test(`${rounds} rounds of ${count} events: no gap, no repeat`, async () => {
  const late: Array<number> = []
  for (let round = 1; round <= rounds; round += 1) {
    const world = openWorld()
    const actor = startActor(world, "owner", [world.store])
    await actor.line("owner")
    const [steady, restarted] = await onStore(
      world.store,
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const [first, second]: [Array<Seen>, Array<Seen>] = [[], []]
        const one = yield* Effect.fork(watch(store, first, count))
        while ((second.at(-1)?.seq ?? 0) < count) {
          const fiber = yield* Effect.fork(watch(store, second, count))
          yield* Effect.race(Fiber.join(fiber), Effect.sleep(randomInt(20, 400)))
          yield* Fiber.interrupt(fiber)
        }
        yield* Fiber.join(one)
        expect((yield* store.list(Scope.operator, Checkpoints.everything)).items).toHaveLength(1)
        return [first, second] as const
      })
    )
    actor.signal("SIGKILL")
    await actor.ended
    const every = Array.from({ length: count }, (_, index) => index + 1)
    for (const seen of [steady, restarted]) expect(seen.map(({ seq }) => seq).slice(0, count)).toEqual(every)
    // What was there before the watcher came is no measure of it.
    late.push(...steady.slice(50).map(({ lateMs }) => lateMs))
    await eventually(() => world.running().length === 0)
  }
  const sorted = [...late].sort((a, b) => a - b)
  const [p50, p99] = [0.5, 0.99].map((share) => sorted[Math.floor(sorted.length * share)] ?? 0)
  process.stderr.write(`live feed, other process: p50 ${p50} ms, p99 ${p99} ms of ${sorted.length} events\n`)
  // A machine that is busy with other work is late by itself.
  expect(p99).toBeLessThanOrEqual(full ? 2 * pollMs : 20 * pollMs)
}, 1_200_000)
