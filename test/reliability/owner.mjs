/**
 * Owns a run and works on it: `node owner.mjs HOME [PAUSE_MS]` prints `owner OWNER RUN PID`, then commits a step every few
 * milliseconds. `fenced AT`: the run was taken over, nothing more was written. Ends by itself then, or when stdin ends.
 */
import { CheckpointStore, OwnerIdentity } from "@alluka/core"
import { layer } from "@alluka/store"
import * as Effect from "effect/Effect"
import { endOf, newDraft, newEvent } from "../support/draft.mjs"

const [home, pauseMs = "5"] = process.argv.slice(2)
process.stdin.resume()
process.stdin.once("end", () => process.exit(0))

await Effect.gen(function* () {
  const store = yield* CheckpointStore.CheckpointStore
  const owner = yield* Effect.flatMap(OwnerIdentity.OwnerIdentity, (identity) => identity.self)
  const run = yield* store.create(newDraft("owned"), owner, newEvent("created", "created"))
  yield* Effect.sync(() => process.stdout.write(`owner ${owner.id} ${run.id} ${process.pid}\n`))
  const step = Effect.suspend(() =>
    store.progress({
      id: run.id,
      owner: owner.id,
      progress: run.progress,
      at: Date.now(),
      events: [newEvent("message", "a step")],
      durability: "normal",
      confirmsResumeOf: null
    })
  )
  yield* Effect.forever(Effect.zipRight(Effect.sleep(Number(pauseMs)), step)).pipe(
    Effect.catchTag("Fenced", () =>
      Effect.gen(function* () {
        // The end is no way around the fence either.
        const end = yield* Effect.either(store.end(endOf(run)))
        process.stdout.write(end._tag === "Left" ? `fenced ${end.left._tag}\n` : "ended\n")
      })
    )
  )
}).pipe(Effect.provide(layer({ home })), Effect.runPromise)
process.exit(0)
