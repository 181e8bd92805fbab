/**
 * Writes runs into a store until it is killed: `node writer.mjs HOME MODE`, where MODE is the durability of progress
 * (`normal` or `full`; beginnings and ends are always synced). Each line of its output is written after the store has
 * acknowledged what it says, so whatever it says must be found later: `created ID SEQ`, `progress ID`, `ended ID`. The
 * last word of each is the length of the write-ahead log by then.
 */
import { statSync, writeSync } from "node:fs"
import { join } from "node:path"
import { CheckpointStore, OwnerIdentity } from "@alluka/core"
import { layer } from "@alluka/store"
import * as Effect from "effect/Effect"
import { endOf, newDraft, newEvent } from "../support/draft.mjs"

const [home, durability] = process.argv.slice(2)
const log = join(home, "alluka.db-wal")
const acknowledge = (line) => Effect.sync(() => writeSync(1, `${line} ${statSync(log).size}\n`))

await Effect.gen(function* () {
  const store = yield* CheckpointStore.CheckpointStore
  const owner = yield* Effect.flatMap(OwnerIdentity.OwnerIdentity, (identity) => identity.self)
  for (let number = 1; ; number += 1) {
    const title = `run ${number}`
    const checkpoint = yield* store.create(newDraft(title), owner, newEvent("created", title))
    yield* acknowledge(`created ${checkpoint.id} ${checkpoint.seq}`)
    for (let step = 1; step <= 3; step += 1) {
      yield* store.progress({
        id: checkpoint.id,
        owner: owner.id,
        taskId: checkpoint.taskId,
        progress: checkpoint.progress,
        at: Date.now(),
        events: [newEvent("message", "a step")],
        durability,
        confirmsResumeOf: null
      })
      yield* acknowledge(`progress ${checkpoint.id}`)
    }
    yield* store.end(endOf(checkpoint))
    yield* acknowledge(`ended ${checkpoint.id}`)
  }
}).pipe(Effect.provide(layer({ home })), Effect.runPromise)
