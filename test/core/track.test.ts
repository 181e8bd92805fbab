import { AppProvider, Checkpoint, Checkpoints, Facts, Provider, Resume, Scope, Track } from "@alluka/core"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { inWorld } from "./world.js"

const spec = (cwd: string): Track.TrackSpec => ({ app: "counter", agent: "default", prompt: "count to ten", cwd })

const newest = Effect.gen(function* () {
  const checkpoints = yield* Checkpoints.Checkpoints
  const page = yield* checkpoints.list(Scope.operator, { ...Checkpoints.everything, attempts: true, limit: 1 })
  return page.items[0] ?? expect.fail("no checkpoint")
})

describe("track", () => {
  it.live("the checkpoint exists before the effect starts; success completes it", () =>
    inWorld({}, ({ cwd }) =>
      Effect.gen(function* () {
        const result = yield* Track.track(Scope.operator, spec(cwd), (tracked) =>
          Effect.gen(function* () {
            expect((yield* newest).state).toBe("running")
            yield* tracked.message("one")
            return 42
          })
        )
        expect(result).toBe(42)
        expect(yield* newest).toMatchObject({ state: "completed", spec: { provider: "app:counter" } })
      })
    )
  )

  it.live("says that a tool is at work until the last of them has answered", () =>
    inWorld({}, ({ cwd }) =>
      Effect.gen(function* () {
        const open = Effect.map(newest, ({ progress }) => progress.position.openTool?.name ?? null)
        const seen = yield* Track.track(Scope.operator, spec(cwd), (tracked) =>
          Effect.gen(function* () {
            yield* tracked.toolStarted("a", "count")
            yield* tracked.toolStarted("b", "sleep")
            const both = yield* open
            yield* tracked.toolFinished("b", true)
            const one = yield* open
            yield* tracked.toolFinished("a", true)
            yield* tracked.message("done")
            return [both, one, yield* open]
          })
        )
        expect(seen).toEqual(["sleep", "count", null])
        expect((yield* newest).progress.position).toMatchObject({ messages: 1, openTool: null })
      })
    )
  )

  it.live("a failure fails it, and is the caller's too", () =>
    inWorld({}, ({ cwd }) =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(Track.track(Scope.operator, spec(cwd), () => Effect.fail("hunter2 is wrong")))
        expect(Exit.isFailure(exit)).toBe(true)
        const checkpoint = yield* newest
        expect(checkpoint).toMatchObject({ state: "failed", reason: { code: "provider_error" } })
        expect(JSON.stringify(checkpoint)).not.toContain("hunter2")
      })
    )
  )

  it.live("interruption is a shutdown, a stored cancel is a cancel", () =>
    inWorld({}, ({ cwd }) =>
      Effect.gen(function* () {
        const first = yield* Effect.fork(Track.track(Scope.operator, spec(cwd), () => Effect.never))
        yield* Effect.sleep(200)
        yield* Fiber.interrupt(first)
        expect(yield* newest).toMatchObject({ state: "interrupted", reason: { code: "shutdown" } })
        const second = yield* Effect.fork(Track.track(Scope.operator, spec(cwd), () => Effect.never))
        yield* Effect.sleep(200)
        const checkpoints = yield* Checkpoints.Checkpoints
        yield* checkpoints.cancel(Scope.operator, (yield* newest).id, "ada")
        yield* Fiber.await(second)
        expect(yield* newest).toMatchObject({ state: "cancelled", reason: { code: "cancelled_by_user" } })
      })
    )
  )

  it.live("only the app goes on with its run; elsewhere it is named", () =>
    inWorld({}, ({ cwd }) =>
      Effect.gen(function* () {
        const run = yield* Effect.fork(
          Track.track(Scope.operator, spec(cwd), (tracked) => Effect.zipRight(tracked.message("three"), Effect.never))
        )
        yield* Effect.sleep(300)
        yield* Fiber.interrupt(run)
        const source = yield* newest
        const elsewhere = yield* Resume.Resume
        expect(yield* elsewhere.preview(Scope.operator, source.id)).toMatchObject({
          reason: "unsupported_provider",
          detail: 'This run belongs to the app "counter"; only that app can resume it.'
        })

        const inApp = (provider: Provider.Provider) => {
          const providers = {
            all: [provider],
            find: (id: string) => (id === provider.id ? Option.some(provider) : Option.none())
          }
          return Effect.provide(
            Layer.fresh(Resume.layer()).pipe(Layer.provide(Layer.succeed(Provider.Providers, providers)))
          )
        }
        const preview = Effect.flatMap(Resume.Resume, (resume) => resume.preview(Scope.operator, source.id))
        expect(yield* inApp(AppProvider.appProvider({ app: "counter" }))(preview)).toMatchObject({
          reason: "fresh_start_requires_confirmation",
          cause: "continuation_unsupported"
        })

        const keys: Array<string> = []
        const resumed = yield* inApp(
          AppProvider.appProvider({
            app: "counter",
            resume: ({ key }, tell) =>
              Effect.zipRight(
                Effect.sync(() => keys.push(key)),
                tell.message("four")
              )
          })
        )(
          Effect.flatMap(Resume.Resume, (resume) =>
            resume.execute(Scope.operator, source.id, {
              request: Facts.plainRequest,
              limits: { timeoutMs: null, idleMs: null }
            })
          )
        )
        const live = resumed._tag === "Started" ? resumed.run : expect.fail(resumed.decision.reason)
        const ended = yield* live.outcome
        expect(ended).toMatchObject({ state: "completed", attempt: 2, resumedFrom: source.id })
        expect(keys).toEqual([Checkpoint.currentPhase(source.progress).providerSession?.id])
      })
    )
  )
})
