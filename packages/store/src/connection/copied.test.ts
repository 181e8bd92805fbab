import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import { CheckpointStore, Ids, OwnerIdentity, Scope } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Checkpoints from "../checkpoints/CheckpointStore.js"
import { migrations } from "../migrations/index.js"
import { StoreInfo } from "../StoreInfo.js"
import { type Child, startChild } from "../support/child.js"
import { databaseIn, temporaryFolder, temporaryHome, withStore } from "../support/fixtures.js"
import { openHome } from "./home.js"
import { open } from "./open.js"

const asRoot = process.geteuid?.() === 0

/** Root may write anywhere, so as root the reader runs as another user, who owns the folder and may only read it. */
const nobody = 65_534

interface Shown {
  readonly readOnly: boolean
  readonly runs: ReadonlyArray<readonly [string, string, string | null]>
}

const shown = (line: string): Shown => JSON.parse(line)

const giveAway = (folder: string, mode: number): void => {
  if (!asRoot) {
    Fs.chmodSync(folder, mode)
    return
  }
  for (const entry of Fs.readdirSync(folder, { withFileTypes: true, recursive: true })) {
    Fs.chownSync(`${entry.parentPath}/${entry.name}`, nobody, nobody)
  }
  Fs.chownSync(folder, nobody, nobody)
  Fs.chmodSync(folder, mode)
}

const startReader = (home: string) =>
  startChild(
    "reader",
    [home],
    asRoot ? { uid: nobody, gid: nobody, env: { ...process.env, HOME: "/nonexistent" } } : {}
  )

const ask = (child: Child, line: string) =>
  Effect.zipRight(
    Effect.sync(() => child.say(line)),
    child.line
  )

/** Somebody else's files of a moment ago: quiet long enough to be copied at once. */
const settled = Effect.sleep("60 millis")

describe("a store that can only be read", () => {
  it.live("is read, with what its log holds, and nothing is written to it", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        Fs.chmodSync(folder, 0o755)
        const home = `${folder}/home`
        const owner = yield* startChild("owner", [home, "3"])
        const [, first] = (yield* owner.line).split(" ")
        // Killed: its runs are in the log, and it is dead.
        owner.process.kill("SIGKILL")
        yield* owner.end
        giveAway(home, 0o500)
        yield* settled
        const names = Fs.readdirSync(home).sort()
        const before = Fs.readFileSync(databaseIn(home)).toString("base64")
        const log = Fs.readFileSync(`${databaseIn(home)}-wal`).toString("base64")

        const reader = yield* startReader(home)
        const list = shown(yield* reader.line)
        assert.isTrue(list.readOnly)
        assert.deepStrictEqual(
          list.runs.map(([, state]) => state),
          ["running", "running", "running"]
        )
        assert.include(
          list.runs.map(([id]) => id),
          first
        )
        // The ends are told, and told again, without being stored.
        assert.strictEqual(yield* ask(reader, "reconcile"), "ended 3")
        const told = shown(yield* ask(reader, "show"))
        assert.deepStrictEqual(
          told.runs.map(([, state, code]) => [state, code]),
          Array.from({ length: 3 }, () => ["interrupted", "owner_lost"])
        )
        assert.strictEqual(yield* ask(reader, "create"), "failed StoreUnavailable read_only")

        assert.deepStrictEqual(Fs.readdirSync(home).sort(), names)
        assert.strictEqual(Fs.readFileSync(databaseIn(home)).toString("base64"), before)
        assert.strictEqual(Fs.readFileSync(`${databaseIn(home)}-wal`).toString("base64"), log)
        giveAway(home, 0o700)
      })
    )
  )

  it.live("follows what its writer goes on to commit, and keeps telling the ends it found", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const home = `${folder}/home`
        const dead = yield* startChild("owner", [home])
        yield* dead.line
        dead.process.kill("SIGKILL")
        yield* dead.end
        const alive = yield* startChild("owner", [home])
        yield* alive.line
        yield* Effect.scoped(
          Effect.gen(function* () {
            const opened = yield* openHome(home)
            yield* settled
            const database = yield* open({ ...opened, readOnly: true }, migrations)
            const store = Checkpoints.make({ database, version: null, pollMs: 50 })
            const running = yield* store.runningOwners
            assert.strictEqual(running.length, 2)
            const deadOwner = running.find(({ owner }) => owner.pid === dead.pid)?.owner
            assert.isDefined(deadOwner)
            if (deadOwner === undefined) return
            const ended = yield* store.reconcile([{ id: deadOwner.id, cause: "owner_lost" }], Date.now(), 500)
            assert.strictEqual(ended.length, 1)
            assert.strictEqual((yield* store.counts(Scope.operator)).running, 1)
            const another = yield* startChild("owner", [home])
            yield* another.line
            yield* Effect.sleep("300 millis")
            const counts = yield* store.counts(Scope.operator)
            assert.deepInclude(counts, { running: 2, interrupted: 1 })
          })
        )
      })
    )
  )

  it.live.skipIf(!asRoot)("on a file system that is mounted for reading is read too", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const home = `${folder}/mounted`
        Fs.mkdirSync(home, { mode: 0o700 })
        const mount = (...args: ReadonlyArray<string>) => spawnSync("mount", [...args, home]).status
        if (mount("-t", "tmpfs", "-o", "size=8m,mode=700", "tmpfs") !== 0) return
        yield* Effect.addFinalizer(() => Effect.sync(() => spawnSync("umount", ["-l", home])))
        const starter = yield* startChild("starter", [home])
        const [, id = ""] = (yield* starter.end).stdout.trim().split(" ")
        assert.strictEqual(mount("-o", "remount,ro"), 0)
        yield* settled
        yield* withStore(
          home,
          Effect.gen(function* () {
            assert.isTrue((yield* StoreInfo).readOnly)
            const store = yield* CheckpointStore.CheckpointStore
            const run = Option.getOrThrow(yield* store.get(Ids.CheckpointId.make(id)))
            const refused = yield* Effect.flip(store.rename(run.id, "another", 1))
            assert.strictEqual(refused._tag === "StoreUnavailable" ? refused.code : refused._tag, "read_only")
            // Who cannot leave a proof of life can own nothing.
            const owners = yield* OwnerIdentity.OwnerIdentity
            assert.strictEqual((yield* Effect.flip(owners.self))._tag, "OwnerLockFailed")
            assert.strictEqual((yield* store.runningOwners)[0]?.running, 1)
          })
        )
      })
    )
  )

  it.scoped.skipIf(!asRoot)("without a database says that there is none", () =>
    Effect.gen(function* () {
      const home = yield* temporaryHome
      Fs.mkdirSync(home, { mode: 0o500 })
      const opened = yield* openHome(home)
      const error = yield* Effect.flip(open({ ...opened, readOnly: true }, []))
      assert.isTrue(error._tag === "StoreUnavailable" && error.code === "read_only")
    })
  )
})
