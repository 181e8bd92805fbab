import * as Fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { temporaryFolder } from "../support/fixtures.js"
import { make, markAgeMs, recentMs } from "./courtesy.js"

/** Two processes with one clock. */
const two = Effect.map(temporaryFolder, (folder) => {
  const clock = { now: 1_796_000_000_000 }
  const path = `${folder}/waiting`
  return { clock, path, one: make(path, () => clock.now), other: make(path, () => clock.now) }
})

describe("courtesy between writers", () => {
  it.scoped("lets go first who was just turned away, by who has just written", () =>
    Effect.gen(function* () {
      const { clock, path, one, other } = yield* two
      one.wrote()
      assert.isFalse(one.othersWait())
      assert.isFalse(Fs.existsSync(path))
      other.turnedAway()
      assert.isTrue(one.othersWait())
      assert.strictEqual(Fs.statSync(path).mode & 0o777, 0o600)
      // Its own mark holds nobody up.
      other.wrote()
      assert.isFalse(other.othersWait())
      clock.now += markAgeMs + 1
      one.wrote()
      assert.isFalse(one.othersWait())
    })
  )

  it.scoped("is not asked of who writes now and then", () =>
    Effect.gen(function* () {
      const { clock, one, other } = yield* two
      one.wrote()
      clock.now += recentMs + 1
      other.turnedAway()
      assert.isFalse(one.othersWait())
    })
  )

  it.scoped("both turned away: each lets the other go", () =>
    Effect.gen(function* () {
      const { clock, one, other } = yield* two
      one.turnedAway()
      clock.now += markAgeMs / 2
      other.turnedAway()
      one.wrote()
      assert.isTrue(one.othersWait())
      clock.now += markAgeMs / 2
      one.turnedAway()
      other.wrote()
      assert.isTrue(other.othersWait())
    })
  )

  it.scoped("a clock that jumps holds nobody up", () =>
    Effect.gen(function* () {
      const { clock, one, other } = yield* two
      other.turnedAway()
      one.wrote()
      clock.now -= 3_600_000
      assert.isFalse(one.othersWait())
      one.wrote()
      assert.isFalse(one.othersWait())
      other.turnedAway()
      assert.isTrue(one.othersWait())
    })
  )

  it("a folder that takes no mark fails nobody", () => {
    const lonely = make("/nonexistent/waiting")
    lonely.turnedAway()
    lonely.wrote()
    assert.isFalse(lonely.othersWait())
  })
})
