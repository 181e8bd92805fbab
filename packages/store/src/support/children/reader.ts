/** Reads a store: `reader HOME` prints what its list shows, as JSON, again for each line that comes; an empty line ends it. */
import { CheckpointStore, Checkpoints, OwnerIdentity, Scope } from "@alluka/core"
import * as Effect from "effect/Effect"
import { StoreInfo } from "../../StoreInfo.js"
import { newDraft, newEvent } from "../fixtures.js"
import { args, nextLine, print, runOnStore } from "./childProgram.js"

const [home = ""] = args

runOnStore(
  home,
  Effect.gen(function* () {
    const store = yield* CheckpointStore.CheckpointStore
    const owners = yield* OwnerIdentity.OwnerIdentity
    const info = yield* StoreInfo
    const show = Effect.gen(function* () {
      const { items } = yield* store.list(Scope.operator, Checkpoints.everything)
      yield* print(
        JSON.stringify({
          readOnly: info.readOnly,
          runs: items.map(({ id, state, reason }) => [id, state, reason?.code])
        })
      )
    })
    yield* show
    for (let line = yield* nextLine; line !== ""; line = yield* nextLine) {
      if (line === "reconcile") {
        const running = yield* store.runningOwners
        const dead = yield* Effect.filter(running, ({ owner }) =>
          Effect.map(owners.probe(owner), ({ _tag }) => _tag === "Dead")
        )
        const ended = yield* store.reconcile(
          dead.map(({ owner }) => ({ id: owner.id, cause: "owner_lost" })),
          Date.now(),
          500
        )
        yield* print(`ended ${ended.length}`)
      } else if (line === "create") {
        const [running] = yield* store.runningOwners
        const owner = running?.owner ?? (yield* owners.self)
        yield* store.create(yield* newDraft(), owner, newEvent("created"))
      } else {
        yield* show
      }
    }
  })
)
