import { SqlError } from "@effect/sql/SqlError"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import { databaseIn, plant, temporaryFolder } from "../support/fixtures.js"
import { openReader, openWriter } from "./live.js"
import type { Statements } from "./Statements.js"
import { immediately, withoutReferences } from "./transaction.js"

const writerOnNewFile = Effect.flatMap(temporaryFolder, (folder) =>
  Effect.map(openWriter(databaseIn(folder)), (writer) => {
    writer.sql.unprepared("CREATE TABLE t (n INTEGER NOT NULL) STRICT")
    return { writer, path: databaseIn(folder) }
  })
)

const insert = (sql: Statements, value: number | string) =>
  Either.right(sql.run("INSERT INTO t VALUES (?)", value).length)

const numbers = (path: string) =>
  plant(path, (database) => database.prepare("SELECT n FROM t ORDER BY n").pluck().all())

describe("a write transaction", () => {
  it.scoped("switches synchronous for each transaction, as SQLite itself says", () =>
    Effect.gen(function* () {
      const { writer } = yield* writerOnNewFile
      const readBack = () => writer.sql.unprepared("PRAGMA synchronous")[0]?.synchronous
      for (const [durability, level] of [
        ["full", 2],
        ["normal", 1],
        ["normal", 1],
        ["full", 2],
        ["normal", 1]
      ] as const) {
        const inside = yield* immediately(writer, durability, () => Either.right(readBack()))
        assert.strictEqual(inside, level)
        assert.strictEqual(readBack(), level)
      }
    })
  )

  it.scoped("commits everything or nothing", () =>
    Effect.gen(function* () {
      const { writer, path } = yield* writerOnNewFile
      yield* immediately(writer, "full", (sql) => insert(sql, 1))
      const failed = yield* Effect.flip(
        immediately(writer, "full", (sql) => Either.flatMap(insert(sql, 2), () => Either.left("changed my mind")))
      )
      assert.strictEqual(failed, "changed my mind")
      const bug = new Error("bug")
      const died = yield* Effect.exit(
        immediately(writer, "full", (sql) => {
          insert(sql, 3)
          throw bug
        })
      )
      assert.deepStrictEqual(died, Exit.die(bug))
      const refused = yield* Effect.flip(
        immediately(writer, "full", (sql) => {
          insert(sql, 4)
          return insert(sql, "text")
        })
      )
      assert.strictEqual(refused._tag, "SqlError")
      yield* immediately(writer, "normal", (sql) => insert(sql, 5))
      assert.deepStrictEqual(numbers(path), [1, 5])
    })
  )

  it.scoped("looks at references again after one that did not need to, also after one that failed", () =>
    Effect.gen(function* () {
      const { writer } = yield* writerOnNewFile
      const looks = () => writer.sql.unprepared("PRAGMA foreign_keys")[0]?.foreign_keys
      assert.strictEqual(yield* withoutReferences(writer, "normal", () => Either.right(looks())), 0)
      assert.strictEqual(looks(), 1)
      yield* Effect.flip(withoutReferences(writer, "normal", () => Either.left("no")))
      assert.strictEqual(looks(), 1)
    })
  )

  it.scoped("takes the write lock before it reads", () =>
    Effect.gen(function* () {
      const { writer, path } = yield* writerOnNewFile
      const other = yield* openWriter(path)
      const turnedAway = yield* immediately(writer, "normal", () =>
        Either.right(
          Effect.runSync(Effect.flip(immediately(other, "normal", (sql) => Either.right(sql.run("SELECT n FROM t")))))
        )
      )
      assert.strictEqual(turnedAway._tag, "SqlError")
      // The one that was turned away is usable afterwards.
      yield* immediately(other, "normal", (sql) => insert(sql, 1))
      assert.deepStrictEqual(numbers(path), [1])
    })
  )

  it.scoped("ends a transaction that was left open", () =>
    Effect.gen(function* () {
      const { writer, path } = yield* writerOnNewFile
      writer.sql.run("BEGIN")
      insert(writer.sql, 1)
      yield* immediately(writer, "normal", (sql) => insert(sql, 2))
      assert.deepStrictEqual(numbers(path), [2])
    })
  )
})

describe("the connection that writes", () => {
  it.scoped("runs a statement that could not be prepared once as soon as it can", () =>
    Effect.gen(function* () {
      const { writer } = yield* writerOnNewFile
      const count = () => writer.sql.run("SELECT count(*) AS n FROM later")
      assert.throws(count, SqlError)
      writer.sql.unprepared("CREATE TABLE later (n INTEGER)")
      assert.deepStrictEqual(count(), [{ n: 0 }])
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

describe("the connection that reads", () => {
  it.scoped("runs a statement that could not be prepared once as soon as it can", () =>
    Effect.gen(function* () {
      const { path, writer } = yield* writerOnNewFile
      const reader = yield* openReader(path)
      const count = reader.run("SELECT count(*) AS n FROM later")
      assert.strictEqual((yield* Effect.flip(count))._tag, "SqlError")
      writer.sql.unprepared("CREATE TABLE later (n INTEGER)")
      assert.deepStrictEqual(yield* count, [{ n: 0 }])
    })
  )
})
