/** The clock jumps by hours and days, ahead and back: time alone changes no state, and no run ends before it began. */
import { hostname } from "node:os"
import { join } from "node:path"
import { CheckpointStore, Ids, OwnerIdentity, Recovery } from "@alluka/core"
import { layer } from "@alluka/store"
import Database from "better-sqlite3"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { endOf, newDraft, newEvent } from "../support/draft.mjs"
import { openWorld } from "../support/world.js"
import { size } from "./size.js"

const sequences = size({ short: 10, full: 300 })
const hour = 3_600_000
const noon = 1_796_000_000_000

const jumps = fc.array(fc.constantFrom(hour, -hour, 24 * hour, -24 * hour), { minLength: 1, maxLength: 8 })

const ownerId = fc.stringMatching(/^[0-9a-hjkmnp-tv-z]{12}$/)

test(`no state changes by time alone, in ${sequences} sequences of jumps`, async () => {
  const world = openWorld()
  const runtime = ManagedRuntime.make(Recovery.layer.pipe(Layer.provideMerge(layer({ home: world.store }))))
  const path = join(world.store, "alluka.db")
  const rows = (): ReadonlyArray<unknown> => {
    const database = new Database(path, { readonly: true })
    try {
      const told = database.prepare("SELECT count(*) AS count, max(seq) AS newest FROM event").get()
      return [database.prepare("SELECT * FROM checkpoint").all(), told]
    } finally {
      database.close()
    }
  }
  const create = (owner: OwnerIdentity.OwnerRecord) =>
    Effect.gen(function* () {
      const store = yield* CheckpointStore.CheckpointStore
      const now = yield* Clock.currentTimeMillis
      const draft = newDraft("timed")
      const { progress } = draft
      const position = { ...progress.position, lastActivityAt: now }
      return yield* store.create(
        { ...draft, startedAt: now, updatedAt: now, progress: { ...progress, position } },
        owner,
        newEvent("created", "created")
      )
    })

  const play = (by: ReadonlyArray<number>, lost: string) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const recovery = yield* Recovery.Recovery
      const self = yield* (yield* OwnerIdentity.OwnerIdentity).self
      const own = yield* create(self)
      const before = rows()
      for (const jump of by) {
        yield* TestClock.setTime((yield* Clock.currentTimeMillis) + jump)
        const found = yield* recovery.reconcile
        expect(found).toEqual({ ended: [], unknown: [], unsaved: null })
        expect(rows()).toEqual(before)
      }
      // A run of a boot before this one is ended once, and never before it began, whatever the clock says by now.
      const run = yield* create({ ...self, id: Ids.OwnerId.make(`own_${lost}`), host: hostname(), bootId: "before" })
      for (const jump of by) {
        yield* TestClock.setTime((yield* Clock.currentTimeMillis) + jump)
        yield* recovery.reconcile
      }
      const store = yield* CheckpointStore.CheckpointStore
      const ended = yield* Effect.flatten(store.get(run.id))
      expect(ended).toMatchObject({ state: "interrupted", reason: { code: "host_restarted" } })
      expect(ended.endedAt).toBeGreaterThanOrEqual(ended.startedAt)
      const told = yield* store.events(run.id, 0, 10)
      expect(told.map(({ kind }) => kind)).toEqual(["created", "state_changed"])
      // The next sequence begins with an empty store.
      yield* store.end(endOf(own))
      expect(yield* store.remove([own.id, run.id], noon)).toHaveLength(2)
    })

  try {
    await fc.assert(
      fc.asyncProperty(jumps, ownerId, (by, lost) =>
        runtime.runPromise(Effect.provide(play(by, lost), TestContext.TestContext))
      ),
      { numRuns: sequences }
    )
  } finally {
    await runtime.dispose()
  }
}, 600_000)
