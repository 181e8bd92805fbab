/**
 * Owns a run and works on it: `node owner.mjs HOME [ALSO]` prints `owner OWNER RUN PID`, then commits a step every few
 * milliseconds. `fenced TAG`: the run was taken over, and the end was answered with that. Ends by itself then, or when
 * stdin ends. ALSO: `child` leaves a process behind that outlives it; `care` looks after the store as the doctor does.
 */
import { spawn } from "node:child_process"
import { CheckpointStore, OwnerIdentity } from "@alluka/core"
import { layer, StoreCare } from "@alluka/store"
import * as Effect from "effect/Effect"
import { endOf, newDraft, newEvent } from "../support/draft.mjs"

const [home, also] = process.argv.slice(2)
const pauseMs = 5
process.stdin.resume()
process.stdin.once("end", () => process.exit(0))

await Effect.gen(function* () {
  const store = yield* CheckpointStore.CheckpointStore
  const owner = yield* Effect.flatMap(OwnerIdentity.OwnerIdentity, (identity) => identity.self)
  const run = yield* store.create(newDraft("owned"), owner, newEvent("created", "created"))
  if (also === "child") spawn("sleep", ["300"], { detached: true, stdio: "ignore" }).unref()
  if (also === "care") {
    const care = yield* StoreCare
    yield* Effect.all([care.faults, care.damaged, care.leftovers, care.tidy])
    yield* care.close(yield* care.exposed)
    yield* care.backUpTo(`${home}/../copy.db`)
  }
  yield* Effect.sync(() => process.stdout.write(`owner ${owner.id} ${run.id} ${process.pid}\n`))
  const step = Effect.suspend(() =>
    store.progress({
      id: run.id,
      owner: owner.id,
      taskId: run.taskId,
      progress: run.progress,
      at: Date.now(),
      events: [newEvent("message", "a step")],
      durability: "normal",
      confirmsResumeOf: null
    })
  )
  yield* Effect.forever(Effect.zipRight(Effect.sleep(pauseMs), step)).pipe(
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
