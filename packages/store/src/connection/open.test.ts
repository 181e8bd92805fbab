import * as Fs from "node:fs"
import { CheckpointStore, Scope } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import Sqlite from "better-sqlite3"
import * as Effect from "effect/Effect"
import { migrations } from "../migrations/index.js"
import { latestVersion } from "../migrations/Migration.js"
import { StoreInfo } from "../StoreInfo.js"
import { startChild } from "../support/child.js"
import { createRunning, databaseIn, onNewStore, plant, temporaryHome, withStore } from "../support/fixtures.js"
import { openCount } from "./registry.js"

const contents = (folder: string): Record<string, string> =>
  Object.fromEntries(
    Fs.readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => [name, Fs.readFileSync(`${folder}/${name}`).toString("base64")])
  )

/** A store with one run, closed again. */
const storeWithOneRun = Effect.tap(temporaryHome, (home) => withStore(home, createRunning()))

describe("opening a store", () => {
  it.scoped("makes a new one", () =>
    Effect.gen(function* () {
      const home = yield* temporaryHome
      const id = yield* withStore(
        home,
        Effect.map(createRunning(), (run) => run.id)
      )
      const found = yield* withStore(
        home,
        Effect.flatMap(CheckpointStore.CheckpointStore, (store) => store.get(id))
      )
      assert.strictEqual(found._tag, "Some")
      const version = plant(databaseIn(home), (database) => database.pragma("user_version", { simple: true }))
      assert.strictEqual(version, latestVersion(migrations))
      assert.isFalse(Fs.existsSync(`${home}/backups`))
    })
  )

  it.scoped("eight processes that start together on an empty folder all get it", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 2; round++) {
        const home = yield* temporaryHome
        const children = yield* Effect.replicateEffect(startChild("starter", [home]), 8)
        const ends = yield* Effect.forEach(children, (child) => child.end)
        for (const { stdout } of ends) assert.match(stdout, /^created ckpt_\w+\n$/)
        const counts = yield* withStore(
          home,
          Effect.flatMap(CheckpointStore.CheckpointStore, (store) => store.counts(Scope.operator))
        )
        assert.strictEqual(counts.running, 8)
        assert.isFalse(Fs.readdirSync(home).some((name) => name.includes("damaged")))
      }
    })
  )

  it.scoped("leaves a store of a newer program as it is, to the last byte", () =>
    Effect.gen(function* () {
      const home = yield* storeWithOneRun
      plant(databaseIn(home), (database) => database.pragma("user_version = 99"))
      const before = contents(home)
      const error = yield* Effect.flip(withStore(home, Effect.void))
      assert.isTrue(error._tag === "StoreNewer" && error.found === 99 && error.supported === latestVersion(migrations))
      assert.deepStrictEqual(contents(home), before)
      assert.strictEqual(openCount(), 0)
    })
  )

  it.scoped("finds the newer schema where only the log has it, and leaves file and log as they are", () =>
    Effect.gen(function* () {
      const home = yield* storeWithOneRun
      const path = databaseIn(home)
      // A newer program that was killed: its changes are in the log only.
      const other = new Sqlite(path)
      other.pragma("wal_autocheckpoint = 0")
      other.pragma("user_version = 99")
      const copy = `${home}-copy`
      Fs.mkdirSync(copy, { mode: 0o700 })
      for (const suffix of ["", "-wal"]) Fs.copyFileSync(`${path}${suffix}`, `${databaseIn(copy)}${suffix}`)
      other.close()
      const before = contents(copy)
      assert.notInclude(Fs.readFileSync(databaseIn(copy)).subarray(60, 64).toString("hex"), "63")
      assert.strictEqual((yield* Effect.flip(withStore(copy, Effect.void)))._tag, "StoreNewer")
      const after = contents(copy)
      assert.strictEqual(after["alluka.db"], before["alluka.db"])
      assert.strictEqual(after["alluka.db-wal"], before["alluka.db-wal"])
    })
  )

  it.scoped("leaves another program's database alone", () =>
    Effect.gen(function* () {
      for (const version of [0, 1]) {
        const home = yield* temporaryHome
        Fs.mkdirSync(home, { mode: 0o700 })
        plant(databaseIn(home), (database) => {
          database.exec("CREATE TABLE recipes (name TEXT)")
          database.pragma(`user_version = ${version}`)
        })
        const before = Fs.readFileSync(databaseIn(home)).toString("base64")
        const error = yield* Effect.flip(withStore(home, Effect.void))
        assert.include(error.message, "is a database of another program")
        // The switch to the log may be noted in bytes 18 and 19; nothing else is.
        const after = Fs.readFileSync(databaseIn(home))
        assert.strictEqual(after.length, Buffer.from(before, "base64").length)
        const tables = plant(databaseIn(home), (database) =>
          database.prepare("SELECT name FROM sqlite_schema").pluck().all()
        )
        assert.deepStrictEqual(tables, ["recipes"])
      }
    })
  )

  it.live("a new store that another process locks for a moment is waited for", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const home = yield* temporaryHome
        Fs.mkdirSync(home, { mode: 0o700 })
        const locker = yield* startChild("locker", [databaseIn(home), "1000"])
        yield* locker.line
        const info = yield* withStore(home, StoreInfo)
        assert.strictEqual(info.path, databaseIn(home))
      })
    )
  )

  it.scoped("does not take the locks of another copy of SQLite's user in this process away", () =>
    Effect.gen(function* () {
      const home = yield* storeWithOneRun
      const path = databaseIn(home)
      const other = new Sqlite(path)
      yield* Effect.addFinalizer(() => Effect.sync(() => other.close()))
      const count = () => other.prepare("SELECT count(*) FROM checkpoint").pluck().get()
      assert.strictEqual(count(), 1)
      yield* withStore(home, createRunning())
      // A process that believed itself alone would take the log away when it ends.
      const child = yield* startChild("starter", [home])
      yield* child.end
      assert.isTrue(Fs.existsSync(`${path}-wal`))
      assert.strictEqual(count(), 3)
    })
  )

  it("is shared by all users of a process, and closed by the last", async () => {
    await Effect.runPromise(
      onNewStore(
        Effect.gen(function* () {
          const { home } = yield* StoreInfo
          const before = openCount()
          const run = yield* createRunning()
          yield* withStore(
            home,
            Effect.gen(function* () {
              assert.strictEqual(openCount(), before)
              const store = yield* CheckpointStore.CheckpointStore
              assert.strictEqual((yield* store.get(run.id))._tag, "Some")
            })
          )
          const store = yield* CheckpointStore.CheckpointStore
          assert.strictEqual((yield* store.get(run.id))._tag, "Some")
        })
      )
    )
    assert.strictEqual(openCount(), 0)
  })
})

