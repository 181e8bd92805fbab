import * as Fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startChild } from "../support/child.js"
import { createRunning, databaseIn, temporaryHome, withStore } from "../support/fixtures.js"
import { openHome, unsafeFolder } from "./home.js"

const mode = (path: string): string => (Fs.statSync(path).mode & 0o777).toString(8)

/** Some things cannot be shown by somebody who may do everything, and some only by them. */
const asRoot = process.geteuid?.() === 0

describe("the data folder", () => {
  it.scoped("is made private, and everything in it, whatever the umask", () =>
    Effect.gen(function* () {
      const home = yield* temporaryHome
      const child = yield* startChild("starter", [home, "000"])
      assert.match((yield* child.end).stdout, /^created ckpt_/)
      // Open it once more, so that the log and its index are there too.
      yield* withStore(
        home,
        Effect.gen(function* () {
          yield* createRunning()
          assert.strictEqual(mode(home), "700")
          for (const suffix of ["", "-wal", "-shm"]) assert.strictEqual(mode(`${databaseIn(home)}${suffix}`), "600")
        })
      )
      assert.strictEqual(mode(`${home}/owners`), "700")
      for (const name of Fs.readdirSync(`${home}/owners`)) assert.strictEqual(mode(`${home}/owners/${name}`), "600")
    })
  )

  it.scoped("is refused where others may write, and named in the refusal", () =>
    Effect.gen(function* () {
      const home = yield* temporaryHome
      Fs.mkdirSync(home)
      for (const open of [0o770, 0o707, 0o777, 0o1777]) {
        Fs.chmodSync(home, open)
        const error = yield* Effect.flip(openHome(home))
        assert.strictEqual(error.code, "unsafe_folder")
        assert.include(error.message, `chmod go-w ${home}`)
      }
      Fs.chmodSync(home, 0o755)
      assert.strictEqual((yield* openHome(home)).folder, home)
      assert.deepStrictEqual(Fs.readdirSync(home), [])
    })
  )

  it.scoped.skipIf(!asRoot)("is refused where another user owns it", () =>
    Effect.gen(function* () {
      const home = yield* temporaryHome
      Fs.mkdirSync(home, { mode: 0o700 })
      Fs.chownSync(home, 12_345, 12_345)
      const error = yield* Effect.flip(openHome(home))
      assert.strictEqual(error.code, "unsafe_folder")
      assert.include(error.message, "uid 12345")
    })
  )

  it("trusts its owner only", () => {
    assert.isNull(unsafeFolder("/h", { uid: 1000, mode: 0o40700 }, 1000))
    assert.isNull(unsafeFolder("/h", { uid: 1000, mode: 0o40755 }, 1000))
    assert.isNull(unsafeFolder("/h", { uid: 1000, mode: 0o40700 }, null))
    assert.isString(unsafeFolder("/h", { uid: 0, mode: 0o40700 }, 1000))
    assert.isString(unsafeFolder("/h", { uid: 1000, mode: 0o40720 }, 1000))
  })

  it.scoped("is known by its real path", () =>
    Effect.gen(function* () {
      const home = yield* temporaryHome
      Fs.mkdirSync(home, { mode: 0o700 })
      Fs.symlinkSync(home, `${home}-link`)
      assert.strictEqual((yield* openHome(`${home}-link`)).database, databaseIn(home))
    })
  )

  it.scoped("a file in its place is said to be no folder", () =>
    Effect.gen(function* () {
      const home = yield* temporaryHome
      Fs.writeFileSync(home, "")
      assert.strictEqual((yield* Effect.flip(openHome(home))).code, "not_accessible")
    })
  )

  it.scoped("a database that is a link, dangling or not, is not followed", () =>
    Effect.gen(function* () {
      const home = yield* temporaryHome
      Fs.mkdirSync(home, { mode: 0o700 })
      for (const target of [`${home}/elsewhere.db`, "/etc/passwd"]) {
        Fs.rmSync(databaseIn(home), { force: true })
        Fs.symlinkSync(target, databaseIn(home))
        const error = yield* Effect.flip(withStore(home, Effect.void))
        assert.strictEqual(error._tag === "StoreUnavailable" ? error.code : error._tag, "unsafe_folder")
      }
      assert.isFalse(Fs.existsSync(`${home}/elsewhere.db`))
    })
  )
})
