/**
 * Keeps what a run has said and not yet committed, and commits it: a few times a second, at once where it matters, later
 * where the store cannot take it now. It alone talks to the owned checkpoint while the run goes on.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import { type Progress, phaseNumber } from "../checkpoint/Checkpoint.js"
import type { Conflict, Fenced, StoreFailure } from "../checkpoint/CheckpointStore.js"
import type { NewEvent, StoredEvent } from "../checkpoint/Event.js"
import type { OwnedRun } from "../checkpoint/OwnedRun.js"
import type { OutputLine, OutputLog } from "../host/OutputLog.js"
import { makeLineRedactor } from "../privacy/streamRedactor.js"
import type { RunEvent } from "../provider/RunEvent.js"
import type { OwnStop } from "./ending.js"
import { type Folding, fold, folding } from "./progress.js"

export interface CommitterOptions {
  readonly owned: OwnedRun
  readonly output: OutputLog["Type"]
  readonly redact: (text: string) => string
  readonly expectedSession: string | null
  readonly opening: ReadonlyArray<NewEvent>
  readonly publish: (events: ReadonlyArray<StoredEvent>) => Effect.Effect<unknown>
}

/** Events kept at most for a store that cannot be written; beyond that the oldest messages go, and are counted. */
const maxPending = 2000

interface Held {
  readonly folding: Folding
  readonly pending: ReadonlyArray<NewEvent>
  readonly lines: ReadonlyArray<OutputLine>
  /** Something of the progress is not committed. */
  readonly dirty: boolean
  readonly confirmedStored: boolean
  readonly dropped: number
  readonly toldUnwritable: boolean
  readonly trouble: OwnStop | null
  readonly fenced: Fenced | null
}

