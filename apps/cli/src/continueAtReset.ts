/**
 * `--continue-at-reset`: a run that stops at a usage limit waits for the limit's reset and goes on by itself, once.
 * Only because it was asked to, and never in a loop: a limit that is hit again is left to the person. A limit whose reset
 * nobody knows is not waited for.
 */
import {
  type Checkpoint,
  type Decision,
  Documents,
  type Facts,
  Resume,
  type Runs,
  Scope,
  WaitForReset,
  type Watchdog
} from "@alluka/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Setting, Step } from "./app.js"
import { type Followed, finish, printEvent, watchRun } from "./follow.js"
import type { Output } from "./output/Output.js"
import { refuse } from "./refuse.js"

/** How often a program that reads along is told that we still wait, ms. */
const heartbeatMs = 60_000

export interface GoingOn {
  readonly setting: Setting
  readonly limits: Watchdog.WatchLimits
  /** What a resume at the reset asks for besides: nothing is consented to but what the person said. */
  readonly request: Facts.ResumeRequest
}

/** Follows a run to its end, and the one that goes on from it at the reset. */
export const followWithResets = (
  live: Runs.LiveRun,
  decision: Decision.Decision | null,
  { limits, request, setting }: GoingOn
): Step<number> =>
  Effect.gen(function* () {
    const { output } = setting
    const resume = yield* Resume.Resume
    const first: Followed = yield* watchRun(live, decision, output)
    if (first._tag === "Lost" || first.signal !== null) return yield* finish(first, output)
    const waited = yield* waitForReset(first.checkpoint, output)
    if (waited !== "reset") return yield* finish(first, output)
    const resumed = yield* resume.execute(Scope.operator, first.checkpoint.id, { request, limits })
    if (resumed._tag === "Refused") return yield* refuse(resumed.decision, setting, null)
    return yield* finish(yield* watchRun(resumed.run, resumed.decision, output), output)
  }).pipe(Effect.scoped)

/** Waits for the reset, if there is one to wait for, and says so. Ctrl-C leaves: the run stays interrupted and resumable. */
export const waitForReset = (checkpoint: Checkpoint.Checkpoint, output: Output): Step<WaitForReset.Waited> =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    let told = began
    const beat = Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      if (!output.json || at - told < heartbeatMs) return
      told = at
      const line = Documents.heartbeatLine({
        checkpointId: checkpoint.id,
        taskId: checkpoint.taskId,
        phase: checkpoint.progress.phase,
        at,
        message: "waiting for the usage limit to reset",
        payload: { elapsed_ms: at - began }
      })
      yield* Effect.promise(() => output.document(line))
    })
    const waited = yield* WaitForReset.waitForReset(Scope.operator, checkpoint, {
      tell: (event) => printEvent(event, output),
      left: () => beat
    })
    yield* Effect.promise(() => output.note(said[waited]))
    return waited
  })

const said: Readonly<Record<WaitForReset.Waited, string>> = {
  reset: "the usage limit has reset; going on",
  cancelled: "the wait was cancelled; the run stays as it is",
  superseded: "another attempt was made meanwhile; nothing is started",
  no_wait: ""
}
