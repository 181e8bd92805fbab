/** An owner is frozen, its run is taken over on a person's word, and it wakes: nothing that it writes then lands. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { CheckpointStore, Ids, OwnerIdentity, Recovery } from "@alluka/core"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import { newDraft, newEvent } from "../support/draft.mjs"
import { openWorld } from "../support/world.js"
import { endedCheckpoint, underWay } from "../trials/runs.js"
import { claudeStub as provider } from "../trials/stubs.js"
import { startActor } from "./actor.js"
import { onStore } from "./onStore.js"
import { size } from "./size.js"

const rounds = size({ short: 5, full: 50 })

const everything = (home: string, id: string) => {
  const database = new Database(join(home, "alluka.db"), { readonly: true })
  try {
    return {
      row: database.prepare("SELECT * FROM checkpoint WHERE id = ?").get(id),
      events: database.prepare("SELECT * FROM event WHERE checkpoint_id = ? ORDER BY seq").all(id)
    }
  } finally {
    database.close()
  }
}

/** Ends the run on a person's word and claims it; `false` where the owner was frozen while it held the write lock. */
const takeOver = (id: Ids.CheckpointId) =>
  Effect.gen(function* () {
    const store = yield* CheckpointStore.CheckpointStore
    const source = Option.getOrThrow(yield* store.get(id))
    const { ended, unsaved } = yield* (yield* Recovery.Recovery).assumeDead(source)
    if (unsaved !== null) return false
    expect(ended).toEqual([id])
    const owner = yield* (yield* OwnerIdentity.OwnerIdentity).self
    const draft = { ...newDraft("taken over"), sessionId: source.sessionId, attempt: 2, rootId: id, resumedFrom: id }
    const claim = yield* store.claim(draft, owner, ["interrupted"], newEvent("created", "created"))
    expect(Option.isSome(claim)).toBe(true)
    return true
  })

test(`${rounds} frozen owners: no stale write lands, and each notices`, async () => {
  const world = openWorld()
  for (let round = 1; round <= rounds; round += 1) {
    const actor = startActor(world, "owner", [world.store])
    const [, , run = ""] = (await actor.line("owner")).split(" ")
    const id = Ids.CheckpointId.make(run)
    let taken = false
    while (!taken) {
      await delay(30 + 7 * (round % 5))
      actor.signal("SIGSTOP")
      // A process that is frozen while it holds the write lock keeps everybody from writing until it wakes.
      taken = await onStore(world.store, takeOver(id))
      if (!taken) actor.signal("SIGCONT")
    }
    const before = everything(world.store, run)
    actor.signal("SIGCONT")
    expect(await actor.line("fenced"), `round ${round}`).toBe("fenced Fenced")
    expect((await actor.ended).code).toBe(0)
    expect(everything(world.store, run), `round ${round}`).toEqual(before)
  }
}, 600_000)

test("the program: resumed with --assume-owner-dead, its first owner wakes, ends its agent and says that it was fenced", async () => {
  const world = openWorld()
  const run = await underWay(world, provider)
  run.alluka.kill("SIGSTOP")
  // Without its lock file nothing can be proven of a process that is there.
  const { owner } = await world.show(run.id)
  rmSync(join(world.store, "owners", `${owner.id}.lock`))
  const refused = await world.run(["resume", run.id, "--json", "-p", "go on"])
  expect(refused.code, describeEnd(refused)).toBe(6)
  world.stub(provider.name, { fresh: provider.finished })
  const resumed = await world.run(["resume", run.id, "--json", "-p", "go on", "--assume-owner-dead", "--stop-survivor"])
  expect(resumed.code, describeEnd(resumed)).toBe(0)
  expect(await endedCheckpoint(world, resumed)).toMatchObject({ state: "completed", resumed_from: run.id })
  const before = everything(world.store, run.id)
  run.alluka.kill("SIGCONT")
  const woken = await run.alluka.ended()
  expect(woken.code, describeEnd(woken)).toBe(6)
  expect(everything(world.store, run.id)).toEqual(before)
  expect(await world.show(run.id)).toMatchObject({ state: "interrupted", reason: { code: "owner_lost" } })
  await world.noneMarked(run.id)
}, 120_000)
