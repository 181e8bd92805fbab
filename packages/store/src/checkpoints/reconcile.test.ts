import * as Fs from "node:fs"
import { type Checkpoint, CheckpointStore, Ids, Liveness, type OwnerIdentity, Scope } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { StoreInfo } from "../StoreInfo.js"
import {
  allRows,
  at,
  createEnded,
  createRunning,
  newDraft,
  newEvent,
  noProgress,
  onNewStore,
  plant
} from "../support/fixtures.js"

const stranger = (n: number): OwnerIdentity.OwnerRecord => ({
  id: Ids.OwnerId.make(`own_${String(n).padStart(12, "0")}`),
  host: "elsewhere",
  pid: 4000 + n,
  pidStart: "1",
  bootId: "b",
  pidNamespace: null
})

/** A running checkpoint of another owner. */
const createFor = (owner: OwnerIdentity.OwnerRecord, changes: Partial<CheckpointStore.Draft> = {}) =>
  Effect.gen(function* () {
    const store = yield* CheckpointStore.CheckpointStore
    return yield* store.create(yield* newDraft(changes), owner, newEvent("created"))
  })

const activeAt = (lastActivityAt: number): Checkpoint.Progress => ({
  ...noProgress(),
  position: { ...noProgress().position, lastActivityAt }
})

const find = (id: Ids.CheckpointId) =>
  Effect.flatMap(CheckpointStore.CheckpointStore, (store) => Effect.map(store.get(id), Option.getOrThrow))

