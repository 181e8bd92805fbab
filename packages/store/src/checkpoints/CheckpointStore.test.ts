import { CheckpointStore, Checkpoints, Ids, OwnerIdentity, Scope } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { StoreInfo } from "../StoreInfo.js"
import {
  at,
  createEnded,
  createRunning,
  endAs,
  newDraft,
  newEvent,
  noProgress,
  onNewStore,
  plant,
  reasonOf,
  resumeDraft
} from "../support/fixtures.js"

const { everything } = Checkpoints

/** Progress of this process's run. */
const advance = (
  run: {
    readonly id: Ids.CheckpointId
    readonly owner: { readonly id: Ids.OwnerId }
    readonly taskId?: string | null
  },
  changes: Partial<CheckpointStore.OwnerWrite> = {}
) =>
  Effect.flatMap(CheckpointStore.CheckpointStore, (store) =>
    store.progress({
      id: run.id,
      owner: run.owner.id,
      taskId: run.taskId ?? null,
      progress: noProgress(),
      at: at + 1,
      events: [],
      durability: "normal",
      confirmsResumeOf: null,
      ...changes
    })
  )

const find = (id: Ids.CheckpointId) =>
  Effect.flatMap(CheckpointStore.CheckpointStore, (store) => Effect.map(store.get(id), Option.getOrThrow))

const claim = (
  draft: CheckpointStore.Draft,
  eligible: Parameters<CheckpointStore.CheckpointStore["Type"]["claim"]>[2]
) =>
  Effect.gen(function* () {
    const store = yield* CheckpointStore.CheckpointStore
    const owner = yield* (yield* OwnerIdentity.OwnerIdentity).self
    return yield* store.claim(draft, owner, eligible, newEvent("created"))
  })

const tips = Effect.flatMap(CheckpointStore.CheckpointStore, (store) =>
  Effect.map(store.list(Scope.operator, everything), ({ items }) => items.map(({ id }) => id))
)

describe("creating", () => {
  it.effect("answers with what is stored, and its number is that of its first event", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const first = yield* createRunning({ labels: { team: "attic" }, key: "nightly", taskId: "T-0001" })
        const second = yield* createRunning()
        assert.deepStrictEqual(yield* find(first.id), first)
        assert.deepStrictEqual([first.seq, second.seq], [1, 2])
        const [event] = yield* store.events(first.id, 0, 10)
        assert.deepInclude(event, { seq: 1, kind: "created", checkpointId: first.id, taskId: "T-0001" })
        assert.isTrue(Option.isNone(yield* store.get(Ids.CheckpointId.make("ckpt_000000000000"))))
      })
    )
  )

  it.effect("is refused where another run is in the way, and says which", () =>
    onNewStore(
      Effect.gen(function* () {
        const holder = yield* createRunning({ key: "nightly", progress: noProgress("claude", "session-1") })
        const refused = (changes: Partial<CheckpointStore.Draft>) =>
          Effect.map(Effect.flip(createRunning(changes)), (error) => {
            assert(error._tag === "Conflict")
            assert.strictEqual(error.holder, holder.id)
            return error.on
          })
        assert.strictEqual(yield* refused({ sessionId: holder.sessionId }), "session")
        assert.strictEqual(yield* refused({ key: "nightly" }), "key")
        assert.strictEqual(yield* refused({ progress: noProgress("claude", "session-1") }), "provider_session")
        assert.strictEqual(yield* refused({ id: holder.id, rootId: Ids.CheckpointId.make("ckpt_000000000000") }), "id")
        assert.strictEqual(yield* refused({ rootId: holder.rootId }), "lineage")
        // The same session id of another provider is another session.
        yield* createRunning({ progress: noProgress("codex", "session-1") })
        const store = yield* CheckpointStore.CheckpointStore
        assert.strictEqual((yield* store.counts(Scope.operator)).running, 2)
        assert.strictEqual(yield* store.latestSeq, 2)
      })
    )
  )

  it.effect("a key is held by a live or completed run, and free again after any other end", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const first = yield* createRunning({ key: "k" })
        assert.deepStrictEqual(
          Option.map(yield* store.byKey("k"), ({ id }) => id),
          Option.some(first.id)
        )
        yield* endAs(first, "interrupted", "shutdown")
        assert.isTrue(Option.isNone(yield* store.byKey("k")))
        const second = yield* createRunning({ key: "k" })
        yield* endAs(second, "completed")
        assert.deepStrictEqual(
          Option.map(yield* store.byKey("k"), ({ id }) => id),
          Option.some(second.id)
        )
        const error = yield* Effect.flip(createRunning({ key: "k" }))
        assert.isTrue(error._tag === "Conflict" && error.on === "key")
      })
    )
  )

  it.effect("the conversations of running and ended runs are known, those of other providers are not", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const run = yield* createRunning({ progress: noProgress("claude", "s-1") })
        yield* endAs(run, "completed")
        yield* createRunning({ progress: noProgress("claude", "s-2") })
        const known = (provider: string, ...ids: ReadonlyArray<string>) =>
          Effect.map(store.knownConversations(provider, ids), (found) => [...found].sort())
        assert.deepStrictEqual(yield* known("claude", "s-1", "s-2", "s-3"), ["s-1", "s-2"])
        assert.deepStrictEqual(yield* known("codex", "s-1"), [])
        assert.deepStrictEqual(yield* known("claude"), [])
      })
    )
  )

  it.effect("a session goes on after a run of it has ended", () =>
    onNewStore(
      Effect.gen(function* () {
        const first = yield* createEnded("completed")
        const second = yield* createRunning({ sessionId: first.sessionId })
        assert.deepStrictEqual(yield* tips, [second.id, first.id])
      })
    )
  )
})

