/** What the commands share that put runs away: the question, and the answer about what was done. */
import { type Checkpoint, Checkpoints, Documents, OutputLog, Resume, Scope } from "@alluka/core"
import * as Effect from "effect/Effect"
import type { Setting, Step } from "./app.js"
import { confirm } from "./ask.js"
import { problem } from "./errors.js"
import { line } from "./output/human/safe.js"
import type { Output } from "./output/Output.js"
import { Refusal } from "./Refusal.js"

/** Yes by `-y` or by answer; where nobody can be asked, the refusal that names the flag. */
export const confirmed = (question: string, output: Output): Effect.Effect<boolean, Refusal> => {
  if (output.yes) return Effect.succeed(true)
  if (output.interactive) return confirm(question, false)
  return Effect.fail(
    new Refusal({ problem: problem(5, "confirmation_required", question, { hints: ["answer it with -y"] }) })
  )
}

/** Deletes runs with their output, and answers with those that are gone. A running one is never among them. */
export const removeRuns = (runs: ReadonlyArray<Checkpoint.Checkpoint>): Step<ReadonlyArray<Checkpoint.Checkpoint>> =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints.Checkpoints
    const log = yield* OutputLog.OutputLog
    const gone = new Set(
      yield* checkpoints.remove(
        Scope.operator,
        runs.map(({ id }) => id)
      )
    )
    // With a tip go the attempts before it, and the output of each.
    yield* Effect.forEach(gone, log.remove)
    return runs.filter(({ id }) => gone.has(id))
  })

/** The runs as the answer: a list, or `WORD ID TITLE` lines. */
export const tellRuns = (word: string, runs: ReadonlyArray<Checkpoint.Checkpoint>, { output }: Setting): Step<void> =>
  Effect.gen(function* () {
    const resume = yield* Resume.Resume
    const decided = yield* Effect.forEach(runs, (checkpoint) =>
      Effect.map(resume.fromRecord(checkpoint), (decision) => ({ checkpoint, decision }))
    )
    yield* Effect.promise(() =>
      output.json
        ? output.document(
            Documents.checkpointListDocument({ total: runs.length, nextCursor: null, skipped: 0 }, decided)
          )
        : output.text(runs.map(({ id, title }) => `${word}  ${id}  ${line(title, 80)}`).join("\n"))
    )
  })
