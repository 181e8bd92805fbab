/** Reads the details of the selected run, and keeps what a resume would do up to date while it is selected. */
import { Ids, Redactor, Resume, Scope } from "@alluka/core"
import * as Schema from "@alluka/core/Schema"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import { readDetail, redacted } from "./read.js"
import type { MonitorServices } from "./services.js"
import type { MonitorStore } from "./store.js"

/** How long a selection must rest before its details are read, ms. */
const restMs = 80
/** How soon the world is looked at again, ms, and at most how late: where nothing changes, ever less often. */
const lookAgainMs = { first: 10_000, last: 60_000 }
/** After a change the world is left alone for a moment: changes come in groups. */
const afterChangeMs = 200

/** Never ends by itself. `nudged`: something of the run's lineage has changed. */
export const inspect = (
  id: string,
  store: MonitorStore,
  nudged: Queue.Queue<void>,
  rest: boolean
): Effect.Effect<void, never, MonitorServices> =>
  Effect.gen(function* () {
    const resume = yield* Resume.Resume
    const { redact } = yield* Redactor.Redactor
    const checkpointId = Schema.decodeUnknownOption(Ids.CheckpointId)(id)
    if (Option.isNone(checkpointId)) return
    if (rest) yield* Effect.sleep(restMs)
    yield* readDetail(checkpointId.value).pipe(
      Effect.map((found) => store.dispatch({ _tag: "DetailRead", id, ...found })),
      Effect.catchAll((failure) =>
        Effect.sync(() => store.dispatch({ _tag: "DetailFailed", id, why: redact(failure.message) }))
      )
    )
    let again = lookAgainMs.first
    for (;;) {
      const run = store.current().runs.get(id)
      const state = run?.checkpoint.state
      if (state !== "running" && state !== "completed") {
        yield* resume.preview(Scope.operator, id).pipe(
          Effect.map((decision) => store.dispatch({ _tag: "PreviewMade", id, decision: redacted(decision, redact) })),
          // The feed itself says that the store cannot be read.
          Effect.ignore
        )
      }
      const change = Effect.as(Effect.zipRight(Queue.take(nudged), Effect.sleep(afterChangeMs)), true)
      const changed = yield* Effect.raceFirst(change, Effect.as(Effect.sleep(again), false))
      again = changed ? lookAgainMs.first : Math.min(lookAgainMs.last, again * 2)
    }
  })
