/**
 * The end of the write-ahead log is cut off, or written over, on a copy: what a loss of power may leave. The store opens,
 * is sound, and holds everything that was acknowledged before the damage.
 */
import { randomBytes, randomInt } from "node:crypto"
import { closeSync, copyFileSync, mkdirSync, openSync, rmSync, statSync, truncateSync, writeSync } from "node:fs"
import { join } from "node:path"
import { CheckpointStore, OwnerIdentity, Recovery } from "@alluka/core"
import { StoreInfo } from "@alluka/store"
import * as Effect from "effect/Effect"
import { expect, test } from "vitest"
import { newDraft, newEvent } from "../support/draft.mjs"
import { eventually } from "../support/eventually.js"
import { openWorld, type World } from "../support/world.js"
import { expectHolds, linesOf, runsOf } from "./acknowledged.js"
import { startActor } from "./actor.js"
import { onStore } from "./onStore.js"
import { size } from "./size.js"

const damages = size({ short: 20, full: 200 })

/** A store whose log was never brought into the database: SQLite does that from a thousand pages on. */
const writtenStore = async (world: World) => {
  const writer = startActor(world, "writer", [world.store, "full"])
  const enough = 2_000_000
  const logBytes = () => statSync(join(world.store, "alluka.db-wal"), { throwIfNoEntry: false })?.size ?? 0
  await eventually(() => logBytes() > enough, { withinMs: 60_000, what: "a log" })
  writer.signal("SIGKILL")
  await writer.ended
  return linesOf(writer.lines())
}

const damage = {
  cut: (log: string, at: number) => truncateSync(log, at),
  overwritten: (log: string, at: number) => {
    const fd = openSync(log, "r+")
    try {
      const bytes = randomBytes(statSync(log).size - at)
      writeSync(fd, bytes, 0, bytes.length, at)
    } finally {
      closeSync(fd)
    }
  }
} as const

/** The store works: what was running is ended, and a new run can be created. */
const goesOn = Effect.gen(function* () {
  expect((yield* StoreInfo).movedAside).toBeNull()
  yield* (yield* Recovery.Recovery).reconcile
  const store = yield* CheckpointStore.CheckpointStore
  const owner = yield* (yield* OwnerIdentity.OwnerIdentity).self
  return yield* store.create(newDraft("after the damage"), owner, newEvent("created", "created"))
})

test(`opens after each of ${damages} damages to its log, and holds what was synced before`, async () => {
  const world = openWorld()
  const lines = await writtenStore(world)
  const first = lines[0]?.logBytes ?? 0
  const whole = statSync(join(world.store, "alluka.db-wal")).size
  // Had the log been brought into the database, a cut would be no state that a loss of power leaves.
  expect(whole).toBeLessThan(1000 * 4120)
  for (let round = 1; round <= damages; round += 1) {
    const kind = round % 2 === 0 ? "cut" : "overwritten"
    const at = randomInt(first, whole)
    const home = world.path(`copy-${round}`)
    mkdirSync(home, { mode: 0o700 })
    for (const name of ["alluka.db", "alluka.db-wal"]) copyFileSync(join(world.store, name), join(home, name))
    damage[kind](join(home, "alluka.db-wal"), at)
    const what = `${kind} at byte ${at} of ${whole}`
    await onStore(home, goesOn)
    expectHolds(join(home, "alluka.db"), runsOf(lines.filter(({ logBytes }) => logBytes <= at)), what)
    rmSync(home, { recursive: true })
  }
}, 1_200_000)
