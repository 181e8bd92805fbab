/** A run of this process, shown as it goes on until its end is stored; what signals do to it; its exit code. */
import {
  type Checkpoint,
  Checkpoints,
  type Decision,
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
import { eventLine, runSummary } from "./output/documents.js"
import { renderDecision } from "./output/human/decision.js"
import { renderEvent } from "./output/human/event.js"
import { renderEnd, renderStart } from "./output/human/run.js"
import type { Output } from "./output/Output.js"
import { Signals, type StopSignal, signalExitCode } from "./signals.js"

const causes = { SIGINT: "interrupt", SIGTERM: "shutdown", SIGHUP: "terminal_closed" } as const

/** What a second Ctrl-C leaves the provider's processes before they are killed, ms. */
const impatientMs = 200

export interface FollowOptions {
  readonly output: Output
  /** The decision that a resume began with, for words; as JSON it is an event of the run. */
  readonly decision: Decision.Decision | null
}

/** Shows a run until its end is stored, and answers the exit code. */
export const follow = (live: Runs.LiveRun, { decision, output }: FollowOptions): Step<number> =>
  Effect.gen(function* () {
    const ended = yield* watchRun(live, { decision, output })
    return ended.exitCode
  })

export interface Followed {
  /** As it ended; `null`: it is not known, because the run was taken over or its end could not be stored. */
  readonly checkpoint: Checkpoint.Checkpoint | null
  readonly exitCode: number
  /** The signal that this process received. */
  readonly signal: StopSignal | null
}

/** The same with the checkpoint as it ended. */
export const watchRun = (live: Runs.LiveRun, { decision, output }: FollowOptions): Step<Followed> =>
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
    if (outcome._tag === "Right") {
      const exitCode = ExitCodes.exitCodeOfRun(outcome.right, signal)
      yield* show.end(outcome.right, exitCode)
      const followed: Followed = { checkpoint: outcome.right, exitCode, signal }
      return followed
    }
    const problem = problemOf(outcome.left)
    const exitCode = signal === null ? problem.exitCode : signalExitCode[signal]
    yield* Effect.promise(() => output.problem(problem))
    if (output.json) yield* Effect.promise(() => output.document(runSummary({ checkpoint: live.checkpoint, ended: false, exitCode })))
    const followed: Followed = { checkpoint: null, exitCode, signal }
    return followed
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
  const print = (write: () => Promise<void>): Effect.Effect<void> => Effect.promise(write)
  const words = { ascii, command, paint, redact }
  return {
    start: (checkpoint: Checkpoint.Checkpoint, decision: Decision.Decision | null) =>
      output.json
        ? Effect.flatMap(createdEvent(checkpoint), (created) =>
            created === null ? Effect.void : print(() => output.document(eventLine(created)))
          )
        : print(() =>
            output.text(
              [...(decision === null ? [] : [renderDecision(decision, words)]), renderStart(checkpoint, words)].join("\n")
            )
          ),
    event: (event: Event.StoredEvent) => {
      if (output.json) return print(() => output.document(eventLine(event)))
      const text = renderEvent(event, words)
      return text === null || text === "" ? Effect.void : print(() => output.text(text))
    },
    end: (checkpoint: Checkpoint.Checkpoint, exitCode: number) =>
      print(() =>
        output.json
          ? output.document(runSummary({ checkpoint, ended: true, exitCode }))
          : output.text(renderEnd(checkpoint, words))
      )
  }
}

/** The event that the run began with: committed before the run could tell of it. */
const createdEvent = (checkpoint: Checkpoint.Checkpoint): Effect.Effect<Event.StoredEvent | null, never, Checkpoints.Checkpoints> =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints.Checkpoints
    const [first] = yield* Effect.orElseSucceed(
      checkpoints.timeline(Scope.operator, checkpoint.id, 0, 1),
      (): ReadonlyArray<Event.StoredEvent> => []
    )
    return first ?? null
  })

/** A run of another process, followed through the store from its beginning to its end. */
export const followElsewhere = (checkpoint: Checkpoint.Checkpoint, output: Output): Step<number> =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints.Checkpoints
    const { redact } = yield* Redactor.Redactor
    const show = printer(output, redact)
    yield* Effect.scoped(
      checkpoints.changes(Scope.operator, checkpoint.seq - 1).pipe(
        Stream.filter((event) => event.checkpointId === checkpoint.id),
        Stream.tap(show.event),
        Stream.takeUntil((event) => event.kind === "state_changed"),
        Stream.runDrain
      )
    )
    const ended = yield* checkpoints.get(Scope.operator, checkpoint.id)
    const exitCode = ExitCodes.exitCodeOfRun(ended, null)
    yield* show.end(ended, exitCode)
    return exitCode
  })

