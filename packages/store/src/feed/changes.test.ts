import { CheckpointStore, type Event } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { StoreInfo } from "../StoreInfo.js"
import { startChild } from "../support/child.js"
import { createRunning, newEvent, onNewStore, plant, temporaryHome, withStore } from "../support/fixtures.js"

/** Reads until the feed has shown an event with this message, `times` times. */
const until = (after: number, message: string, times = 1) =>
  Effect.flatMap(CheckpointStore.CheckpointStore, (store) => {
    let seen = 0
    return Effect.map(
      Stream.runCollect(
        Stream.takeUntil(store.changes(after), (event) => {
          if (event.message === message) seen += 1
          return seen === times
        })
      ),
      (events): ReadonlyArray<Event.StoredEvent> => Chunk.toReadonlyArray(events)
    )
  })

const seqs = (events: ReadonlyArray<Event.StoredEvent>) => events.map(({ seq }) => seq)
const countingFrom = (first: number, length: number) => Array.from({ length }, (_, n) => first + n)

describe("the feed", () => {
  it.live("begins after the number asked for, with what is there, and goes on with what comes", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const run = yield* createRunning()
        yield* store.note(run.id, [newEvent("notice", "a"), newEvent("notice", "b")])
        const reading = yield* Effect.fork(until(1, "d"))
        yield* Effect.sleep("20 millis")
        yield* store.note(run.id, [newEvent("notice", "c")])
        yield* store.note(run.id, [newEvent("notice", "d")])
        assert.deepStrictEqual(seqs(yield* Fiber.join(reading)), [2, 3, 4, 5])
      })
    )
  )

  it.live("is woken at once by a commit of its own process", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const home = yield* temporaryHome
        const program = Effect.gen(function* () {
          const store = yield* CheckpointStore.CheckpointStore
          const run = yield* createRunning()
          const reading = yield* Effect.fork(until(1, "now"))
          yield* Effect.sleep("100 millis")
          const before = performance.now()
          yield* store.note(run.id, [newEvent("notice", "now")])
          yield* Fiber.join(reading)
          assert.isBelow(performance.now() - before, 1000)
        })
        // It would poll in a minute.
        yield* withStore(home, program, { pollMs: 60_000 })
      })
    )
  )

  it.live("reads thousands of events in pages, without a gap or a repeat", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const run = yield* createRunning()
        const many = Array.from({ length: 1749 }, (_, n) => newEvent("message", n === 1748 ? "last" : "x"))
        yield* store.note(run.id, many)
        assert.deepStrictEqual(seqs(yield* until(0, "last")), countingFrom(1, 1750))
      })
    )
  )

  it.live("shows other processes' commits to every watcher, one of which begins again in the middle", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const home = yield* temporaryHome
        const program = Effect.gen(function* () {
          const writers = yield* Effect.replicateEffect(startChild("writer", [home, "250", "1"]), 2)
          yield* Effect.forEach(writers, (writer) => writer.line)
          const steady = yield* Effect.fork(until(0, "state_changed", 2))
          const restless = yield* Effect.fork(
            Effect.gen(function* () {
              const store = yield* CheckpointStore.CheckpointStore
              const parts: Array<Event.StoredEvent> = []
              for (let part = 0; part < 5; part++) {
                const some = yield* Stream.runCollect(Stream.take(store.changes(parts.at(-1)?.seq ?? 0), 60))
                parts.push(...some)
              }
              return [...parts, ...(yield* until(parts.at(-1)?.seq ?? 0, "state_changed", 2))]
            })
          )
          yield* Effect.sleep("50 millis")
          for (const writer of writers) writer.say("go")
          const all = countingFrom(1, 2 * 252)
          assert.deepStrictEqual(seqs(yield* Fiber.join(steady)), all)
          assert.deepStrictEqual(seqs(yield* Fiber.join(restless)), all)
          for (const writer of writers) assert.strictEqual(yield* writer.line, "done")
        })
        yield* withStore(home, program, { pollMs: 50 })
      })
    )
  )

  it.live("passes over damaged events, and the numbers that were deleted", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const { path } = yield* StoreInfo
        const run = yield* createRunning()
        yield* store.note(
          run.id,
          [..."abcd"].map((letter) => newEvent("notice", letter))
        )
        plant(path, (database) => database.exec("UPDATE event SET payload = '{' WHERE seq IN (1, 3)"))
        plant(path, (database) => database.exec("DELETE FROM event WHERE seq = 4"))
        assert.deepStrictEqual(seqs(yield* until(0, "d")), [2, 5])
      })
    )
  )

  it.live.runIf(process.platform === "linux")("is told by the system of another process's commit", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const home = yield* temporaryHome
        const program = Effect.gen(function* () {
          const writer = yield* startChild("writer", [home, "1", "1"])
          yield* writer.line
          const reading = yield* Effect.fork(until(0, "state_changed"))
          yield* Effect.sleep("50 millis")
          const before = performance.now()
          writer.say("go")
          yield* Fiber.join(reading)
          assert.isBelow(performance.now() - before, 5000)
        })
        // It would poll in a minute.
        yield* withStore(home, program, { pollMs: 60_000 })
      })
    )
  )
})
