import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { databaseIn, plant, temporaryFolder } from "../support/fixtures.js"
import { openWriter } from "./live.js"
import { immediately, withoutReferences } from "./transaction.js"

const writerOnNewFile = Effect.flatMap(temporaryFolder, (folder) =>
  Effect.gen(function* () {
    const writer = yield* openWriter(databaseIn(folder))
    yield* writer.sql.unprepared("CREATE TABLE t (n INTEGER NOT NULL) STRICT")
    return { writer, path: databaseIn(folder) }
  })
)

const numbers = (path: string) =>
  plant(path, (database) => database.prepare("SELECT n FROM t ORDER BY n").pluck().all())

describe("a write transaction", () => {
  it.scoped("switches synchronous for each transaction, as SQLite itself says", () =>
    Effect.gen(function* () {
      const { writer } = yield* writerOnNewFile
      const readBack = Effect.map(writer.sql.unprepared("PRAGMA synchronous"), ([row]) => row?.synchronous)
      for (const [durability, level] of [
        ["full", 2],
        ["normal", 1],
        ["normal", 1],
        ["full", 2],
        ["normal", 1]
      ] as const) {
        const inside = yield* immediately(writer, durability, () => readBack)
        assert.strictEqual(inside, level)
        assert.strictEqual(yield* readBack, level)
      }
    })
  )

  it.scoped("commits everything or nothing", () =>
    Effect.gen(function* () {
      const { writer, path } = yield* writerOnNewFile
      yield* immediately(writer, "full", (sql) => sql.run("INSERT INTO t VALUES (?)", 1))
      const failed = yield* Effect.flip(
        immediately(writer, "full", (sql) =>
          Effect.zipRight(sql.run("INSERT INTO t VALUES (?)", 2), Effect.fail("changed my mind" as const))
        )
      )
      assert.strictEqual(failed, "changed my mind")
      yield* Effect.exit(
        immediately(writer, "full", (sql) => Effect.zipRight(sql.run("INSERT INTO t VALUES (?)", 3), Effect.die("bug")))
      )
      yield* Effect.flip(
        immediately(writer, "full", (sql) =>
          Effect.zipRight(sql.run("INSERT INTO t VALUES (?)", 4), sql.run("INSERT INTO t VALUES (?)", "text"))
        )
      )
      yield* immediately(writer, "normal", (sql) => sql.run("INSERT INTO t VALUES (?)", 5))
      assert.deepStrictEqual(numbers(path), [1, 5])
    })
  )

  it.scoped("looks at references again after one that did not need to, also after one that failed", () =>
    Effect.gen(function* () {
      const { writer } = yield* writerOnNewFile
      const looks = Effect.map(writer.sql.unprepared("PRAGMA foreign_keys"), ([row]) => row?.foreign_keys)
      assert.strictEqual(yield* withoutReferences(writer, "normal", () => looks), 0)
      assert.strictEqual(yield* looks, 1)
      yield* Effect.flip(withoutReferences(writer, "normal", () => Effect.fail("no")))
      assert.strictEqual(yield* looks, 1)
    })
  )

  it.scoped("takes the write lock before it reads", () =>
    Effect.gen(function* () {
      const { writer, path } = yield* writerOnNewFile
      const other = yield* openWriter(path)
      const turnedAway = yield* immediately(writer, "normal", () =>
        Effect.flip(immediately(other, "normal", (sql) => sql.run("SELECT n FROM t")))
      )
      assert.strictEqual(turnedAway._tag, "SqlError")
      // The one that was turned away is usable afterwards.
      yield* immediately(other, "normal", (sql) => sql.run("INSERT INTO t VALUES (?)", 1))
      assert.deepStrictEqual(numbers(path), [1])
    })
  )

  it.scoped("ends a transaction that was left open", () =>
    Effect.gen(function* () {
      const { writer, path } = yield* writerOnNewFile
      yield* writer.sql.run("BEGIN")
      yield* writer.sql.run("INSERT INTO t VALUES (?)", 1)
      yield* immediately(writer, "normal", (sql) => sql.run("INSERT INTO t VALUES (?)", 2))
      assert.deepStrictEqual(numbers(path), [2])
    })
  )

  it.scoped("gives way to no other fiber while it holds the lock", () =>
    Effect.gen(function* () {
      const { writer } = yield* writerOnNewFile
      let others = 0
      yield* Effect.forkScoped(
        Effect.forever(
          Effect.zipRight(
            Effect.sync(() => void others++),
            Effect.yieldNow()
          )
        )
      )
      yield* Effect.yieldNow()
      const during = yield* immediately(writer, "normal", (sql) =>
        Effect.gen(function* () {
          const before = others
          // More steps than the runtime lets a fiber make before it gives way.
          for (let n = 0; n < 3000; n++) yield* sql.run("INSERT INTO t VALUES (?)", n)
          return others - before
        })
      )
      assert.strictEqual(during, 0)
    })
  )
})

describe("a connection", () => {
  it.scoped("runs a statement that could not be prepared once as soon as it can", () =>
    Effect.gen(function* () {
      const { writer } = yield* writerOnNewFile
      const count = writer.sql.run("SELECT count(*) AS n FROM later")
      assert.strictEqual((yield* Effect.flip(count))._tag, "SqlError")
      yield* writer.sql.unprepared("CREATE TABLE later (n INTEGER)")
      assert.deepStrictEqual(yield* count, [{ n: 0 }])
    })
  )

  it.scoped("says so when a file cannot be opened, as a failure", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const error = yield* Effect.flip(openWriter(`${folder}/missing/alluka.db`))
      assert.strictEqual(error._tag, "SqlError")
    })
  )
})
