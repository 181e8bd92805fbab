import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { pauseMs, whileBusy } from "./busy.js"

const busy = Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" })
const wait = (waitMs: number) => ({ operation: "Test.op", path: "/x/alluka.db", waitMs })

/** Turns away the first `times` attempts. */
const lockedFor = (times: number) => {
  let attempts = 0
  return Effect.suspend(() => (++attempts > times ? Effect.succeed(attempts) : Effect.fail(busy)))
}

describe("waiting for a locked database", () => {
  it.effect("goes on as soon as the lock is free", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(whileBusy(wait(10_000), lockedFor(5)))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), 6)
    })
  )

  it.effect("gives up after the bound, and says how long it waited", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(Effect.flip(whileBusy(wait(500), lockedFor(Number.POSITIVE_INFINITY))))
      yield* TestClock.adjust("1 second")
      const error = yield* Fiber.join(fiber)
      assert.isTrue("_tag" in error && error._tag === "StoreLocked")
      assert.include(error.message, "/x/alluka.db stayed locked by another process for 0.5 s")
    })
  )

  it.effect("without a bound it waits for as long as the process lives", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.fork(whileBusy(wait(Number.POSITIVE_INFINITY), lockedFor(300)))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(fiber), 301)
    })
  )

  it.effect("any other failure is not waited for", () =>
    Effect.gen(function* () {
      const full = Object.assign(new Error("disk full"), { code: "SQLITE_FULL" })
      assert.strictEqual(yield* Effect.flip(whileBusy(wait(10_000), Effect.fail(full))), full)
    })
  )

  it.effect("can be interrupted between two attempts", () =>
    Effect.gen(function* () {
      const waiting = Effect.uninterruptibleMask((restore) =>
        whileBusy(wait(Number.POSITIVE_INFINITY), lockedFor(Number.POSITIVE_INFINITY), restore)
      )
      const fiber = yield* Effect.fork(waiting)
      yield* TestClock.adjust("1 second")
      assert.isTrue((yield* Fiber.interrupt(fiber))._tag === "Failure")
    })
  )

  it.effect("asks again and again, never after a long pause", () =>
    Effect.gen(function* () {
      const times: Array<number> = []
      const attempt = Effect.flatMap(Clock.currentTimeMillis, (now) => {
        times.push(now)
        return Effect.fail(busy)
      })
      yield* Effect.fork(Effect.exit(whileBusy(wait(Number.POSITIVE_INFINITY), attempt)))
      yield* TestClock.adjust("5 seconds")
      const pauses = times.slice(1).map((time, n) => time - (times[n] ?? 0))
      assert.isAbove(pauses.length, 150)
      assert.isTrue(pauses.every((pause) => pause >= pauseMs[0] && pause <= pauseMs[1]))
    })
  )
})
