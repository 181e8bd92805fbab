/** The answer of a start that came back: the checkpoint of a run in the background, or why there is none. */
import { type Checkpoint, Checkpoints, Documents, Resume, type RunLauncher, Scope } from "@alluka/core"
import * as Effect from "effect/Effect"
import type { Setting, Step } from "./app.js"
import { refuse } from "./refuse.js"

/** What the launched process said, for the caller: the checkpoint, or why it did not start. */
export const answerLaunch = (launched: RunLauncher.Launched, setting: Setting): Step<number> =>
  Effect.gen(function* () {
    if (launched._tag === "Refused") return yield* refuse(launched.decision, setting, null)
    const checkpoints = yield* Checkpoints.Checkpoints
    if (launched._tag === "Waiting") {
      const waiting = yield* checkpoints.get(Scope.operator, launched.id)
      return yield* printWaiting(waiting, launched.until, setting)
    }
    return yield* printStarted(yield* checkpoints.get(Scope.operator, launched.id), setting)
  })

const printWaiting = (checkpoint: Checkpoint.Checkpoint, until: number, { output }: Setting): Step<number> =>
  Effect.gen(function* () {
    const resume = yield* Resume.Resume
    const decision = yield* resume.fromRecord(checkpoint)
    yield* Effect.promise(() =>
      output.json
        ? output.document(Documents.checkpointDocument(checkpoint, decision))
        : output.text(
            `${checkpoint.id} goes on in the background when its usage limit resets, ${new Date(until).toISOString()}.\n  Stop waiting:  ${output.command(["cancel", checkpoint.id])}`
          )
    )
    return 0
  })

export const printStarted = (checkpoint: Checkpoint.Checkpoint, { output }: Setting): Step<number> =>
  Effect.gen(function* () {
    const resume = yield* Resume.Resume
    const decision = yield* resume.fromRecord(checkpoint)
    yield* Effect.promise(() =>
      output.json
        ? output.document(Documents.checkpointDocument(checkpoint, decision))
        : output.text(
            checkpoint.state === "running"
              ? `${checkpoint.id} runs in the background.\n  Watch it:  ${output.command(["runs", "watch", checkpoint.id])}`
              : `${checkpoint.id} has ${checkpoint.state}.`
          )
    )
    return 0
  })
