import { CheckpointStore, Scope } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startChild } from "../support/child.js"
import { createEnded, createRunning, databaseIn, plant, temporaryHome, withStore } from "../support/fixtures.js"

interface Claims {
  readonly tried: number
  readonly won: ReadonlyArray<string>
}

const claims = (line: string): Claims => JSON.parse(line)

describe("processes against each other", () => {
  it.live("eight that claim the same 200 checkpoints: each is won once, and nobody sees a lock", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const home = yield* temporaryHome
        const runs = yield* withStore(home, Effect.replicateEffect(createEnded("interrupted"), 200))
        const children = yield* Effect.replicateEffect(startChild("claimer", [home]), 8)
        yield* Effect.forEach(children, (child) => child.line)
        for (const child of children) child.say("go")
        // A failure of any kind is printed instead of the claims, and would not parse.
        const results = yield* Effect.forEach(children, (child) => Effect.map(child.line, claims))
        assert.deepStrictEqual(
          results.map(({ tried }) => tried),
          Array.from({ length: 8 }, () => 200)
        )
        const won = results.flatMap((result) => result.won)
        assert.strictEqual(won.length, 200)
        assert.deepStrictEqual([...won].sort(), runs.map(({ id }) => id as string).sort())
        const rows = plant(databaseIn(home), (database) => ({
          attempts: database.prepare("SELECT count(*) FROM checkpoint WHERE state = 'running'").pluck().get(),
          events: database.prepare("SELECT count(*) FROM event WHERE kind = 'created'").pluck().get(),
          numbered: database
            .prepare("SELECT count(*) FROM checkpoint c JOIN event e ON e.seq = c.seq AND e.checkpoint_id = c.id")
            .pluck()
            .get()
        }))
        assert.deepStrictEqual(rows, { attempts: 200, events: 400, numbered: 400 })
      })
    )
  )

  it.live("eight that write as fast as they can: every write lands, and nobody sees a lock", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const home = yield* temporaryHome
        yield* withStore(home, Effect.void)
        const children = yield* Effect.replicateEffect(startChild("writer", [home, "150"]), 8)
        yield* Effect.forEach(children, (child) => child.line)
        for (const child of children) child.say("go")
        for (const child of children) assert.strictEqual(yield* child.line, "done")
        const messages = plant(databaseIn(home), (database) =>
          database.prepare("SELECT count(*) FROM event WHERE kind = 'message'").pluck().get()
        )
        assert.strictEqual(messages, 8 * 150)
        const counts = yield* withStore(
          home,
          Effect.flatMap(CheckpointStore.CheckpointStore, (store) => store.counts(Scope.operator))
        )
        assert.deepInclude(counts, { running: 0, completed: 8 })
      })
    )
  )

  it.live("many fibers of one process write at once, and its event loop goes on", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const home = yield* temporaryHome
        yield* withStore(
          home,
          Effect.gen(function* () {
            const other = yield* startChild("writer", [home, "300"])
            yield* other.line
            other.say("go")
            let turns = 0
            const ticker = setInterval(() => {
              turns += 1
            }, 0)
            yield* Effect.all(
              Array.from({ length: 200 }, () => createRunning()),
              { concurrency: "unbounded" }
            )
            clearInterval(ticker)
            assert.strictEqual(yield* other.line, "done")
            const store = yield* CheckpointStore.CheckpointStore
            assert.strictEqual((yield* store.counts(Scope.operator)).running, 200)
            // One turn of the loop after each write at least: no run of writes shuts everything else out.
            assert.isAbove(turns, 100)
          })
        )
      })
    )
  )
})