describe("ending the runs of dead owners", () => {
  it.effect("makes of each what core says, and leaves those of living owners", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const lost = yield* createFor(stranger(1), { progress: activeAt(at + 500), taskId: "T-1" })
        const restarted = yield* createFor(stranger(2))
        const early = yield* createFor(stranger(1), { progress: activeAt(at - 99_000) })
        const wished = yield* createFor(stranger(1))
        const wish = { at: at + 9, by: "operator", code: "cancelled_by_stop" } as const
        yield* store.requestCancel(wished.id, wish)
        const mine = yield* createRunning()
        const ended = yield* createEnded("completed")
        const seq = yield* store.latestSeq

        const dead = [
          { id: stranger(1).id, cause: "owner_lost" },
          { id: stranger(2).id, cause: "host_restarted" }
        ] as const
        const changed = yield* store.reconcile(dead, at + 60_000, 500)
        assert.deepStrictEqual(changed, [lost.id, restarted.id, early.id, wished.id])

        const told = (before: Checkpoint.Checkpoint, cause: Liveness.DeathCause): Checkpoint.Checkpoint => {
          const after = Liveness.afterDeath(before, cause, at + 60_000)
          const phases = after.progress.phases.map((phase) => ({
            ...phase,
            state: after.state === "running" ? phase.state : after.state,
            endedAt: after.endedAt
          }))
          return { ...after, updatedAt: at + 60_000, progress: { ...after.progress, phases } }
        }
        assert.deepStrictEqual(yield* find(lost.id), told(lost, "owner_lost"))
        assert.strictEqual((yield* find(lost.id)).endedAt, at + 500)
        assert.deepStrictEqual(yield* find(restarted.id), told(restarted, "host_restarted"))
        // Never before it began: clocks jump.
        assert.strictEqual((yield* find(early.id)).endedAt, at)
        assert.deepStrictEqual(yield* find(wished.id), told({ ...wished, cancelRequested: wish }, "owner_lost"))
        assert.strictEqual((yield* find(wished.id)).reason?.code, "cancelled_by_stop")
        assert.strictEqual((yield* find(mine.id)).state, "running")
        assert.deepStrictEqual(yield* find(ended.id), ended)

        const events = yield* store.eventsAfter(seq, 10)
        assert.deepStrictEqual(
          events.map(({ checkpointId, kind, timestamp, taskId }) => [checkpointId, kind, timestamp, taskId]),
          changed.map((id) => [id, "state_changed", at + 60_000, id === lost.id ? "T-1" : null])
        )
        assert.deepStrictEqual(events[0]?.payload, { from: "running", to: "interrupted", reason: "owner_lost" })
        assert.strictEqual(events[0]?.message, `interrupted: ${Liveness.deathMessage.owner_lost}`)
        assert.deepInclude(yield* store.counts(Scope.operator), { running: 1, interrupted: 3, cancelled: 1 })
      })
    )
  )

  it.effect("a second time changes no byte", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const { path } = yield* StoreInfo
        yield* createFor(stranger(1))
        const dead = [{ id: stranger(1).id, cause: "owner_lost" }] as const
        assert.strictEqual((yield* store.reconcile(dead, at + 1, 500)).length, 1)
        const tables = ["checkpoint", "event", "owner", "state_count", "sqlite_sequence"]
        const before = tables.map((table) => allRows(path, table))
        const files = () => ["", "-wal"].map((suffix) => Fs.readFileSync(`${path}${suffix}`).toString("base64"))
        const bytes = files()
        assert.deepStrictEqual(yield* store.reconcile(dead, at + 2, 500), [])
        assert.deepStrictEqual(yield* store.reconcile([], at + 2, 500), [])
        assert.deepStrictEqual(
          tables.map((table) => allRows(path, table)),
          before
        )
        assert.deepStrictEqual(files(), bytes)
      })
    )
  )

  it.effect("rows that a filter hides are ended too, and damaged ones do not keep the others from it", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const { path } = yield* StoreInfo
        const hidden = yield* createFor(stranger(1))
        yield* store.dismiss(hidden.id, at)
        const spoilt = yield* createFor(stranger(1))
        const odd = yield* createFor(stranger(1))
        plant(path, (database) => {
          const set = (sql: string, id: string) => database.prepare(`UPDATE checkpoint SET ${sql} WHERE id = ?`).run(id)
          set("progress = '{', cancel_requested = 'nonsense'", spoilt.id)
          set(`progress = '{"phase": 3, "phases": "none"}'`, odd.id)
        })
        const good = yield* createFor(stranger(1))
        const dead = [{ id: stranger(1).id, cause: "owner_lost" }] as const
        const changed = yield* store.reconcile(dead, at + 1, 500)
        assert.deepStrictEqual(changed, [hidden.id, spoilt.id, odd.id, good.id])
        const states = plant(path, (database) =>
          database.prepare("SELECT state FROM checkpoint ORDER BY seq").pluck().all()
        )
        assert.deepStrictEqual(states, ["interrupted", "cancelled", "interrupted", "interrupted"])
        const contents = plant(path, (database) =>
          database.prepare("SELECT progress FROM checkpoint WHERE id = ?").pluck().get(spoilt.id)
        )
        assert.strictEqual(contents, "{")
      })
    )
  )

  it.effect("ten thousand are ended in one go", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const { path } = yield* StoreInfo
        const model = yield* createFor(stranger(0))
        const owners = Array.from({ length: 100 }, (_, n) => stranger(n))
        plant(path, (database) => {
          const columns = database
            .prepare("SELECT name FROM pragma_table_info('checkpoint')")
            .pluck()
            .all()
            .filter((name) => !["seq", "id", "root_id", "session_id", "owner_id"].includes(String(name)))
            .join(", ")
          database.transaction(() => {
            const owner = database.prepare(
              "INSERT OR IGNORE INTO owner SELECT ?, host, boot_id, pid, pid_start, pid_namespace, started_at, version FROM owner LIMIT 1"
            )
            for (const { id } of owners) owner.run(id)
            const row = database.prepare(
              `INSERT INTO checkpoint (seq, id, root_id, session_id, owner_id, ${columns})
               SELECT ?, ?, ?, ?, ?, ${columns} FROM checkpoint WHERE id = ?`
            )
            for (let n = 2; n <= 10_000; n++) {
              const tail = String(n).padStart(12, "0")
              row.run(n, `ckpt_${tail}`, `ckpt_${tail}`, `ses_${tail}`, owners[n % 100]?.id, model.id)
            }
            database.exec("UPDATE sqlite_sequence SET seq = 10000 WHERE name = 'event'")
          })()
        })
        const dead = owners.map(({ id }) => ({ id, cause: "owner_lost" as const }))
        const changed = yield* store.reconcile(dead, at + 1, 500)
        assert.strictEqual(changed.length, 10_000)
        assert.deepInclude(yield* store.counts(Scope.operator), { running: 0, interrupted: 10_000 })
        assert.strictEqual(yield* store.latestSeq, 20_000)
      })
    )
  )
})
