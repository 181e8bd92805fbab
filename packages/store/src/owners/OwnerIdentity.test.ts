import * as Fs from "node:fs"
import { CheckpointStore, Ids, OwnerIdentity } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openHome } from "../connection/home.js"
import { share } from "../connection/registry.js"
import { readStat } from "../host/proc.js"
import { migrations } from "../migrations/index.js"
import { StoreInfo } from "../StoreInfo.js"
import { type Child, startChild } from "../support/child.js"
import { createRunning, newDraft, newEvent, onNewStore } from "../support/fixtures.js"
import { sweep, sweepLimit, youngMs } from "./sweep.js"

const onLinux = process.platform === "linux"

/** The record of the child's owner, as the store has it. */
const recordOf = (child: Child) =>
  Effect.gen(function* () {
    const store = yield* CheckpointStore.CheckpointStore
    const found = (yield* store.runningOwners).find(({ owner }) => owner.pid === child.pid)
    assert.isDefined(found)
    return found?.owner ?? (yield* Effect.die("no such owner"))
  })

const startOwner = Effect.flatMap(StoreInfo, ({ home }) =>
  Effect.gen(function* () {
    const child = yield* startChild("owner", [home])
    yield* child.line
    return { child, owner: yield* recordOf(child) }
  })
)

const probe = (owner: OwnerIdentity.OwnerRecord) =>
  Effect.flatMap(OwnerIdentity.OwnerIdentity, (owners) =>
    Effect.map(owners.probe(owner), (liveness) => (liveness._tag === "Dead" ? liveness.cause : liveness._tag))
  )

const kill = (child: Child) =>
  Effect.zipRight(
    Effect.sync(() => child.process.kill("SIGKILL")),
    child.end
  )

const lockFile = (owner: OwnerIdentity.OwnerRecord) =>
  Effect.map(StoreInfo, ({ home }) => `${home}/owners/${owner.id}.lock`)

/** Stores open at the same time as a test would be one process: each gets its scope. */
const scoped = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  onNewStore(Effect.scoped(program as Effect.Effect<A, E, R>))

describe("this process as an owner", () => {
  it.effect("is one, however often it is asked", () =>
    onNewStore(
      Effect.gen(function* () {
        const owners = yield* OwnerIdentity.OwnerIdentity
        const [first, second] = yield* Effect.all([owners.self, owners.self], { concurrency: "unbounded" })
        assert.deepStrictEqual(first, second)
        assert.strictEqual(first.pid, process.pid)
        if (onLinux) assert.strictEqual(first.pidStart, readStat("self")?.start)
        assert.strictEqual(yield* probe(first), "Alive")
        assert.strictEqual(Fs.statSync(yield* lockFile(first)).mode & 0o777, 0o600)
      })
    )
  )

  it.live("is seen alive by others, also after it probed itself and others", () =>
    scoped(
      Effect.gen(function* () {
        const { child, owner } = yield* startOwner
        const run = yield* createRunning()
        const self = yield* (yield* OwnerIdentity.OwnerIdentity).self
        assert.strictEqual(yield* probe(self), "Alive")
        assert.strictEqual(yield* probe(owner), "Alive")
        const { home } = yield* StoreInfo
        const reader = yield* startChild("reader", [home])
        yield* reader.line
        reader.say("reconcile")
        assert.strictEqual(yield* reader.line, "ended 0")
        yield* kill(child)
        reader.say("reconcile")
        assert.strictEqual(yield* reader.line, "ended 1")
        const store = yield* CheckpointStore.CheckpointStore
        const found = yield* store.get(run.id)
        assert.isTrue(found._tag === "Some" && found.value.state === "running")
      })
    )
  )

  it.effect("becomes another owner if its lock file is deleted, and is both", () =>
    onNewStore(
      Effect.gen(function* () {
        const owners = yield* OwnerIdentity.OwnerIdentity
        const first = yield* owners.self
        Fs.rmSync(yield* lockFile(first))
        const second = yield* owners.self
        assert.notStrictEqual(second.id, first.id)
        assert.strictEqual(yield* probe(first), "Alive")
        assert.strictEqual(yield* probe(second), "Alive")
      })
    )
  )

  it.effect("owns nothing where it can leave no proof of life", () =>
    onNewStore(
      Effect.gen(function* () {
        const { home } = yield* StoreInfo
        Fs.writeFileSync(`${home}/owners`, "in the way")
        const error = yield* Effect.flip((yield* OwnerIdentity.OwnerIdentity).self)
        assert.include(error.message, `${home}/owners/own_`)
      })
    )
  )
})

