/**
 * The bridge from the store to the monitor's model: subscribes, takes the snapshot, then brings every change, the first at
 * once and the others some thirteen times a second. When the store cannot be read, what is on the screen stays, says so, and
 * the feed tries again.
 */
import { type CheckpointStore, Checkpoints, type Event, Recovery, Redactor, Scope } from "@alluka/core"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { Narrowing } from "../model/query.js"
import type { Run } from "../model/Run.js"
import { listed, readChanges, readSnapshot, toRun } from "./read.js"
import type { MonitorServices } from "./services.js"
import type { MonitorStore } from "./store.js"

/** What the lists are read for. */
export interface Reading extends Narrowing {
  readonly generation: number
}

export interface FeedOptions {
  readonly store: MonitorStore
  /** The person's home folder, shown as `~`. */
  readonly home: string
  /** Another reading that is wanted, or the same one more time; ends what is going on. */
  readonly wanted: Queue.Queue<Reading>
  /** Called when something of these lineages has changed. */
  readonly changed: (roots: ReadonlySet<string>) => Effect.Effect<void>
}

/** Between two batches of changes at least, ms. With what it takes to read and to paint, a change is seen within 100 ms. */
const batchMs = 75
/** How often the owners of the runs on the screen are probed, ms. */
const probeMs = 1000
/** How often all owners are, in probes. */
const reconcileEvery = 30
/** Owners probed at once, the newest. */
const maxProbed = 20
/** The longest wait before the store is tried again, ms. */
const maxRetryMs = 10_000

const operator = Scope.operator

/** The stream of changes ended although nobody closed it. */
class FeedEnded extends Data.TaggedError("FeedEnded")<{ readonly operation: string }> {
  override get message(): string {
    return "the stream of changes ended"
  }
}

/** Feeds the monitor until it is interrupted. */
export const feed = ({ changed, home, store, wanted }: FeedOptions): Effect.Effect<never, never, MonitorServices> =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints.Checkpoints
    const recovery = yield* Recovery.Recovery
    const { redact } = yield* Redactor.Redactor

    const batches = (events: Queue.Queue<Event.StoredEvent>) =>
      Effect.gen(function* () {
        const first = yield* Queue.take(events)
        const rest = yield* Queue.takeAll(events)
        const batch = [first, ...rest]
        const known = store.current().runs
        const found = yield* readChanges(batch, (id) => known.has(id), home)
        const at = yield* Clock.currentTimeMillis
        store.dispatch({ _tag: "ChangesRead", at, events: batch, ...found })
        yield* changed(
          new Set([
            ...found.lineages.map(({ rootId }) => rootId),
            ...found.moved.map(({ checkpoint }) => checkpoint.rootId)
          ])
        )
        yield* Effect.sleep(batchMs)
      })

    /** Ends the runs of dead owners, and shows them so even where that could not be stored. */
    const bury = (dead: ReadonlyArray<Run>) =>
      Effect.gen(function* () {
        yield* recovery.reconcile
        const lineages = yield* Effect.forEach(dead, ({ checkpoint }) =>
          checkpoints.lineage(operator, checkpoint.id).pipe(
            Effect.flatMap((lineage) => Effect.forEach(listed(lineage), (attempt) => toRun(attempt, home))),
            Effect.map((runs) => ({ rootId: checkpoint.rootId, runs })),
            Effect.catchTag("CheckpointNotFound", () => Effect.succeed({ rootId: checkpoint.rootId, runs: [] })),
            Effect.catchTag("RecordCorrupt", () => Effect.succeed({ rootId: checkpoint.rootId, runs: [] }))
          )
        )
        const counts = yield* checkpoints.counts(operator)
        const at = yield* Clock.currentTimeMillis
        store.dispatch({ _tag: "ChangesRead", at, moved: [], lineages, removed: [], events: [], counts })
        yield* changed(new Set(lineages.map(({ rootId }) => rootId)))
      })

    const probe = (round: number) =>
      Effect.gen(function* () {
        if (round > 0 && round % reconcileEvery === 0) yield* recovery.reconcile
        const running = [...store.current().runs.values()]
          .filter(({ checkpoint }) => checkpoint.state === "running")
          .toSorted((a, b) => b.checkpoint.seq - a.checkpoint.seq)
          .slice(0, maxProbed)
        const owners = yield* recovery.ownersOf(running.map(({ checkpoint }) => checkpoint))
        const probed = running.flatMap((run) => {
          const liveness = owners.get(run.checkpoint.owner.id)
          return liveness === undefined ? [] : [{ run, liveness }]
        })
        const dead = probed.filter(({ liveness }) => liveness._tag === "Dead").map(({ run }) => run)
        if (dead.length > 0) yield* bury(dead)
        // Also the sign that the store can be read.
        yield* checkpoints.latestSeq
        const at = yield* Clock.currentTimeMillis
        const unproven = probed.flatMap(({ liveness, run }) => (liveness._tag === "Unknown" ? [run.checkpoint.id] : []))
        store.dispatch({ _tag: "OwnersProbed", at, unproven })
      })

    const connected = (reading: Reading, onSnapshot: Effect.Effect<void>) =>
      Effect.gen(function* () {
        yield* recovery.reconcile
        const seq = yield* checkpoints.latestSeq
        const snapshot = yield* readSnapshot(reading, home)
        const at = yield* Clock.currentTimeMillis
        store.dispatch({ _tag: "SnapshotRead", generation: reading.generation, at, ...snapshot })
        yield* onSnapshot
        const events = yield* Queue.unbounded<Event.StoredEvent>()
        let round = 0
        yield* Effect.all(
          [
            Stream.runForEach(checkpoints.changes(operator, seq), (event) => Queue.offer(events, event)).pipe(
              Effect.zipRight(Effect.fail(new FeedEnded({ operation: "feed.changes" })))
            ),
            Effect.forever(batches(events)),
            Effect.repeat(
              Effect.suspend(() => probe(round++)),
              Schedule.spaced(probeMs)
            )
          ],
          { concurrency: "unbounded", discard: true }
        )
      })

    let reading: Reading = yield* Queue.take(wanted)
    let failures = 0
    for (;;) {
      const reset = Effect.sync(() => {
        failures = 0
      })
      const next = Effect.map(Queue.take(wanted), (wish) => ({ _tag: "Wanted", wish }) as const)
      const outcome = yield* connected(reading, reset).pipe(
        Effect.as({ _tag: "Lost", why: "the feed ended" } as const),
        Effect.catchAllCause((cause) =>
          Cause.isInterruptedOnly(cause)
            ? Effect.interrupt
            : Effect.succeed({ _tag: "Lost", why: redact(reasonOf(cause)) } as const)
        ),
        Effect.raceFirst(next)
      )
      if (outcome._tag === "Wanted") {
        reading = outcome.wish
        continue
      }
      failures += 1
      const wait = Math.min(maxRetryMs, 500 * 2 ** failures)
      const at = yield* Clock.currentTimeMillis
      store.dispatch({ _tag: "ConnectionLost", why: outcome.why, attempt: failures, retryAt: at + wait })
      const wish = yield* Effect.raceFirst(next, Effect.as(Effect.sleep(wait), { _tag: "Again" } as const))
      if (wish._tag === "Wanted") reading = wish.wish
    }
  })

/** Why the store could not be read, in one line. */
const reasonOf = (
  cause: Cause.Cause<CheckpointStore.StoreFailure | FeedEnded | CheckpointStore.InvalidCursor>
): string => {
  const failure = Cause.squash(cause)
  const text = failure instanceof Error ? failure.message : String(failure)
  return text.split("\n")[0] ?? text
}