describe("the owner's writes", () => {
  it.effect("store progress and its events, numbered in order", () =>
    onNewStore(
      Effect.gen(function* () {
        const run = yield* createRunning({ taskId: "T-1" })
        const progress = { ...noProgress("demo", "s-1"), denied: 3 }
        const events = yield* advance(run, {
          progress,
          at: at + 5,
          events: [newEvent("message", "one"), newEvent("tool_started", "two")],
          durability: "full"
        })
        assert.deepStrictEqual(
          events.map(({ seq, message, taskId }) => [seq, message, taskId]),
          [
            [2, "one", "T-1"],
            [3, "two", "T-1"]
          ]
        )
        const found = yield* find(run.id)
        assert.deepStrictEqual(found.progress, progress)
        assert.strictEqual(found.updatedAt, at + 5)
        const store = yield* CheckpointStore.CheckpointStore
        assert.deepStrictEqual(yield* store.eventsAfter(1, 10), events)
      })
    )
  )

  it.effect("end the run once; then, and for anybody else, they are fenced and change nothing", () =>
    onNewStore(
      Effect.gen(function* () {
        const run = yield* createRunning()
        const stranger = Ids.OwnerId.make("own_000000000000")
        assert.strictEqual((yield* Effect.flip(advance({ id: run.id, owner: { id: stranger } })))._tag, "Fenced")
        yield* endAs(run, "failed", "auth_required")
        const ended = yield* find(run.id)
        assert.deepInclude(ended, { state: "failed", endedAt: at + 1000, reason: reasonOf("auth_required") })
        const store = yield* CheckpointStore.CheckpointStore
        const seq = yield* store.latestSeq
        assert.strictEqual((yield* Effect.flip(advance(run, { events: [newEvent("message")] })))._tag, "Fenced")
        assert.strictEqual((yield* Effect.flip(endAs(run, "completed")))._tag, "Fenced")
        assert.deepStrictEqual(yield* find(run.id), ended)
        assert.strictEqual(yield* store.latestSeq, seq)
        const nobody = Ids.CheckpointId.make("ckpt_000000000000")
        assert.strictEqual((yield* Effect.flip(advance({ id: nobody, owner: run.owner })))._tag, "Fenced")
      })
    )
  )

  it.effect("a provider session that another running checkpoint holds is a conflict, and nothing is written", () =>
    onNewStore(
      Effect.gen(function* () {
        const holder = yield* createRunning({ progress: noProgress("claude", "s-1") })
        const run = yield* createRunning({ progress: noProgress("claude") })
        const error = yield* Effect.flip(
          advance(run, { progress: noProgress("claude", "s-1"), events: [newEvent("provider_session")] })
        )
        assert.deepInclude(error, { _tag: "Conflict", on: "provider_session", holder: holder.id })
        assert.deepStrictEqual((yield* find(run.id)).progress, run.progress)
        // The run can still be ended, with the id that it saw.
        const store = yield* CheckpointStore.CheckpointStore
        yield* store.end({
          id: run.id,
          owner: run.owner.id,
          taskId: null,
          progress: noProgress("claude", "s-1"),
          at,
          endedAt: at,
          state: "failed",
          reason: reasonOf("session_mismatch"),
          events: [],
          confirmsResumeOf: null
        })
        assert.strictEqual((yield* find(run.id)).state, "failed")
      })
    )
  )
})

