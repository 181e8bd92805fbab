/**
 * Claims every interrupted checkpoint: `claimer HOME` prints `ready`, waits for a line, then tries each one and prints
 * `<won> <lost>` and whose ids it won.
 */
import { CheckpointStore, Checkpoints, OwnerIdentity, Scope } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { newEvent, resumeDraft } from "../fixtures.js"
import { args, nextLine, print, runOnStore } from "./childProgram.js"

const [home = ""] = args

runOnStore(
  home,
  Effect.gen(function* () {
    const store = yield* CheckpointStore.CheckpointStore
    const owner = yield* (yield* OwnerIdentity.OwnerIdentity).self
    const { items } = yield* store.list(Scope.operator, {
      ...Checkpoints.everything,
      states: ["interrupted"],
      sort: "oldest",
      limit: 1000
    })
    yield* print("ready")
    yield* nextLine
    const claims = yield* Effect.forEach(items, (source) =>
      Effect.flatMap(resumeDraft(source), (draft) => store.claim(draft, owner, ["interrupted"], newEvent("created")))
    )
    const won = claims.flatMap((claim) => Option.toArray(claim))
    yield* print(JSON.stringify({ tried: claims.length, won: won.map(({ resumedFrom }) => resumedFrom) }))
    yield* nextLine
  })
)
