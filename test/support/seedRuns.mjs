/** Fills a store with completed runs: `node seedRuns.mjs HOME COUNT`. Goes through the product's own store. */
import { CheckpointStore, OwnerIdentity } from "@alluka/core"
import { layer } from "@alluka/store"
import * as Effect from "effect/Effect"
import { endOf, newDraft, newEvent } from "./draft.mjs"

const [home, count] = process.argv.slice(2)

await Effect.gen(function* () {
  const store = yield* CheckpointStore.CheckpointStore
  const owner = yield* Effect.flatMap(OwnerIdentity.OwnerIdentity, (identity) => identity.self)
  for (let number = 1; number <= Number(count); number += 1) {
    const title = `seeded run ${number}`
    const checkpoint = yield* store.create(newDraft(title), owner, newEvent("created", title))
    yield* store.end(endOf(checkpoint))
  }
}).pipe(Effect.provide(layer({ home })), Effect.runPromise)
