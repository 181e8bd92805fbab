import { CheckpointStore, Checkpoints, RunEvent, Scope, WaitForReset } from "@alluka/core"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { exited, named, type Scripted } from "./scriptedProvider.js"
import { begin, inWorld } from "./world.js"

/** A run that hit its usage limit, which resets after `ms`. */
const limited = (cwd: string, script: Scripted, ms: number) =>
  Effect.gen(function* () {
    const run = yield* begin(cwd)
    const provider = yield* script.next
    const conversation = provider.request.conversation
    yield* provider.say(
      named(conversation._tag === "New" ? (conversation.id ?? "") : ""),
      RunEvent.RunEvent.Failed({
        failure: {
          code: "usage_limit",
          text: "limit",
          resetsAt: Date.now() + ms - WaitForReset.marginMs,
          status: 429,
          lostSession: null
        }
      }),
      exited(1)
    )
    return yield* run.outcome
  })

const silent = { tell: () => Effect.void, left: () => Effect.void }

describe("waiting for a reset", () => {
  it.live("ends with the reset, and is told in the timeline", () =>
    inWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        const checkpoint = yield* limited(cwd, script, 800)
        expect(yield* WaitForReset.waitForReset(Scope.operator, checkpoint, silent)).toBe("reset")
        const checkpoints = yield* Checkpoints.Checkpoints
        const timeline = yield* checkpoints.timeline(Scope.operator, checkpoint.id)
        expect(timeline.at(-1)?.kind).toBe("waiting_for_reset")
        expect(script.started).toHaveLength(1)
      })
    )
  )

  it.live("can be cancelled from elsewhere; the checkpoint stays as it is", () =>
    inWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        const checkpoint = yield* limited(cwd, script, 60_000)
        const waiting = yield* Effect.fork(WaitForReset.waitForReset(Scope.operator, checkpoint, silent))
        yield* Effect.sleep(100)
        const checkpoints = yield* Checkpoints.Checkpoints
        yield* checkpoints.cancel(Scope.operator, checkpoint.id, "ada")
        expect(yield* Fiber.join(waiting)).toBe("cancelled")
        expect(yield* checkpoints.get(Scope.operator, checkpoint.id)).toMatchObject({
          state: "interrupted",
          reason: { code: "usage_limit" }
        })
      })
    )
  )

  it.live("ends when the checkpoint is gone", () =>
    inWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        const checkpoint = yield* limited(cwd, script, 60_000)
        const waiting = yield* Effect.fork(WaitForReset.waitForReset(Scope.operator, checkpoint, silent))
        yield* Effect.sleep(100)
        const store = yield* CheckpointStore.CheckpointStore
        yield* store.remove([checkpoint.id], Date.now())
        expect(yield* Fiber.join(waiting)).toBe("superseded")
      })
    )
  )

  it("waits for nothing that is not a known reset within the bound", () => {
    const reason = (resetsAt: number | null) => ({ reason: { ...limit, resetsAt } })
    const limit = {
      code: "usage_limit" as const,
      message: "",
      detail: null,
      resetsAt: null,
      resetsAtSource: null,
      exitCode: null,
      signal: null,
      providerText: null,
      truncated: false
    }
    expect(WaitForReset.waitUntil(reason(null), 0)).toBeNull()
    expect(WaitForReset.waitUntil({ reason: null }, 0)).toBeNull()
    expect(WaitForReset.waitUntil({ reason: { ...limit, code: "stalled", resetsAt: 5 } }, 0)).toBeNull()
    expect(WaitForReset.waitUntil(reason(WaitForReset.maxWaitMs * 2), 0)).toBeNull()
    expect(WaitForReset.waitUntil(reason(1000), 0)).toBe(1000 + WaitForReset.marginMs)
    expect(WaitForReset.waitUntil(reason(1000), 10_000_000)).toBe(10_000_000)
  })
})