export const makeCommitter = ({ owned, output, redact, expectedSession, opening, publish }: CommitterOptions) =>
  Effect.gen(function* () {
    const held = yield* Ref.make<Held>({
      folding: folding(owned.checkpoint.progress, expectedSession),
      pending: opening,
      lines: [],
      dirty: opening.length > 0,
      confirmedStored: false,
      dropped: 0,
      toldUnwritable: false,
      trouble: null,
      fenced: null
    })
    const { id } = owned.checkpoint
    // A key of many lines is one secret: each stream is redacted with the lines before in mind.
    const redactLine = { stdout: makeLineRedactor(redact), stderr: makeLineRedactor(redact) }

    const writeLines = Effect.flatMap(
      Ref.modify(held, (now) => [now.lines, { ...now, lines: [] }] as const),
      (lines) => (lines.length === 0 ? Effect.void : output.append(id, lines))
    )

    /** Puts back what could not be written. */
    const keep = (events: ReadonlyArray<NewEvent>) =>
      Ref.update(held, (now) => {
        const all = [...events, ...now.pending]
        const tooMany = Math.max(0, all.length - maxPending)
        return { ...now, pending: all.slice(tooMany), dropped: now.dropped + tooMany, dirty: true }
      })

    const commit = (durability: "full" | "normal") =>
      Effect.gen(function* () {
        yield* writeLines
        const now = yield* Ref.get(held)
        if (!now.dirty || now.fenced !== null) return
        const events = yield* takeEvents
        yield* owned
          .advance({
            progress: now.folding.progress,
            events,
            durability,
            confirmed: now.folding.confirmed && !now.confirmedStored
          })
          .pipe(
            Effect.flatMap((stored) =>
              Effect.zipRight(
                Ref.update(held, (after) => ({
                  ...after,
                  confirmedStored: after.confirmedStored || now.folding.confirmed
                })),
                publish(stored)
              )
            ),
            Effect.catchTag("Fenced", (fenced) =>
              Ref.update(held, (after) => ({ ...after, fenced, trouble: { cause: "fenced" as const, detail: null } }))
            ),
            Effect.catchTag("Conflict", (conflict) =>
              Effect.gen(function* () {
                const before = yield* owned.progress
                yield* Ref.update(held, (after) => ({
                  ...after,
                  // The id belongs to another running checkpoint: it must not stand in ours, or no later write would land.
                  folding: { ...after.folding, progress: { ...after.folding.progress, phases: before.phases } },
                  trouble: { cause: "mismatch" as const, detail: conflict.message }
                }))
                yield* keep(events)
              })
            ),
            Effect.tapError(() => keep(events))
          )
      })

    const takeEvents = Effect.gen(function* () {
      const timestamp = yield* Clock.currentTimeMillis
      return yield* Ref.modify(held, (now) => {
        const lost: ReadonlyArray<NewEvent> =
          now.dropped === 0
            ? []
            : [
                {
                  kind: "notice",
                  timestamp,
                  phase: phaseNumber(now.folding.progress),
                  message: `${now.dropped} events were dropped while the store could not be written`,
                  payload: { dropped: now.dropped }
                }
              ]
        return [[...lost, ...now.pending], { ...now, pending: [], dropped: 0, dirty: false }] as const
      })
    })

    /**
     * A locked store is only busy, and nothing is lost by waiting. One that cannot be written is told, once: the run goes
     * on, and what it says is kept as far as there is room.
     */
    const wait = (failure: StoreFailure | Conflict) =>
      Effect.flatMap(
        Ref.modify(held, (now) => {
          const tell = failure._tag !== "StoreLocked" && !now.toldUnwritable
          return [tell, tell ? { ...now, toldUnwritable: true } : now] as const
        }),
        (tell) => (tell ? Effect.logWarning(`the progress of ${id} waits: ${failure.message}`) : Effect.void)
      )

    /** Commits without insisting: what the store does not take now is kept for the next time. */
    const tryCommit = (durability: "full" | "normal") => Effect.catchAll(commit(durability), wait)

    /** Commits before anything else happens. A lock is waited for; a store that is broken is not. */
    const insist = commit("full").pipe(
      Effect.retry({ while: (failure) => failure._tag === "StoreLocked", schedule: Schedule.spaced(200) }),
      Effect.catchAll(wait)
    )

    const accept = (event: RunEvent) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const text = event._tag === "LineRead" ? redactLine[event.from](event.text) : null
        const line: ReadonlyArray<OutputLine> =
          event._tag === "LineRead" && text !== null ? [{ at: now, from: event.from, text }] : []
        const urgency = yield* Ref.modify(held, (before) => {
          const folded = fold(before.folding, event, { now, redact })
          const { mismatch } = folded.state
          return [
            folded.urgency,
            {
              ...before,
              folding: folded.state,
              pending: folded.events.length === 0 ? before.pending : [...before.pending, ...folded.events],
              lines: line.length === 0 ? before.lines : [...before.lines, ...line],
              dirty: before.dirty || folded.state !== before.folding,
              trouble:
                before.trouble ??
                (mismatch === null
                  ? null
                  : {
                      cause: "mismatch" as const,
                      detail: `asked for conversation ${mismatch.expected}, but the provider opened ${mismatch.got}`
                    })
            }
          ] as const
        })
        if (urgency === "barrier") yield* insist
        else if (urgency === "soon") yield* tryCommit("full")
      })

    /** Adds events that are not the provider's, and commits them. */
    const tell = (events: ReadonlyArray<NewEvent>) =>
      Effect.zipRight(
        Ref.update(held, (now) => ({ ...now, pending: [...now.pending, ...events], dirty: true })),
        tryCommit("full")
      )

    /** Another invocation of a provider begins: from this progress, told by these events, committed before it is started. */
    const beginTurn = (progress: Progress, expected: string | null, events: ReadonlyArray<NewEvent>) =>
      Effect.zipRight(
        Ref.update(held, (now) => ({
          ...now,
          folding: folding(progress, expected, now.folding.progress.usage),
          pending: [...now.pending, ...events],
          dirty: true
        })),
        insist
      )

    return {
      /** Takes one event of the provider in. */
      accept,
      tell,
      beginTurn,
      /** Commits what waits, synced. */
      flush: tryCommit("full"),
      /** Commits what waits; safe from the death of the process only. */
      flushLazily: tryCommit("normal"),
      /** Takes the events that were never committed, for the end to carry, and writes the last of the output. */
      rest: Effect.zipRight(writeLines, takeEvents),
      state: Effect.map(Ref.get(held), (now) => now.folding),
      /** Why the provider must be ended, if it must. */
      trouble: Effect.map(Ref.get(held), (now) => now.trouble),
      /** Set once another process owns the run. */
      fenced: Effect.map(Ref.get(held), (now) => now.fenced)
    }
  })