describe("other processes as owners", () => {
  it.live("are dead once they are killed, and not before: a frozen one is alive", () =>
    scoped(
      Effect.gen(function* () {
        const { child, owner } = yield* startOwner
        assert.strictEqual(yield* probe(owner), "Alive")
        child.process.kill("SIGSTOP")
        yield* Effect.sleep("100 millis")
        assert.strictEqual(yield* probe(owner), "Alive")
        child.process.kill("SIGCONT")
        yield* kill(child)
        assert.strictEqual(yield* probe(owner), "owner_lost")
        assert.strictEqual(yield* probe({ ...owner, bootId: "another boot" }), "host_restarted")
      })
    )
  )

  it.live.skipIf(!onLinux)(
    "without a lock file are told by their process, and a recycled number is no proof of life",
    () =>
      scoped(
        Effect.gen(function* () {
          const { child, owner } = yield* startOwner
          Fs.rmSync(yield* lockFile(owner))
          assert.strictEqual(yield* probe(owner), "Unknown")
          // The number is this test's own, and so alive; the start says that it is another process.
          assert.strictEqual(yield* probe({ ...owner, pid: process.pid, pidStart: "1" }), "owner_lost")
          assert.strictEqual(yield* probe({ ...owner, host: "another machine" }), "Unknown")
          assert.strictEqual(yield* probe({ ...owner, pidNamespace: "pid:[0]" }), "Unknown")
          assert.strictEqual(yield* probe({ ...owner, bootId: "another boot" }), "host_restarted")
          yield* kill(child)
          assert.strictEqual(yield* probe(owner), "owner_lost")
          assert.strictEqual(yield* probe({ ...owner, pid: 1, pidStart: "none of its" }), "owner_lost")
        })
      )
  )

  it.effect("a lock file that is no lock file proves nothing", () =>
    onNewStore(
      Effect.gen(function* () {
        const self = yield* (yield* OwnerIdentity.OwnerIdentity).self
        const other = { ...self, id: Ids.OwnerId.make("own_000000000000") }
        Fs.writeFileSync(yield* lockFile(other), "something else entirely\n".repeat(40))
        assert.strictEqual(yield* probe(other), "Unknown")
      })
    )
  )

  it.effect("asking creates no file", () =>
    onNewStore(
      Effect.gen(function* () {
        const self = yield* (yield* OwnerIdentity.OwnerIdentity).self
        const other = { ...self, id: Ids.OwnerId.make("own_000000000000") }
        yield* probe(other)
        assert.isFalse(Fs.existsSync(yield* lockFile(other)))
      })
    )
  )
})

describe("sweeping lock files", () => {
  it.live("removes those of dead owners without running checkpoints, and no others", () =>
    scoped(
      Effect.gen(function* () {
        const info = yield* StoreInfo
        const database = yield* share(yield* openHome(info.home), migrations)
        const store = yield* CheckpointStore.CheckpointStore
        const owners = yield* OwnerIdentity.OwnerIdentity
        const self = yield* owners.self
        const dead = yield* startOwner
        const needed = yield* startOwner
        const alive = yield* startOwner
        const [run] = yield* store.running({ folder: "/work/a" })
        assert.isDefined(run)
        yield* kill(dead.child)
        yield* kill(needed.child)
        yield* store.reconcile([{ id: dead.owner.id, cause: "owner_lost" }], 1, 500)
        yield* store.create(yield* newDraft(), self, newEvent("created"))
        Fs.writeFileSync(`${info.home}/owners/notes.txt`, "not ours")
        const swept = (later: number) => sweep(database, new Set([self.id]), Date.now() + later)
        // A file this young may not be locked yet.
        assert.deepStrictEqual(yield* swept(0), [])
        assert.deepStrictEqual(yield* swept(youngMs * 2), [dead.owner.id])
        const left = Fs.readdirSync(`${info.home}/owners`).sort()
        const kept = [self, needed.owner, alive.owner].map(({ id }) => `${id}.lock`)
        assert.deepStrictEqual(left, [...kept, "notes.txt"].sort())
        assert.strictEqual(yield* probe(alive.owner), "Alive")
      })
    )
  )

  it.effect("looks at a few dozen at a time", () =>
    onNewStore(
      Effect.scoped(
        Effect.gen(function* () {
          const info = yield* StoreInfo
          const database = yield* share(yield* openHome(info.home), migrations)
          const self = yield* (yield* OwnerIdentity.OwnerIdentity).self
          for (let n = 0; n < sweepLimit * 2; n++) {
            Fs.writeFileSync(`${info.home}/owners/own_${String(n).padStart(12, "0")}.lock`, "")
          }
          const swept = yield* sweep(database, new Set([self.id]), Date.now() + youngMs * 2)
          assert.isAtLeast(swept.length, sweepLimit - 1)
          assert.isAtMost(swept.length, sweepLimit)
        })
      )
    )
  )
})
