import { type Checkpoint, CheckpointStore, Checkpoints, OwnerIdentity, Scope } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { startChild } from "../support/child.js"
import {
  at,
  createEnded,
  createRunning,
  databaseIn,
  endAs,
  newEvent,
  resumeDraft,
  temporaryHome,
  withStore
} from "../support/fixtures.js"

/** Another process that holds the write lock until it is told to let go, or for a time. */
const lock = (home: string, ms?: number) =>
  Effect.tap(startChild("locker", [databaseIn(home), ...(ms === undefined ? [] : [String(ms)])]), (child) => child.line)

describe("a store that another program keeps locked", () => {
  it.live("for a moment: a new run waits for it", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const home = yield* temporaryHome
        yield* withStore(
          home,
          Effect.gen(function* () {
            yield* createRunning()
            yield* lock(home, 1500)
            const [waited, run] = yield* Effect.timed(createRunning())
            assert.strictEqual(run.seq, 2)
            assert.isAbove(Duration.toMillis(waited), 500)
          })
        )
      })
    )
  )

  it.live("for longer than the bound: says so, with the path and the time, and nothing was written", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const home = yield* temporaryHome
        yield* withStore(
          home,
          Effect.gen(function* () {
            const store = yield* CheckpointStore.CheckpointStore
            yield* createRunning()
            const locker = yield* lock(home)
            const [waited, error] = yield* Effect.timed(Effect.flip(createRunning()))
            assert(error._tag === "StoreLocked")
            assert.include(error.message, databaseIn(home))
            assert.isAtLeast(error.waitedMs, 9000)
            assert.isBelow(Duration.toMillis(waited), 15_000)
            // Readers need no write lock.
            assert.strictEqual((yield* store.list(Scope.operator, Checkpoints.everything)).items.length, 1)
            locker.say("let go")
            yield* locker.end
            assert.strictEqual((yield* store.counts(Scope.operator)).running, 1)
            yield* createRunning()
          })
        )
      })
    )
  )

  it.live("a resume that is lost already is told so at once: it needs no lock for that", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const home = yield* temporaryHome
        yield* withStore(
          home,
          Effect.gen(function* () {
            const store = yield* CheckpointStore.CheckpointStore
            const owner = yield* (yield* OwnerIdentity.OwnerIdentity).self
            const claim = (source: Checkpoint.Checkpoint) =>
              Effect.flatMap(resumeDraft(source), (draft) =>
                store.claim(draft, owner, ["interrupted"], newEvent("created"))
              )
            const completed = yield* createEnded("completed")
            const source = yield* createEnded("interrupted")
            assert.isTrue(Option.isSome(yield* claim(source)))
            yield* lock(home)
            for (const lost of [completed, source]) {
              const [waited, claimed] = yield* Effect.timed(claim(lost))
              assert.isTrue(Option.isNone(claimed))
              assert.isBelow(Duration.toMillis(waited), 5000)
            }
          })
        )
      })
    )
  )

  it.live("an end waits for as long as it takes, and keeps its time", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const home = yield* temporaryHome
        yield* withStore(
          home,
          Effect.gen(function* () {
            const store = yield* CheckpointStore.CheckpointStore
            const run = yield* createRunning()
            const locker = yield* lock(home)
            const ending = yield* Effect.fork(endAs(run, "completed"))
            yield* Effect.sleep("11 seconds")
            assert.isNull(
              yield* Fiber.poll(ending).pipe(Effect.map((polled) => (polled._tag === "Some" ? polled.value : null)))
            )
            locker.say("let go")
            yield* Fiber.join(ending)
            const found = yield* store.get(run.id)
            assert.isTrue(
              found._tag === "Some" && found.value.state === "completed" && found.value.endedAt === at + 1000
            )
          })
        )
      })
    )
  )

  it.live("reconciling gives up early, also behind an end that waits", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const home = yield* temporaryHome
        yield* withStore(
          home,
          Effect.gen(function* () {
            const store = yield* CheckpointStore.CheckpointStore
            const run = yield* createRunning()
            const self = yield* (yield* OwnerIdentity.OwnerIdentity).self
            yield* createRunning()
            const locker = yield* lock(home)
            const dead = [{ id: self.id, cause: "owner_lost" }] as const
            const attempt = Effect.timed(Effect.flip(store.reconcile(dead, at, 500)))
            const [alone, first] = yield* attempt
            assert.strictEqual(first._tag, "StoreLocked")
            assert.isBelow(Duration.toMillis(alone), 1500)
            const ending = yield* Effect.fork(endAs(run, "completed"))
            yield* Effect.sleep("50 millis")
            const [behind, second] = yield* attempt
            assert.strictEqual(second._tag, "StoreLocked")
            assert.isBelow(Duration.toMillis(behind), 1500)
            locker.say("let go")
            yield* Fiber.join(ending)
          })
        )
      })
    )
  )

  it.live("waiting can be interrupted, and the next write finds everything as it was", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const home = yield* temporaryHome
        yield* withStore(
          home,
          Effect.gen(function* () {
            const store = yield* CheckpointStore.CheckpointStore
            const run = yield* createRunning()
            const locker = yield* lock(home)
            const ending = yield* Effect.fork(endAs(run, "completed"))
            const noting = yield* Effect.fork(store.note(run.id, [newEvent("notice")]))
            yield* Effect.sleep("300 millis")
            yield* Fiber.interrupt(ending)
            yield* Fiber.interrupt(noting)
            locker.say("let go")
            yield* locker.end
            yield* endAs(run, "interrupted", "shutdown")
            const found = yield* store.get(run.id)
            assert.isTrue(found._tag === "Some" && found.value.state === "interrupted")
          })
        )
      })
    )
  )
})
