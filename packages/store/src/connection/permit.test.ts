import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Permit from "./permit.js"

/** Holds the event loop for longer than it may be held without a turn. */
const slowly = (work: () => void): void => {
  const end = performance.now() + Permit.loopMs * 1.5
  while (performance.now() < end);
  work()
}

/** One turn of the event loop: the permit is free after it. */
const turn = Effect.async<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

describe("the write permit", () => {
  it.effect("lets one at a time through", () =>
    Effect.gen(function* () {
      const permit = Permit.make()
      let inside = 0
      let most = 0
      const work = Permit.withPermit(permit)(
        Effect.gen(function* () {
          inside += 1
          most = Math.max(most, inside)
          yield* Effect.yieldNow()
          inside -= 1
        })
      )
      yield* Effect.all(
        Array.from({ length: 20 }, () => work),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(most, 1)
      yield* turn
      assert.isFalse(permit.taken)
    })
  )

  it.effect("is freed by a failure, a defect and an interruption of its holder", () =>
    Effect.gen(function* () {
      const permit = Permit.make()
      yield* Effect.exit(Permit.withPermit(permit)(Effect.fail("no")))
      yield* Effect.exit(Permit.withPermit(permit)(Effect.die("no")))
      const held = yield* Deferred.make<void>()
      const fiber = yield* Effect.fork(
        Permit.withPermit(permit)(Effect.zipRight(Deferred.succeed(held, undefined), Effect.never))
      )
      yield* Deferred.await(held)
      yield* Fiber.interrupt(fiber)
      yield* turn
      assert.isFalse(permit.taken)
    })
  )

  it.live("is not lost with a bounded waiter that is interrupted in the moment when it is given", () =>
    Effect.gen(function* () {
      const permit = Permit.make()
      const letGo = yield* Deferred.make<void>()
      const holder = yield* Effect.fork(Permit.withPermit(permit)(Deferred.await(letGo)))
      yield* Effect.yieldNow()
      const bounded = Effect.uninterruptibleMask((restore) =>
        Effect.zipRight(
          Permit.take(permit, (waiting) =>
            restore(
              Effect.timeoutFail(Effect.interruptible(waiting), { duration: "10 seconds", onTimeout: () => "late" })
            )
          ),
          Permit.release(permit)
        )
      )
      const waiter = yield* Effect.fork(bounded)
      yield* Effect.sleep("10 millis")
      yield* Fiber.interrupt(holder)
      yield* Fiber.interrupt(waiter)
      yield* turn
      assert.isFalse(permit.taken)
    })
  )

  it.effect("a waiter that is interrupted does not keep the others waiting", () =>
    Effect.gen(function* () {
      const permit = Permit.make()
      const letGo = yield* Deferred.make<void>()
      const holder = yield* Effect.fork(Permit.withPermit(permit)(Deferred.await(letGo)))
      yield* Effect.yieldNow()
      const impatient = yield* Effect.fork(Permit.withPermit(permit)(Effect.void))
      yield* Effect.yieldNow()
      const patient = yield* Effect.fork(Permit.withPermit(permit)(Effect.succeed("mine")))
      yield* Effect.yieldNow()
      assert.strictEqual(permit.waiters.size, 2)
      yield* Fiber.interrupt(impatient)
      yield* Deferred.succeed(letGo, undefined)
      assert.strictEqual(yield* Fiber.join(patient), "mine")
      yield* Fiber.join(holder)
      yield* turn
      assert.isFalse(permit.taken)
    })
  )

  it.effect("is not lost when a waiter is interrupted just when it is its turn", () =>
    Effect.gen(function* () {
      const permit = Permit.make()
      permit.taken = true
      const first = yield* Effect.fork(Permit.withPermit(permit)(Effect.succeed(1)))
      const second = yield* Effect.fork(Permit.withPermit(permit)(Effect.succeed(2)))
      yield* Effect.yieldNow()
      yield* Permit.release(permit)
      const exit = yield* Fiber.interrupt(first)
      assert.isTrue(Exit.isInterrupted(exit))
      assert.strictEqual(yield* Fiber.join(second), 2)
      yield* turn
      assert.isFalse(permit.taken)
    })
  )

  it.effect("goes to whoever came first, and the event loop gets a turn in between", () =>
    Effect.gen(function* () {
      const permit = Permit.make()
      const order: Array<number> = []
      let turns = 0
      const count = () => {
        turns += 1
        timer = setImmediate(count)
      }
      let timer = setImmediate(count)
      yield* Effect.forEach(
        Array.from({ length: 10 }, (_, n) => n),
        (n) =>
          Effect.forEach([0, 1, 2], () =>
            Permit.withPermit(permit)(Effect.promise(async () => slowly(() => order.push(n))))
          ),
        { concurrency: "unbounded" }
      )
      clearImmediate(timer)
      const once = Array.from({ length: 10 }, (_, n) => n)
      assert.deepStrictEqual(order, [...once, ...once, ...once])
      assert.isAtLeast(turns, 20)
    })
  )

  it.effect("keeps quick holders from shutting the event loop out", () =>
    Effect.gen(function* () {
      const permit = Permit.make()
      let turns = 0
      const count = () => {
        turns += 1
        timer = setImmediate(count)
      }
      let timer = setImmediate(count)
      const end = performance.now() + 50 * Permit.loopMs
      const work = Effect.sync(() => performance.now() < end)
      yield* Effect.iterate(true, { while: (more) => more, body: () => Permit.withPermit(permit)(work) })
      clearImmediate(timer)
      assert.isAtLeast(turns, 3)
    })
  )
})
