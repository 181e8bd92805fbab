/**
 * Claims every interrupted run it finds: `node claimer.mjs HOME WHEN`. `warm`: opens the store, says `ready` and waits for
 * a line; `cold`: says `ready` first and opens the store after the line. Then prints `won COUNT OF IDS...`, or `failed TAG`.
 */
import { once } from "node:events"
import { CheckpointStore, Checkpoints, OwnerIdentity, Scope } from "@alluka/core"
import { layer } from "@alluka/store"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { newDraft, newEvent } from "../support/draft.mjs"

const [home, when] = process.argv.slice(2)
const go = async () => {
  process.stdout.write("ready\n")
  await once(process.stdin, "data")
}

if (when === "cold") await go()
await Effect.gen(function* () {
  const store = yield* CheckpointStore.CheckpointStore
  const owner = yield* Effect.flatMap(OwnerIdentity.OwnerIdentity, (identity) => identity.self)
  const { items } = yield* store.list(Scope.operator, {
    ...Checkpoints.everything,
    states: ["interrupted"],
    sort: "oldest",
    limit: 1000
  })
  if (when === "warm") yield* Effect.promise(go)
  const claims = yield* Effect.forEach(items, (source) => {
    const draft = newDraft("resumed")
    const claim = { ...draft, sessionId: source.sessionId, attempt: 2, rootId: source.rootId, resumedFrom: source.id }
    return store.claim(claim, owner, ["interrupted"], newEvent("created", "created"))
  })
  const won = claims.flatMap((claim) => Option.toArray(claim)).map(({ resumedFrom }) => resumedFrom)
  yield* Effect.sync(() => process.stdout.write(`won ${won.length} ${claims.length} ${won.join(" ")}\n`))
}).pipe(
  Effect.provide(layer({ home })),
  Effect.catchAll(({ _tag }) => Effect.sync(() => process.stdout.write(`failed ${_tag}\n`))),
  Effect.runPromise
)
process.exit(0)
