import { CheckpointStore, Checkpoints, Scope } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { StoreInfo } from "../StoreInfo.js"
import { createRunning, endAs, onNewStore, plant, spec } from "../support/fixtures.js"
import { listStatement } from "./listQuery.js"
import { matchOf } from "./searchText.js"

const { everything } = Checkpoints

/** Enough for a search to take them into the index. */
const many = 205

const fillers = Effect.forEach(
  Array.from({ length: many }, (_, n) => n),
  (n) => createRunning({ title: `filler ${n}` })
)

const titles = (search: string) =>
  Effect.flatMap(CheckpointStore.CheckpointStore, (store) =>
    Effect.map(store.list(Scope.operator, { ...everything, search }), ({ items }) => items.map(({ title }) => title))
  )

/** The same search, by looking at every row. */
const plainly = (path: string, search: string) => {
  const statement = listStatement(Scope.operator, { ...everything, search }, null, false)
  if (statement === null) throw new Error("nothing can match")
  return plant(path, (database) =>
    database
      .prepare(statement.sql)
      .all(...statement.params)
      .map((row) => (row as { readonly title: string }).title)
  )
}

const pending = (path: string) =>
  plant(path, (database) => database.prepare("SELECT count(*) FROM run_text_pending").pluck().get())

const world = Effect.gen(function* () {
  const needle = `${"haystack ".repeat(400)}needle`
  yield* createRunning({ title: "Fix the login form" })
  yield* createRunning({ title: "修复登录表单" })
  yield* createRunning({ title: "ÄRGER mit Umlauten" })
  yield* createRunning({ title: "a long prompt", spec: { ...spec(), prompt: needle } })
  const failed = yield* createRunning({ title: "ended" })
  yield* endAs(failed, "failed", "auth_required")
  yield* fillers
  return failed
})

const searches: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["login", ["Fix the login form"]],
  ["ogi", ["Fix the login form"]],
  ["FORM login", ["Fix the login form"]],
  ["login table", []],
  ["登录表", ["修复登录表单"]],
  ["登录", ["修复登录表单"]],
  ["umlauten", ["ÄRGER mit Umlauten"]],
  ["needle", ["a long prompt"]],
  ["auth required", ["ended"]],
  ["filler 17", ["filler 179", "filler 178", "filler 177", "filler 176", "filler 175", "filler 174", "filler 173"]],
  ['"', []],
  ['log" OR "filler', []],
  ["NEAR(a b) *", []],
  ["no\u0000thing", []]
]

describe("a search", () => {
  it.effect("finds what holds every word, in any language, with the index as without it", () =>
    onNewStore(
      Effect.gen(function* () {
        const { path } = yield* StoreInfo
        yield* world
        for (const round of ["at first", "again"]) {
          for (const [search, found] of searches) {
            const answer = yield* titles(search)
            assert.deepStrictEqual(answer, plainly(path, search), `${round}: ${search}`)
            assert.deepStrictEqual(answer.slice(0, found.length), found, `${round}: ${search}`)
            if (found.length < 7) assert.lengthOf(answer, found.length)
          }
          assert.strictEqual(pending(path), 0, round)
        }
      })
    )
  )

  it.effect("knows what was renamed and removed since", () =>
    onNewStore(
      Effect.gen(function* () {
        const store = yield* CheckpointStore.CheckpointStore
        const run = yield* world
        assert.deepStrictEqual(yield* titles("ended"), ["ended"])
        yield* store.rename(run.id, "finished", Date.now())
        assert.deepStrictEqual(yield* titles("ended"), [])
        assert.deepStrictEqual(yield* titles("finished"), ["finished"])
        yield* store.remove([run.id], Date.now())
        assert.deepStrictEqual(yield* titles("finished"), [])
      })
    )
  )

  it.effect("answers in spite of a damaged index, which is made anew", () =>
    onNewStore(
      Effect.gen(function* () {
        const { path } = yield* StoreInfo
        yield* world
        assert.deepStrictEqual(yield* titles("login"), ["Fix the login form"])
        plant(path, (database) => database.unsafeMode(true).exec("DELETE FROM run_text_data"))
        assert.deepStrictEqual(yield* titles("login"), ["Fix the login form"])
        yield* fillers
        assert.deepStrictEqual(yield* titles("login"), ["Fix the login form"])
        assert.strictEqual(pending(path), 0)
        assert.deepStrictEqual(yield* titles("needle"), ["a long prompt"])
      })
    )
  )
})

describe("the question to the index", () => {
  it("is made of triples, of any text", () => {
    assert.isNull(matchOf("a bc"))
    assert.isTrue(matchOf("abcd")?.startsWith('("abc" AND "bcd") OR '))
    assert.isTrue(matchOf('a"b')?.startsWith('("a""b") OR '))
    assert.isBelow(
      matchOf("x".repeat(50) + Array.from({ length: 200 }, (_, n) => n).join(""))?.split("AND").length ?? 99,
      13
    )
  })
})
