import { Checkpoint, CheckpointStore, Checkpoints, type Failure, RunEvent, Scope } from "@alluka/core"
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { exited, named, said } from "./scriptedProvider.js"
import { begin, inWorld } from "./world.js"

const failure = (code: Failure.ProviderFailure["code"], text: string) =>
  RunEvent.RunEvent.Failed({ failure: { code, text, resetsAt: null, status: null, lostSession: null } })
const success = RunEvent.RunEvent.Succeeded({ text: "done" })

const reread = (id: Checkpoint.Checkpoint["id"]) =>
  Effect.flatMap(Checkpoints.Checkpoints, (checkpoints) => checkpoints.get(Scope.operator, id))

/** Waits until the stored checkpoint is as wanted. */
const eventually = (id: Checkpoint.Checkpoint["id"], wanted: (checkpoint: Checkpoint.Checkpoint) => boolean) =>
  reread(id).pipe(
    Effect.delay(20),
    Effect.repeat({ until: wanted }),
    Effect.timeoutFail({ duration: 5000, onTimeout: () => new Error("the checkpoint never got there") })
  )

describe("a run", () => {
  it.live("is committed before the provider is started, and completes by the provider's own word", () =>
    inWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        const run = yield* begin(cwd)
        const committed = yield* reread(run.checkpoint.id)
        expect(committed.state).toBe("running")
        const provider = yield* script.next
        expect(provider.request.checkpointId).toBe(run.checkpoint.id)
        const id = provider.request.conversation._tag === "New" ? provider.request.conversation.id : null
        expect(id).toMatch(/^id-of-ckpt_.*-p0-\d+$/)
        yield* provider.say(named(id ?? ""), said("working"), success, exited(0))
        const ended = yield* run.outcome
        expect(ended.state).toBe("completed")
        const stored = yield* reread(ended.id)
        expect(stored).toMatchObject({ state: "completed", reason: null })
        expect(Checkpoint.currentPhase(stored.progress)).toMatchObject({ state: "completed" })
        expect(stored.progress.position.messages).toBe(1)
      })
    )
  )

  it.live("tells its events in the order of their numbers, ending with the end", () =>
    inWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        const run = yield* begin(cwd)
        const heard = yield* Effect.fork(Stream.runCollect(run.events))
        const provider = yield* script.next
        yield* provider.say(named("wrong-but-first"))
        yield* run.outcome
        const events = Chunk.toReadonlyArray(yield* Fiber.join(heard))
        const seqs = events.map(({ seq }) => seq)
        expect(seqs).toEqual([...seqs].sort((a, b) => a - b))
        expect(events.at(-1)?.kind).toBe("state_changed")
      })
    )
  )

  it.live("that opens another conversation is ended as a mismatch, and keeps the id it had", () =>
    inWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        const run = yield* begin(cwd)
        const provider = yield* script.next
        yield* provider.say(named("another"))
        const ended = yield* run.outcome
        expect(ended.reason?.code).toBe("session_mismatch")
        expect(provider.stops).toEqual(["mismatch"])
        expect(Checkpoint.currentPhase(ended.progress).providerSession?.id).toMatch(/^id-of-/)
      })
    )
  )

  it.live("a provider's id is stored as soon as it is named, and survives every failure", () =>
    inWorld({ chooses: false }, ({ cwd, script }) =>
      Effect.gen(function* () {
        const run = yield* begin(cwd)
        const provider = yield* script.next
        yield* provider.say(named("theirs"))
        yield* eventually(
          run.checkpoint.id,
          (checkpoint) => Checkpoint.currentPhase(checkpoint.progress).providerSession?.id === "theirs"
        )
        yield* provider.say(failure("network_lost", "ECONNRESET"), exited(1))
        const ended = yield* run.outcome
        expect(ended.state).toBe("interrupted")
        expect(Checkpoint.currentPhase((yield* reread(ended.id)).progress).providerSession).toMatchObject({
          id: "theirs",
          assignedBy: "provider"
        })
      })
    )
  )

  it.live("a cancel from elsewhere is stored first, then the provider is told", () =>
    inWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        const run = yield* begin(cwd)
        const provider = yield* script.next
        const checkpoints = yield* Checkpoints.Checkpoints
        yield* checkpoints.cancel(Scope.operator, run.checkpoint.id, "ada")
        const ended = yield* run.outcome
        expect(ended).toMatchObject({
          state: "cancelled",
          reason: { code: "cancelled_by_user", message: "cancelled by ada" }
        })
        expect(provider.stops).toEqual(["cancel"])
      })
    )
  )

  it.live.each([
    ["interrupt", "cancelled", "cancelled_by_user"],
    ["shutdown", "interrupted", "shutdown"],
    ["terminal_closed", "interrupted", "terminal_closed"]
  ] as const)("stopped by us for %s it is %s", ([cause, state, code]) =>
    inWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        const run = yield* begin(cwd)
        yield* script.next
        yield* run.stop(cause)
        const ended = yield* run.outcome
        expect({ state: ended.state, code: ended.reason?.code }).toEqual({ state, code })
      })
    )
  )

  it.live("closing its scope ends it as a shutdown, stored", () =>
    inWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        const id = yield* Effect.scoped(
          Effect.gen(function* () {
            const run = yield* begin(cwd)
            yield* script.next
            return run.checkpoint.id
          })
        )
        expect((yield* reread(id)).reason?.code).toBe("shutdown")
      })
    )
  )

  it.live("that reaches its time limit is timed out", () =>
    inWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        const run = yield* begin(cwd, { limits: { timeoutMs: 600, idleMs: null } })
        yield* script.next
        expect((yield* run.outcome).reason?.code).toBe("timed_out")
      })
    )
  )

  it.live("a provider that never ends after a stop does not hold the end up", () =>
    inWorld({ onStop: () => Effect.void }, ({ cwd, script }) =>
      Effect.gen(function* () {
        const run = yield* begin(cwd)
        yield* script.next
        yield* run.stop("shutdown")
        expect((yield* run.outcome).reason?.code).toBe("shutdown")
      })
    )
  )

  it.live("taken over by another process writes nothing more and ends its provider", () =>
    inWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        const run = yield* begin(cwd)
        const provider = yield* script.next
        const store = yield* CheckpointStore.CheckpointStore
        yield* store.reconcile([{ id: run.checkpoint.owner.id, cause: "owner_lost" }], Date.now(), 500)
        const before = yield* reread(run.checkpoint.id)
        yield* provider.say(RunEvent.RunEvent.ToolStarted({ id: "t", name: "Edit", summary: "" }))
        const outcome = yield* Effect.flip(run.outcome)
        expect(outcome._tag).toBe("Fenced")
        expect(provider.stops).toEqual(["fenced"])
        expect(yield* reread(run.checkpoint.id)).toEqual(before)
      })
    )
  )

  it.live("stores no secret of prompt, title, output, tools or errors", () =>
    inWorld({}, ({ cwd, script }) =>
      Effect.gen(function* () {
        const run = yield* begin(cwd, {
          prompt: "use hunter2 here",
          providerArgs: ["--key=hunter2"],
          labels: { k: "hunter2" }
        })
        const provider = yield* script.next
        expect(provider.request.prompt).toBe("use hunter2 here")
        expect(provider.request.args).toEqual(["--key=hunter2"])
        yield* provider.say(said("hunter2"), failure("provider_error", "hunter2"), exited(1, null, "hunter2"))
        const ended = yield* run.outcome
        const checkpoints = yield* Checkpoints.Checkpoints
        const timeline = yield* checkpoints.timeline(Scope.operator, ended.id)
        const stored = yield* reread(ended.id)
        expect(JSON.stringify([stored, timeline])).not.toContain("hunter2")
        expect(stored.spec).toMatchObject({ promptRedacted: true, providerArgsRedacted: true })
      })
    )
  )
})
