/**
 * `--continue-at-reset`: a run that stops at a usage limit waits for the limit's reset and goes on by itself, as often as
 * it takes. Only because it was asked to; a limit whose reset nobody knows is not waited for.
 */
import {
  type Checkpoint,
  CheckpointStore,
  type Decision,
  Documents,
  type Event,
  type Facts,
  Resume,
  type Runs,
  Scope,
  Text,
  type Watchdog
} from "@alluka/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Setting, Step } from "./app.js"
import { type Followed, finish, printEvent, watchRun } from "./follow.js"
import { clock } from "./output/human/safe.js"
import type { Output } from "./output/Output.js"
import { refuse } from "./refuse.js"

/** Providers count a little differently than we do: a moment later is never too early. */
const marginMs = 2000
/** How often a program that reads along is told that we still wait, ms. */
const heartbeatMs = 60_000
/** Times a run is gone on with: a limit that never lifts must not be asked for ever. */
const maxRounds = 50

export interface GoingOn {
  readonly setting: Setting
  readonly limits: Watchdog.WatchLimits
  /** What a resume at the reset asks for besides: nothing is consented to but what the person said. */
  readonly request: Facts.ResumeRequest
}

/** Follows a run to its end, and the ones that go on from it. */
export const followWithResets = (
  live: Runs.LiveRun,
  decision: Decision.Decision | null,
  { limits, request, setting }: GoingOn
): Step<number> =>
  Effect.gen(function* () {
    const { output } = setting
    const resume = yield* Resume.Resume
    let run = live
    let because = decision
    for (let round = 0; ; round++) {
      const followed: Followed = yield* watchRun(run, because, output)
      const until = resetOf(followed)
      if (until === null || round >= maxRounds) return yield* finish(followed, output)
      yield* waitForReset(followed.checkpoint, until, output)
      const resumed = yield* resume.execute(Scope.operator, followed.checkpoint.id, { request, limits })
      if (resumed._tag === "Refused") return yield* refuse(resumed.decision, setting, null)
      run = resumed.run
      because = resumed.decision
    }
  }).pipe(Effect.scoped)

/** When the limit that a run stopped at resets; `null`: it did not stop at one, or nobody knows. */
const resetOf = (followed: Followed): number | null =>
  followed._tag === "Ended" && followed.signal === null && followed.checkpoint.reason?.code === "usage_limit"
    ? followed.checkpoint.reason.resetsAt
    : null

/** Says that and until when is waited, and waits. Ctrl-C leaves: the run stays interrupted and resumable. */
export const waitForReset = (checkpoint: Checkpoint.Checkpoint, until: number, output: Output): Step<void> =>
  Effect.gen(function* () {
    const store = yield* CheckpointStore.CheckpointStore
    const now = yield* Clock.currentTimeMillis
    const left = Math.max(0, until + marginMs - now)
    const waiting: Event.NewEvent = {
      kind: "waiting_for_reset",
      timestamp: now,
      phase: checkpoint.progress.phase,
      message: `waiting ${Text.duration(left)} for the usage limit to reset at ${clock(until)}`,
      payload: { resets_at: new Date(until).toISOString() }
    }
    const stored = yield* store.note(checkpoint.id, [waiting])
    yield* Effect.forEach(stored, (event) => printEvent(event, output))
    const beat = Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      const line = Documents.heartbeatLine({
        checkpointId: checkpoint.id,
        taskId: checkpoint.taskId,
        phase: checkpoint.progress.phase,
        at,
        message: waiting.message,
        payload: { elapsed_ms: at - now }
      })
      if (output.json) yield* Effect.promise(() => output.document(line))
    })
    // Looked at again and again: a machine that slept would wait that much longer.
    while ((yield* Clock.currentTimeMillis) < until + marginMs) {
      const rest = until + marginMs - (yield* Clock.currentTimeMillis)
      yield* Effect.sleep(Math.max(10, Math.min(heartbeatMs, rest)))
      yield* beat
    }
  })