describe("resuming", () => {
  it.effect("a claim makes an attempt; the source stays the tip until the conversation was reached", () =>
    onNewStore(
      Effect.gen(function* () {
        const source = yield* createEnded("interrupted")
        const draft = yield* resumeDraft(source, { progress: noProgress("demo", "s-1") })
        const attempt = Option.getOrThrow(yield* claim(draft, ["interrupted", "failed"]))
        assert.deepStrictEqual(yield* find(attempt.id), attempt)
        assert.deepInclude(attempt, { rootId: source.id, resumedFrom: source.id, attempt: 2, state: "running" })
        assert.isNull((yield* find(source.id)).resumedBy)
        // Both are shown: what was just started, and what is left if it comes to nothing.
        assert.deepStrictEqual(yield* tips, [attempt.id, source.id])

        yield* advance(attempt, { confirmsResumeOf: source.id, progress: draft.progress })
        assert.strictEqual((yield* find(source.id)).resumedBy, attempt.id)
        assert.deepStrictEqual(yield* tips, [attempt.id])
        // Once more changes nothing.
        yield* advance(attempt, { confirmsResumeOf: source.id, progress: draft.progress })
        yield* endAs(attempt, "interrupted", "shutdown")
        assert.deepStrictEqual(yield* tips, [attempt.id])
        const store = yield* CheckpointStore.CheckpointStore
        assert.deepStrictEqual(
          (yield* store.lineage(source.rootId)).map(({ id }) => id),
          [source.id, attempt.id]
        )
      })
    )
  )

  it.effect("an attempt that was turned away before that leaves its source as the tip", () =>
    onNewStore(
      Effect.gen(function* () {
        const source = yield* createEnded("failed", {}, "provider_error")
        const attempt = Option.getOrThrow(yield* claim(yield* resumeDraft(source), ["failed"]))
        yield* endAs(attempt, "failed", "provider_session_missing")
        assert.deepStrictEqual(yield* tips, [source.id])
        // It is no tip, so nothing can be resumed from it; its source can.
        assert.isTrue(Option.isNone(yield* claim(yield* resumeDraft(attempt), ["failed"])))
        assert.isTrue(Option.isSome(yield* claim(yield* resumeDraft(source), ["failed"])))
      })
    )
  )

  it.effect("is lost where the source is not eligible, superseded, running again, or gone", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const lost = (source: Effect.Effect.Success<ReturnType<typeof createRunning>>) =>
          Effect.gen(function* () {
            const before = yield* store.latestSeq
            const claimed = yield* claim(yield* resumeDraft(source), ["interrupted", "failed"])
            assert.isTrue(Option.isNone(claimed))
            assert.strictEqual(yield* store.latestSeq, before)
          })
        yield* lost(yield* createEnded("completed"))
        yield* lost(yield* createEnded("cancelled", {}, "cancelled_by_user"))
        yield* lost(yield* createRunning())
        const source = yield* createEnded("interrupted")
        const attempt = Option.getOrThrow(yield* claim(yield* resumeDraft(source), ["interrupted"]))
        yield* lost(source)
        yield* advance(attempt, { confirmsResumeOf: source.id })
        yield* endAs(attempt, "interrupted", "shutdown")
        yield* lost(source)
        const removed = yield* createEnded("interrupted")
        yield* store.remove([removed.id], at)
        yield* lost(removed)
        // Somebody else works in its session, or in its conversation.
        const busy = yield* createEnded("interrupted", { progress: noProgress("claude", "s-9") })
        const inSession = yield* createRunning({ sessionId: busy.sessionId })
        yield* lost(busy)
        yield* endAs(inSession, "completed")
        yield* createRunning({ progress: noProgress("claude", "s-9") })
        const draft = yield* resumeDraft(busy, { progress: noProgress("claude", "s-9") })
        assert.isTrue(Option.isNone(yield* claim(draft, ["interrupted"])))
        assert.isTrue(Option.isNone(yield* claim(yield* resumeDraft(busy), [])))
      })
    )
  )

  it.effect("an attempt whose source was removed meanwhile becomes the tip all the same", () =>
    onNewStore(
      Effect.gen(function* () {
        const source = yield* createEnded("interrupted")
        const attempt = Option.getOrThrow(yield* claim(yield* resumeDraft(source), ["interrupted"]))
        const { path } = yield* StoreInfo
        plant(path, (database) => database.prepare("DELETE FROM checkpoint WHERE id = ?").run(source.id))
        yield* advance(attempt, { confirmsResumeOf: source.id })
        yield* endAs(attempt, "interrupted", "shutdown")
        assert.deepStrictEqual(yield* tips, [attempt.id])
      })
    )
  )
})

