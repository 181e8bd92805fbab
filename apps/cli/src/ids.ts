/** Runs as people name them on the command line. */
import { type Checkpoint, Checkpoints, Scope } from "@alluka/core"
import * as Effect from "effect/Effect"
import type { Step } from "./app.js"
import type { Output } from "./output/Output.js"

/** The run that a text names: its id, four or more characters of it, or `latest`, of which it is said which that is. */
export const findRun = (text: string, output: Output): Step<Checkpoint.Checkpoint> =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints.Checkpoints
    const checkpoint = yield* checkpoints.find(Scope.operator, text)
    if (text.trim().toLowerCase() === "latest") yield* sayLatest(checkpoint, output)
    return checkpoint
  })

/** Says which run `latest` was. */
export const sayLatest = (checkpoint: Checkpoint.Checkpoint, output: Output): Effect.Effect<void> =>
  Effect.promise(() => output.note(`latest is ${checkpoint.id}`))
