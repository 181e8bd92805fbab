/** A run of this process, shown as it goes on until its end is stored; what signals do to it; its exit code. */
import {
  type Checkpoint,
  type CheckpointStore,
  Checkpoints,
  type Decision,
  Documents,
  type Event,
  ExitCodes,
  HostProcesses,
  Redactor,
  type Runs,
  Scope
} from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Step } from "./app.js"
import { problemOf } from "./errors.js"
import { renderDecision } from "./output/human/decision.js"
import { renderEvent } from "./output/human/event.js"
import { renderEnd, renderStart } from "./output/human/run.js"
import type { Output } from "./output/Output.js"
import { Signals, type StopSignal, signalExitCode } from "./signals.js"

const causes = { SIGINT: "interrupt", SIGTERM: "shutdown", SIGHUP: "terminal_closed" } as const

/** What a second Ctrl-C leaves the provider's processes before they are killed, ms. */
const impatientMs = 200

/** How a run of this process came out. */
export type Followed =
  | {
      readonly _tag: "Ended"
      readonly checkpoint: Checkpoint.Checkpoint
      readonly signal: StopSignal | null
    }
  /** Another process took it over, or its end could not be stored. */
  | {
      readonly _tag: "Lost"
      readonly checkpoint: Checkpoint.Checkpoint
      readonly failure: CheckpointStore.Fenced | CheckpointStore.StoreFailure
      readonly signal: StopSignal | null
    }

/** Shows a run from its start until its end is stored; `finish` shows the end. */
export const watchRun = (live: Runs.LiveRun, decision: Decision.Decision | null, output: Output): Step<Followed> =>
  Effect.gen(function* () {
    const signals = yield* Signals
    const { redact } = yield* Redactor.Redactor
    const show = printer(output, redact)
    const outcome = yield* Effect.scoped(
      Effect.gen(function* () {
        yield* answerSignals(live, output)
        yield* show.start(live.checkpoint, decision)
        yield* Stream.runForEach(live.events, show.event)
        return yield* Effect.either(live.outcome)
      })
    )
    const signal = yield* signals.received
    const followed: Followed =
      outcome._tag === "Right"
        ? { _tag: "Ended", checkpoint: outcome.right, signal }
        : { _tag: "Lost", checkpoint: live.checkpoint, failure: outcome.left, signal }
    return followed
  })

/** What the end of a run means besides its state. */
export interface Verdict {
  readonly decision: Decision.Decision
  readonly exitCode: number
}

/** Shows the end of a run, and what it means where a `verdict` says so, and answers the exit code. */
export const finish = (followed: Followed, output: Output, verdict: Verdict | null = null): Step<number> =>
  Effect.gen(function* () {
    const { redact } = yield* Redactor.Redactor
    const { checkpoint, signal } = followed
    if (followed._tag === "Ended") {
      const exitCode = verdict?.exitCode ?? ExitCodes.exitCodeOfRun(checkpoint, signal)
      const decision = verdict?.decision ?? null
      // In a stream the summary is last.
      if (output.json && decision !== null)
        yield* Effect.promise(() => output.document(Documents.decisionLine(decision)))
      yield* printer(output, redact).end(checkpoint, exitCode)
      if (!output.json && decision !== null) {
        yield* Effect.promise(() => output.words(renderDecision(decision, { ...output, paint: output.errPaint })))
      }
      return exitCode
    }
    const problem = problemOf(followed.failure)
    const exitCode = signal === null ? problem.exitCode : signalExitCode[signal]
    yield* Effect.promise(async () => {
      await output.problem(problem)
      if (output.json) await output.document(Documents.runSummary({ checkpoint, ended: false, exitCode }))
    })
    return exitCode
  })

/**
 * The first signal ends the run for its own reason; the second kills the provider's processes, so that the end comes at
 * once. (A third leaves: the next alluka finds the run and stores its end.)
 */
const answerSignals = (live: Runs.LiveRun, output: Output) =>
  Effect.gen(function* () {
    const signals = yield* Signals
    const processes = yield* HostProcesses.HostProcesses
    const said: Record<StopSignal, string> = {
      SIGINT: "stopping; Ctrl-C again kills the agent at once",
      SIGTERM: "stopping",
      SIGHUP: "stopping"
    }
    yield* signals.handle((signal, count) =>
      count === 1
        ? Effect.zipRight(
            Effect.promise(() => output.note(said[signal])),
            live.stop(causes[signal])
          )
        : Effect.asVoid(processes.endAll([live.checkpoint.id], impatientMs))
    )
  })

/** Prints a run as JSON lines or in words. */
const printer = (output: Output, redact: (text: string) => string) => {
  const { ascii, command, paint } = output
  const words = { ascii, command, paint, redact }
  return {
    start: (checkpoint: Checkpoint.Checkpoint, decision: Decision.Decision | null) =>
      output.json
        ? printCreated(checkpoint, output)
        : Effect.promise(() =>
            output.text(
              [...(decision === null ? [] : [renderDecision(decision, words)]), renderStart(checkpoint, words)].join(
                "\n"
              )
            )
          ),
    event: (event: Event.StoredEvent) => printEvent(event, output),
    end: (checkpoint: Checkpoint.Checkpoint, exitCode: number) =>
      Effect.promise(() =>
        output.json
          ? output.document(Documents.runSummary({ checkpoint, ended: true, exitCode }))
          : output.text(renderEnd(checkpoint, words))
      )
  }
}

/** An event as a JSON line, or in words where it has any. */
export const printEvent = (event: Event.StoredEvent, output: Output): Effect.Effect<void> =>
  Effect.promise(async () => {
    if (output.json) return output.document(Documents.eventLine(event))
    const text = renderEvent(event, output)
    if (text !== null && text !== "") await output.text(text)
  })

/** The event that the run began with: committed before the run could tell of it. */
const printCreated = (checkpoint: Checkpoint.Checkpoint, output: Output) =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints.Checkpoints
    const [created] = yield* Effect.orElseSucceed(
      checkpoints.timeline(Scope.operator, checkpoint.id, 0, 1),
      (): ReadonlyArray<Event.StoredEvent> => []
    )
    if (created !== undefined) yield* printEvent(created, output)
  })

/** A run of another process, followed through the store from its beginning to its end. */
export const followElsewhere = (checkpoint: Checkpoint.Checkpoint, output: Output): Step<number> =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints.Checkpoints
    yield* checkpoints.changes(Scope.operator, checkpoint.seq - 1).pipe(
      Stream.filter((event) => event.checkpointId === checkpoint.id),
      Stream.tap((event) => printEvent(event, output)),
      Stream.takeUntil((event) => event.kind === "state_changed"),
      Stream.runDrain
    )
    return yield* finish(
      { _tag: "Ended", checkpoint: yield* checkpoints.get(Scope.operator, checkpoint.id), signal: null },
      output
    )
  })