describe("cancelling", () => {
  it.effect("stores the first wish, for the owner to see, and tells it", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const run = yield* createRunning()
        const wish = { at: at + 7, by: "operator", code: "cancelled_by_user" } as const
        assert.isTrue(Option.isNone(yield* store.cancelRequest(run.id)))
        const updated = Option.getOrThrow(yield* store.requestCancel(run.id, wish))
        assert.deepStrictEqual(updated.cancelRequested, wish)
        yield* store.requestCancel(run.id, { ...wish, code: "cancelled_by_stop" })
        assert.deepStrictEqual(yield* store.cancelRequest(run.id), Option.some(wish))
        const kinds = (yield* store.events(run.id, 0, 10)).map(({ kind }) => kind)
        assert.deepStrictEqual(kinds, ["created", "cancel_requested"])
      })
    )
  )

  it.effect("does nothing to a run that has ended, and says so of one that is not there", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const ended = yield* createEnded("completed")
        const wish = { at, by: "operator", code: "cancelled_by_user" } as const
        assert.deepStrictEqual(yield* store.requestCancel(ended.id, wish), Option.some(ended))
        assert.isTrue(Option.isNone(yield* store.requestCancel(Ids.CheckpointId.make("ckpt_000000000000"), wish)))
      })
    )
  )
})

describe("finding", () => {
  it.effect("ids by the beginning of their random part, newest first, and no pattern is one", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const first = Ids.CheckpointId.make("ckpt_abcd00000000")
        const second = Ids.CheckpointId.make("ckpt_abcd11111111")
        const other = Ids.CheckpointId.make("ckpt_abce00000000")
        yield* Effect.forEach([first, second, other], (id) => createRunning({ id }))
        assert.deepStrictEqual(yield* store.idsWithPrefix("abcd", 10), [second, first])
        assert.deepStrictEqual(yield* store.idsWithPrefix("abcd", 1), [second])
        assert.deepStrictEqual(yield* store.idsWithPrefix("%", 10), [])
        assert.deepStrictEqual(yield* store.idsWithPrefix("a_cd", 10), [])
      })
    )
  )

  it.effect("running ones by session, conversation or folder", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const run = yield* createRunning({ progress: noProgress("claude", "s-1") })
        yield* createEnded("completed")
        const ids = (where: Parameters<typeof store.running>[0]) =>
          Effect.map(store.running(where), (found) => found.map(({ id }) => id))
        assert.deepStrictEqual(yield* ids({ sessionId: run.sessionId }), [run.id])
        assert.deepStrictEqual(yield* ids({ providerSession: { provider: "claude", id: "s-1" } }), [run.id])
        assert.deepStrictEqual(yield* ids({ providerSession: { provider: "codex", id: "s-1" } }), [])
        assert.deepStrictEqual(yield* ids({ folder: "/work/a" }), [run.id])
        assert.deepStrictEqual(yield* ids({ folder: "/work" }), [])
        assert.deepStrictEqual(yield* ids({}), [])
      })
    )
  )

  it.effect("the owners of running ones, with how many they have", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        assert.deepStrictEqual(yield* store.runningOwners, [])
        yield* createRunning()
        yield* createRunning()
        yield* createEnded("completed")
        const self = yield* (yield* OwnerIdentity.OwnerIdentity).self
        assert.deepStrictEqual(yield* store.runningOwners, [{ owner: self, running: 2 }])
      })
    )
  )

  it.effect("a damaged record is said to be damaged, and hides no other", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const { path } = yield* StoreInfo
        const runs = yield* Effect.replicateEffect(createRunning(), 6)
        const spoil = (index: number, sql: string) =>
          plant(path, (database) => database.prepare(`UPDATE checkpoint SET ${sql} WHERE id = ?`).run(runs[index]?.id))
        spoil(0, "progress = '{'")
        spoil(1, "spec = json_set(spec, '$.origin', 'the moon')")
        spoil(2, "progress = json_set(progress, '$.phase', 7)")
        spoil(3, "labels = '[]', session_id = 'nonsense'")
        for (const run of runs.slice(0, 4)) {
          const error = yield* Effect.flip(store.get(run.id))
          assert.isTrue(error._tag === "RecordCorrupt" && error.id === run.id)
        }
        const page = yield* store.list(Scope.operator, everything)
        assert.deepStrictEqual(
          page.items.map(({ id }) => id),
          [runs[5]?.id, runs[4]?.id]
        )
        assert.strictEqual(page.skipped, 4)
        assert.strictEqual((yield* store.running({ folder: "/work/a" })).length, 2)
        // Everything that people can do about it still works, and the others can be searched.
        assert.strictEqual(
          (yield* store.list(Scope.operator, { ...everything, search: "attic", model: "m" })).items.length,
          0
        )
        assert.strictEqual((yield* store.list(Scope.operator, { ...everything, search: "attic" })).items.length, 2)
        for (const run of runs.slice(0, 3)) assert.isTrue(yield* store.dismiss(run.id, at))
      })
    )
  )

  it.effect("a damaged event hides no other", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const { path } = yield* StoreInfo
        const run = yield* createRunning()
        yield* store.note(run.id, [newEvent("notice", "a"), newEvent("notice", "b"), newEvent("notice", "c")])
        plant(path, (database) => database.exec("UPDATE event SET payload = 'x' WHERE seq = 2"))
        plant(path, (database) => database.exec("UPDATE event SET kind = 'unheard of' WHERE seq = 3"))
        assert.deepStrictEqual(
          (yield* store.events(run.id, 0, 10)).map(({ seq }) => seq),
          [1, 4]
        )
        assert.deepStrictEqual(
          (yield* store.eventsAfter(0, 10)).map(({ seq }) => seq),
          [1, 4]
        )
      })
    )
  )
})

