/** Eight processes want to resume the same two hundred runs at the same moment: each run is resumed once. */
import { CheckpointStore, OwnerIdentity } from "@alluka/core"
import * as Effect from "effect/Effect"
import { expect, test } from "vitest"
import { endOf, newDraft, newEvent } from "../support/draft.mjs"
import { openWorld } from "../support/world.js"
import { startActor } from "./actor.js"
import { onStore } from "./onStore.js"
import { size } from "./size.js"

const rounds = size({ short: 1, full: 20 })
const claimers = 8
const runs = 200

const interrupted = Effect.gen(function* () {
  const store = yield* CheckpointStore.CheckpointStore
  const owner = yield* (yield* OwnerIdentity.OwnerIdentity).self
  return yield* Effect.forEach(Array.from({ length: runs }), (_, number) =>
    Effect.gen(function* () {
      const run = yield* store.create(newDraft(`run ${number}`), owner, newEvent("created", "created"))
      yield* store.end({ ...endOf(run), state: "interrupted" })
      return run.id as string
    })
  )
})

test.each(["cold", "warm"])(
  `${claimers} processes, ${runs} runs, ${rounds} rounds (%s): each is won once and nobody fails`,
  async (when) => {
    for (let round = 1; round <= rounds; round += 1) {
      const world = openWorld()
      const ids = await onStore(world.store, interrupted)
      const actors = Array.from({ length: claimers }, () => startActor(world, "claimer", [world.store, when]))
      for (const actor of actors) await actor.line("ready")
      for (const actor of actors) actor.say("go")
      for (const actor of actors) await actor.ended
      const said = actors.map((actor) => actor.lines().at(-1) ?? actor.complaints())
      for (const line of said) expect(line).toMatch(/^won /)
      const won = said.flatMap((line) => line.split(" ").slice(3)).filter((id) => id !== "")
      expect([...won].sort()).toEqual([...ids].sort())
    }
  },
  1_200_000
)
