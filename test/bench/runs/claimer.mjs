/**
 * Tries to claim the same runs as others do: `claimer.mjs HOME` prints `ready`, waits for a line, tries each interrupted
 * run once and prints how many it won, how many calls failed otherwise, and how long it took, ms.
 */
import { once } from "node:events"
import { CheckpointStore, Checkpoints, Scope } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { services, spec } from "./ours.mjs"
import { moment } from "./work.mjs"

const runtime = ManagedRuntime.make(services(process.argv[2]))
const items = await runtime.runPromise(
  Effect.flatMap(CheckpointStore.CheckpointStore, (store) =>
    Effect.map(
      store.list(Scope.operator, { ...Checkpoints.everything, states: ["interrupted"], limit: 1000 }),
      (page) => page.items
    )
  )
)
const claim = (source) =>
  Effect.flatMap(Checkpoints.Checkpoints, (checkpoints) =>
    checkpoints.start(Scope.operator, {
      ...spec,
      sessionId: source.sessionId,
      lineage: { kind: "resume", from: source.id, rootId: source.rootId, attempt: source.attempt + 1 }
    })
  ).pipe(
    Effect.as("won"),
    Effect.catchTag("ClaimLost", () => Effect.succeed("lost")),
    Effect.catchAll((error) => Effect.succeed(error._tag))
  )
process.stdout.write("ready\n")
await once(process.stdin, "data")
const begun = moment()
const results = await runtime.runPromise(Effect.forEach(items, claim))
const ms = moment() - begun
const count = (wanted) => results.filter(wanted).length
process.stdout.write(
  `${JSON.stringify({
    won: count((result) => result === "won"),
    other: count((result) => result !== "won" && result !== "lost"),
    ms
  })}\n`
)
process.stdin.destroy()
await runtime.dispose()