describe("tidying", () => {
  it.effect("dismissed runs leave the lists until they are shown again", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const run = yield* createEnded("failed", {}, "provider_error")
        assert.isTrue(yield* store.dismiss(run.id, at))
        assert.isFalse(yield* store.dismiss(run.id, at + 1))
        assert.deepStrictEqual(yield* tips, [])
        assert.strictEqual((yield* store.counts(Scope.operator)).failed, 0)
        assert.strictEqual((yield* find(run.id)).dismissedAt, at)
        assert.isTrue(yield* store.dismiss(run.id, null))
        assert.deepStrictEqual(yield* tips, [run.id])
        assert.isFalse(yield* store.dismiss(Ids.CheckpointId.make("ckpt_000000000000"), at))
        const kinds = (yield* store.events(run.id, 0, 10)).map(({ kind }) => kind)
        assert.deepStrictEqual(kinds, ["created", "state_changed", "dismissed", "dismissed"])
      })
    )
  )

  it.effect("renaming is told once", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const run = yield* createRunning()
        assert.isTrue(yield* store.rename(run.id, "The attic again", at))
        assert.isFalse(yield* store.rename(run.id, "The attic again", at))
        assert.strictEqual((yield* find(run.id)).title, "The attic again")
        assert.deepInclude((yield* store.eventsAfter(1, 10))[0], {
          kind: "renamed",
          payload: { title: "The attic again" }
        })
      })
    )
  )

  it.effect("a tip goes with its whole lineage, another attempt alone, a running lineage not at all", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const source = yield* createEnded("interrupted")
        const failed = Option.getOrThrow(yield* claim(yield* resumeDraft(source), ["interrupted"]))
        assert.deepStrictEqual(yield* store.remove([source.id, failed.id], at), [])
        yield* endAs(failed, "failed", "provider_session_missing")
        const second = Option.getOrThrow(yield* claim(yield* resumeDraft(source), ["interrupted"]))
        yield* advance(second, { confirmsResumeOf: source.id })
        yield* endAs(second, "completed")
        const other = yield* createEnded("completed")
        assert.deepStrictEqual(yield* store.remove([failed.id], at), [failed.id])
        assert.deepStrictEqual(yield* tips, [other.id, second.id])
        assert.deepStrictEqual(yield* store.remove([second.id], at), [source.id, second.id])
        assert.deepStrictEqual(yield* tips, [other.id])
        assert.deepStrictEqual(
          (yield* store.events(source.id, 0, 10)).map(({ kind }) => kind),
          ["removed"]
        )
        assert.strictEqual((yield* store.list(Scope.operator, { ...everything, attempts: true })).items.length, 1)
      })
    )
  )

  it.effect("hundreds are removed in one call", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const runs = yield* Effect.replicateEffect(createEnded("completed"), 450)
        const ids = runs.map(({ id }) => id)
        assert.deepStrictEqual(yield* store.remove([...ids, ...ids], at), ids)
        assert.strictEqual((yield* store.counts(Scope.operator)).completed, 0)
      })
    )
  )

  it.effect("a note is added to a run that is there, ended or not, and to no other", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const ended = yield* createEnded("interrupted", { taskId: "T-7" })
        const [noted] = yield* store.note(ended.id, [newEvent("resume_decision")])
        assert.deepInclude(noted, { taskId: "T-7", kind: "resume_decision" })
        assert.deepStrictEqual(yield* find(ended.id), ended)
        const draft = yield* newDraft()
        assert.deepStrictEqual(yield* store.note(draft.id, [newEvent("notice")]), [])
      })
    )
  )
})
