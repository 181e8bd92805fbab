/** Says what can be proven of the owner of each running run: `node prober.mjs HOME` prints `OWNER TAG CAUSE` lines. */
import { CheckpointStore, OwnerIdentity } from "@alluka/core"
import { layer } from "@alluka/store"
import * as Effect from "effect/Effect"

const [home] = process.argv.slice(2)

await Effect.gen(function* () {
  const store = yield* CheckpointStore.CheckpointStore
  const owners = yield* OwnerIdentity.OwnerIdentity
  for (const { owner } of yield* store.runningOwners) {
    const found = yield* owners.probe(owner)
    process.stdout.write(`${owner.id} ${found._tag} ${found.cause ?? found.why ?? ""}\n`)
  }
}).pipe(Effect.provide(layer({ home })), Effect.runPromise)
