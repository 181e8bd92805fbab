/** A writer is killed at random moments, again and again: what the store has acknowledged is there afterwards. */
import { randomInt } from "node:crypto"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { CheckpointStore, Checkpoints, Recovery, Scope } from "@alluka/core"
import * as Effect from "effect/Effect"
import { expect, test } from "vitest"
import type { Document } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import { openWorld } from "../support/world.js"
import { expectHolds, linesOf, runsOf } from "./acknowledged.js"
import { startActor } from "./actor.js"
import { onStore } from "./onStore.js"
import { size } from "./size.js"

const kills = size({ short: 6, full: 200 })

/** What the next program does that opens the store; the ids of what it then shows as running. */
const nextOpen = Effect.gen(function* () {
  yield* (yield* Recovery.Recovery).reconcile
  const store = yield* CheckpointStore.CheckpointStore
  const page = yield* store.list(Scope.operator, { ...Checkpoints.everything, states: ["running"] })
  return page.items.map(({ id }) => id)
})

test.each(["normal", "full"])(
  `nothing acknowledged is lost in ${kills} kills, progress in mode %s`,
  async (mode) => {
    const world = openWorld()
    let written = 0
    let acknowledgements = 0
    for (let kill = 1; kill <= kills; kill += 1) {
      const writer = startActor(world, "writer", [world.store, mode])
      // Counted in writes, not in time: a busy machine writes little in a moment.
      const writes = randomInt(1, 150)
      await eventually(() => writer.lines().length >= writes, { withinMs: 60_000, what: `${writes} writes` })
      await delay(randomInt(0, 20))
      writer.signal("SIGKILL")
      expect((await writer.ended).signal, writer.complaints()).toBe("SIGKILL")
      const lines = linesOf(writer.lines())
      acknowledgements += lines.length
      const acknowledged = runsOf(lines)
      written += acknowledged.size
      const what = `kill ${kill}, after ${lines.length} writes`

      expect(await onStore(world.store, nextOpen), what).toEqual([])
      const rows = expectHolds(join(world.store, "alluka.db"), acknowledged, what)
      for (const { id } of acknowledged.values()) {
        // An end that was not acknowledged may have been stored or not; nothing else may be.
        expect(["completed", "interrupted"], `${what}: ${id}`).toContain(rows.get(id)?.state)
      }
      expect(rows.size, what).toBeGreaterThanOrEqual(written)
      // At most one run was under way at each kill.
      expect([...rows.values()].filter(({ state }) => state === "interrupted").length, what).toBeLessThanOrEqual(kill)
    }
    process.stderr.write(`${mode}: none of ${acknowledgements} acknowledged writes lost in ${kills} kills\n`)
    // And as the program itself tells it.
    const listed = await world.json<Document & { items: ReadonlyArray<unknown> }>([
      "runs",
      "list",
      "--state",
      "running"
    ])
    expect(listed.items).toEqual([])
  },
  1_200_000
)
