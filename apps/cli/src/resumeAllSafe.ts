/** `alluka resume --all-safe`: every interrupted run goes on that needs no consent, a few at once. */
import { type Checkpoint, type Decision, Documents, Resume, Scope } from "@alluka/core"
import * as Effect from "effect/Effect"
import type { Setting, Step } from "./app.js"
import type { Invocation } from "./Command.js"
import { everyRun } from "./everyRun.js"
import { finish, watchRun } from "./follow.js"
import { limitsOf } from "./limits.js"
import { line } from "./output/human/safe.js"
import { promptText } from "./prompt.js"
import { refuse } from "./refuse.js"
import { resumeRequestOf } from "./resumeRequest.js"
import { Signals, signalExitCode } from "./signals.js"

/** Runs that go on at once where nobody said how many: each is an agent that works and costs. */
const usualMax = 1

interface Candidate {
  readonly checkpoint: Checkpoint.Checkpoint
  readonly decision: Decision.Decision
}

export const resumeAllSafe = (invocation: Invocation, setting: Setting): Step<number> =>
  Effect.gen(function* () {
    const { options } = invocation
    const { io, output } = setting
    const service = yield* Resume.Resume
    const signals = yield* Signals
    const instruction = yield* promptText({ argument: null, flag: options.text("prompt") })
    const request = resumeRequestOf(options, io.cwd, instruction)
    // Tips, newest first.
    const { items: candidates } = yield* everyRun({ states: ["interrupted"], resumable: true })
    const looked = yield* Effect.forEach(candidates, (checkpoint) =>
      Effect.map(
        service.preview(Scope.operator, checkpoint.id, request),
        (decision): Candidate => ({ checkpoint, decision })
      )
    )
    // "Safe": in its own conversation. A fresh start, even one that was consented to, is somebody's own choice.
    const safe = looked.filter(({ decision }) => decision.status === "resuming_same_session")
    if (options.flag("dryRun")) {
      yield* Effect.promise(() => tell(looked, setting))
      return 0
    }
    if (safe.length === 0) {
      yield* Effect.promise(() => output.note("No interrupted run can go on without a question."))
      return 0
    }
    const codes = yield* Effect.forEach(
      safe,
      ({ checkpoint }) =>
        Effect.gen(function* () {
          const signal = yield* signals.received
          if (signal !== null) return signalExitCode[signal]
          const resumed = yield* service.execute(Scope.operator, checkpoint.id, {
            request,
            limits: limitsOf(setting, invocation)
          })
          return resumed._tag === "Refused"
            ? yield* refuse(resumed.decision, setting, null)
            : yield* finish(yield* watchRun(resumed.run, resumed.decision, output), output)
        }).pipe(Effect.scoped),
      { concurrency: options.number("max") ?? usualMax }
    )
    return Math.max(...codes)
  })

/** What would be done: each run that was looked at, with its decision. */
const tell = async (looked: ReadonlyArray<Candidate>, { output }: Setting): Promise<void> => {
  if (output.json) {
    await output.document(
      Documents.checkpointListDocument({ total: looked.length, nextCursor: null, skipped: 0 }, looked)
    )
    return
  }
  const rows = looked.map(({ checkpoint, decision }) => {
    const goes = decision.status === "resuming_same_session"
    return `${output.paint(goes ? "goes on" : "stays   ", goes ? "good" : "dim")}  ${checkpoint.id}  ${line(checkpoint.title, 60)}  ${output.paint(decision.reason, "dim")}`
  })
  await output.text(rows.length === 0 ? "No run is interrupted." : rows.join("\n"))
}