describe("a damaged store", () => {
  const damage: ReadonlyArray<readonly [string, (path: string) => void]> = [
    ["whose first page is overwritten", (path) => overwrite(path, 0, 4096)],
    ["that is some other file", (path) => Fs.writeFileSync(path, "this is a letter, not a database\n".repeat(200))],
    ["that is too short to be one", (path) => Fs.writeFileSync(path, "SQLite form")],
    ["of which half is missing", (path) => Fs.truncateSync(path, 8192)],
    ["whose schema is overwritten", (path) => overwrite(path, 100, 3000)]
  ]

  for (const [what, spoil] of damage) {
    it.scoped(`${what} is moved aside whole, and a new one takes its place`, () =>
      Effect.gen(function* () {
        const home = yield* storeWithOneRun
        const path = databaseIn(home)
        spoil(path)
        const before = Fs.readFileSync(path)
        const movedAside = yield* withStore(
          home,
          Effect.gen(function* () {
            const info = yield* StoreInfo
            yield* createRunning()
            const store = yield* CheckpointStore.CheckpointStore
            assert.strictEqual((yield* store.counts(Scope.operator)).running, 1)
            return info.movedAside
          })
        )
        assert.match(movedAside?.path ?? "", /\/alluka-damaged-\d{8}T\d{6}Z\.db$/)
        assert.isTrue(Fs.readFileSync(movedAside?.path ?? "").equals(before))
        assert.isNotEmpty(movedAside?.cause ?? "")
        // Told once: it is over.
        assert.isNull((yield* withStore(home, StoreInfo)).movedAside)
      })
    )
  }

  it.scoped("keeps its log and index with it, byte for byte", () =>
    Effect.gen(function* () {
      const home = yield* temporaryHome
      Fs.mkdirSync(home, { mode: 0o700 })
      const files = { "": "no database at all", "-wal": "a log of something", "-shm": "an index of something" }
      for (const [suffix, text] of Object.entries(files)) Fs.writeFileSync(`${databaseIn(home)}${suffix}`, text)
      const { movedAside } = yield* withStore(home, StoreInfo)
      assert.strictEqual(movedAside?.files.length, 3)
      for (const [suffix, text] of Object.entries(files)) {
        assert.strictEqual(Fs.readFileSync(`${movedAside?.path}${suffix}`, "utf8"), text)
      }
    })
  )

  it.scoped("a second one in the same second gets a name of its own", () =>
    Effect.gen(function* () {
      const home = yield* storeWithOneRun
      const paths = new Set<string | undefined>()
      for (let n = 0; n < 3; n++) {
        Fs.writeFileSync(databaseIn(home), `damage ${n}`)
        paths.add((yield* withStore(home, StoreInfo)).movedAside?.path)
      }
      assert.strictEqual(paths.size, 3)
    })
  )

  it.scoped("is moved once by processes that find it together", () =>
    Effect.gen(function* () {
      const home = yield* storeWithOneRun
      Fs.writeFileSync(databaseIn(home), "damage")
      const children = yield* Effect.replicateEffect(startChild("starter", [home]), 6)
      const ends = yield* Effect.forEach(children, (child) => child.end)
      for (const { stdout } of ends) assert.match(stdout, /^created /)
      assert.strictEqual(ends.filter(({ stdout }) => stdout.includes("alluka-damaged")).length, 1)
      assert.strictEqual(Fs.readdirSync(home).filter((name) => name.startsWith("alluka-damaged")).length, 1)
    })
  )

  it.scoped("a log whose database is gone is kept, not deleted", () =>
    Effect.gen(function* () {
      const home = yield* storeWithOneRun
      Fs.rmSync(databaseIn(home))
      Fs.writeFileSync(`${databaseIn(home)}-wal`, "what is left")
      const { movedAside } = yield* withStore(home, StoreInfo)
      assert.match(movedAside?.path ?? "", /alluka-orphaned-/)
      assert.strictEqual(Fs.readFileSync(`${movedAside?.path}-wal`, "utf8"), "what is left")
    })
  )
})

const overwrite = (path: string, offset: number, length: number): void => {
  const fd = Fs.openSync(path, "r+")
  Fs.writeSync(fd, Buffer.alloc(length, 0xa5), 0, length, offset)
  Fs.closeSync(fd)
}
