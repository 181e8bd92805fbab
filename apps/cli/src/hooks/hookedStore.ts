/**
 * `hooks.on_state`: a program that is told of every end of a run by the process that stored it, so that it is told once. It
 * is called after the commit and never holds one up; a hook that fails is a notice of its run.
 */
import { CheckpointStore, Documents, type Event } from "@alluka/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import { stateHook } from "../config/stateHook.js"
import type { LayerOptions } from "../edge.js"
import { jsonLine } from "../output/json.js"
import { callHook } from "./hookProcess.js"

/** Events read at once when the ends of a reconciliation are looked for. */
const pageSize = 1000

/**
 * The store, whose ends are told to the hook. Hooks are called one after the other; closing the layer waits for those of
 * ends that were stored already.
 */
export const hookedStore = ({
  config,
  io,
  output
}: LayerOptions): Layer.Layer<CheckpointStore.CheckpointStore, never, CheckpointStore.CheckpointStore> => {
  const hook = stateHook(config)
  if (hook === null) return Layer.service(CheckpointStore.CheckpointStore)
  return Layer.scoped(
    CheckpointStore.CheckpointStore,
    Effect.gen(function* () {
      const store = yield* CheckpointStore.CheckpointStore
      const ends = yield* Queue.unbounded<Event.StoredEvent | "closing">()

      const call = (event: Event.StoredEvent) =>
        Effect.gen(function* () {
          const failed = yield* callHook({
            ...hook,
            input: jsonLine(Documents.eventLine(event)),
            cwd: io.cwd,
            env: io.env
          })
          if (failed === null) return
          const message = `the hook hooks.on_state ${failed}`
          yield* Effect.promise(() => output.note(`alluka: ${message}`))
          const notice: Event.NewEvent = {
            kind: "notice",
            timestamp: yield* Clock.currentTimeMillis,
            phase: event.phase,
            message: output.redact(message),
            payload: { hook: "on_state", text: output.redact(failed) }
          }
          yield* Effect.ignore(store.note(event.checkpointId, [notice]))
        })
      const work: Effect.Effect<void> = Effect.flatMap(Queue.take(ends), (next) =>
        next === "closing" ? Effect.void : Effect.zipRight(call(next), work)
      )
      const worker = yield* Effect.forkDaemon(work)
      yield* Effect.addFinalizer(() => Effect.zipRight(Queue.offer(ends, "closing"), Fiber.await(worker)))

      const tell = (events: ReadonlyArray<Event.StoredEvent>) =>
        Queue.offerAll(
          ends,
          events.filter(({ kind }) => kind === "state_changed")
        )
      /** Tells the ends of these checkpoints, which were stored after `seq`. */
      const tellAfter = (seq: number, ids: ReadonlySet<string>): Effect.Effect<void, CheckpointStore.StoreFailure> =>
        Effect.flatMap(store.eventsAfter(seq, pageSize), (page) =>
          Effect.zipRight(
            tell(page.filter(({ checkpointId }) => ids.has(checkpointId))),
            page.length < pageSize ? Effect.void : tellAfter(page.at(-1)?.seq ?? seq, ids)
          )
        )
      return {
        ...store,
        end: (write) => Effect.tap(store.end(write), tell),
        reconcile: (dead, at, waitMs) =>
          Effect.gen(function* () {
            const before = yield* store.latestSeq
            const ids = yield* store.reconcile(dead, at, waitMs)
            if (ids.length > 0) yield* Effect.ignore(tellAfter(before, new Set(ids)))
            return ids
          })
      }
    })
  )
}
