import * as Fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openHome } from "../connection/home.js"
import { open } from "../connection/open.js"
import { startChild } from "../support/child.js"
import { allRows, createRunning, databaseIn, plant, temporaryHome, withStore } from "../support/fixtures.js"
import { twoSchemas } from "../support/schemas.js"
import { fileStamp, firstFree } from "./backup.js"
import { migrations } from "./index.js"
import { latestVersion } from "./Migration.js"

const versionOf = (path: string) => plant(path, (database) => database.pragma("user_version", { simple: true }))
const columnsOf = (path: string) =>
  plant(path, (database) => database.prepare("SELECT name FROM pragma_table_info('checkpoint')").pluck().all())

const storeWithOneRun = Effect.tap(temporaryHome, (home) => withStore(home, createRunning()))

const openWith = (home: string, list: typeof migrations) =>
  Effect.scoped(Effect.flatMap(openHome(home), (opened) => Effect.asVoid(open(opened, list))))

describe("migrations", () => {
  it("are numbered from 1 without a gap", () => {
    assert.deepStrictEqual(
      migrations.map(({ version }) => version),
      Array.from({ length: migrations.length }, (_, index) => index + 1)
    )
  })

  it.scoped("bring an older store up to date, and keep a private copy of what it was", () =>
    Effect.gen(function* () {
      const home = yield* storeWithOneRun
      const path = databaseIn(home)
      const before = allRows(path, "event")
      yield* openWith(home, twoSchemas)
      assert.strictEqual(versionOf(path), latestVersion(twoSchemas))
      assert.include(columnsOf(path), "colour")
      assert.deepStrictEqual(allRows(path, "event"), before)
      const [backup = "", ...others] = Fs.readdirSync(`${home}/backups`)
      assert.isEmpty(others)
      assert.match(backup, new RegExp(`^alluka-schema${latestVersion(migrations)}-\\d{8}T\\d{6}Z\\.db$`))
      assert.strictEqual(Fs.statSync(`${home}/backups/${backup}`).mode & 0o777, 0o600)
      assert.strictEqual(Fs.statSync(`${home}/backups`).mode & 0o777, 0o700)
      assert.strictEqual(versionOf(`${home}/backups/${backup}`), latestVersion(migrations))
      assert.deepStrictEqual(allRows(`${home}/backups/${backup}`, "event"), before)
      // The program of before finds a newer store now.
      assert.strictEqual((yield* Effect.flip(openWith(home, migrations)))._tag, "StoreNewer")
    })
  )

  it.scoped("are done once, whoever comes first", () =>
    Effect.gen(function* () {
      const home = yield* storeWithOneRun
      yield* Effect.all(
        Array.from({ length: 4 }, () => openWith(home, twoSchemas)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(Fs.readdirSync(`${home}/backups`).length, 1)
      assert.strictEqual(versionOf(databaseIn(home)), latestVersion(twoSchemas))
    })
  )

  it.scoped("killed in the middle leave the store as it was, and are done by the next who comes", () =>
    Effect.gen(function* () {
      const home = yield* storeWithOneRun
      const path = databaseIn(home)
      const before = allRows(path, "checkpoint")
      const child = yield* startChild("halfway", [path, "two"])
      assert.strictEqual((yield* child.end).signal, "SIGKILL")
      assert.strictEqual(versionOf(path), latestVersion(migrations))
      assert.notInclude(columnsOf(path), "colour")
      assert.deepStrictEqual(allRows(path, "checkpoint"), before)
      yield* withStore(home, Effect.void)
      yield* openWith(home, twoSchemas)
      assert.strictEqual(versionOf(path), latestVersion(twoSchemas))
    })
  )

  it.scoped("do not begin where the copy cannot be made", () =>
    Effect.gen(function* () {
      const home = yield* storeWithOneRun
      Fs.writeFileSync(`${home}/backups`, "in the way")
      const error = yield* Effect.flip(openWith(home, twoSchemas))
      assert.strictEqual(error._tag, "StoreUnavailable")
      assert.strictEqual(versionOf(databaseIn(home)), latestVersion(migrations))
    })
  )
})

describe("names of copies", () => {
  it("carry the time", () => assert.strictEqual(fileStamp(Date.UTC(2026, 10, 30, 22, 48, 3, 120)), "20261130T224803Z"))

  it("are counted on where one is taken", () => {
    const taken = new Set(["/b/a.db", "/b/a-2.db"])
    const name = firstFree("/b/a", ".db", (path) => {
      if (taken.has(path)) throw Object.assign(new Error("taken"), { code: "EEXIST" })
    })
    assert.strictEqual(name, "/b/a-3.db")
    assert.throws(() =>
      firstFree("/b/a", ".db", () => {
        throw Object.assign(new Error("denied"), { code: "EACCES" })
      })
    )
  })
})
