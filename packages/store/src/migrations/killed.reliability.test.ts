/** From each released schema, killed before each statement on the way to the newest: the store is the old one or the new one. */
import * as Fs from "node:fs"
import { CheckpointStore, Scope } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openHome } from "../connection/home.js"
import { open } from "../connection/open.js"
import { startChild } from "../support/child.js"
import { createRunning, databaseIn, plant, temporaryFolder, withStore } from "../support/fixtures.js"
import { migrations } from "./index.js"

const full = process.env.ALLUKA_TEST_RELIABILITY === "full"

/** Statements on the way, and the two pragmas at the end. */
const statementsFrom = (version: number): number =>
  migrations.filter((each) => each.version > version).reduce((sum, { statements }) => sum + statements.length, 2)

/** Where it is killed: everywhere, or in the short form at the first, a middle and the last statement. */
const places = (version: number): ReadonlyArray<number> => {
  const count = statementsFrom(version)
  const all = Array.from({ length: count }, (_, index) => index + 1)
  return full ? all : [1, Math.ceil(count / 2), count]
}

/** The whole of a database as text, and its schema's number. */
const contentOf = (path: string) =>
  plant(path, (database) => ({
    version: database.pragma("user_version", { simple: true }),
    check: database.pragma("integrity_check", { simple: true }),
    schema: database.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name").all()
  }))

/** A store as the program of a version left it. */
const storeOf = (home: string, version: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      Fs.mkdirSync(home, { mode: 0o700 })
      const opened = yield* openHome(home)
      if (version > 0) yield* open(opened, migrations.slice(0, version))
      else Fs.writeFileSync(opened.database, "", { mode: 0o600 })
    })
  )

const versions = Array.from({ length: migrations.length }, (_, index) => index)

describe.each(versions)("a migration from schema %i", (version) => {
  it.live(
    `killed at ${places(version).length} statements leaves what was there, and is done by the next who comes`,
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const folder = yield* temporaryFolder
          yield* Effect.forEach(
            places(version),
            (place) =>
              Effect.scoped(
                Effect.gen(function* () {
                  const home = `${folder}/${place}`
                  yield* storeOf(home, version)
                  const path = databaseIn(home)
                  const before = contentOf(path)
                  const child = yield* startChild("halfway", [path, "own", String(place)])
                  assert.strictEqual((yield* child.end).signal, "SIGKILL")
                  assert.deepStrictEqual(contentOf(path), before)
                  yield* withStore(
                    home,
                    Effect.gen(function* () {
                      yield* createRunning()
                      const store = yield* CheckpointStore.CheckpointStore
                      assert.strictEqual((yield* store.counts(Scope.operator)).running, 1)
                    })
                  )
                  assert.strictEqual(contentOf(path).version, migrations.length)
                  assert.strictEqual(contentOf(path).check, "ok")
                })
              ),
            { concurrency: 2 }
          )
        })
      ),
    300_000
  )
})
