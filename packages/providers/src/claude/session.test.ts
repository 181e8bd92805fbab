import { mkdir, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { tempFolder } from "../testing/support.js"
import { envFor, inspectSession, location } from "./session.js"

const id = "11111111-1111-5111-8111-111111111111"
const queue = `{"type":"queue-operation","operation":"enqueue","timestamp":"2026-12-01T01:23:41.057Z","sessionId":"${id}"}`
const user = `{"type":"user","message":{"role":"user","content":"hello"},"uuid":"0a3f92e9","timestamp":"2026-12-01T01:23:41.116Z"}`
const attachment = `{"type":"attachment","uuid":"b9661db5","timestamp":"2026-12-01T01:23:41.200Z"}`
const assistant = `{"type":"assistant","message":{"role":"assistant","content":[]},"uuid":"cd202e1e","timestamp":"2026-12-01T01:23:41.213Z"}`
const cost = `{"type":"cost-state","totalCostUSD":0.1}`

/** Writes a session file and looks at it. */
const looked = (content: string | Buffer | null) =>
  Effect.gen(function* () {
    const home = yield* tempFolder
    const folder = join(home, "projects", "-home-u-work")
    const path = join(folder, `${id}.jsonl`)
    yield* Effect.promise(async () => {
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, "22222222-2222-5222-8222-222222222222.jsonl"), user)
      if (content !== null) await writeFile(path, content)
    })
    const seen = yield* inspectSession({ id, assignedBy: "caller", seenAt: null, location: home }, {})
    return { ...seen, path: seen.path === path ? "the file" : seen.path }
  })

const lines = (...rows: ReadonlyArray<string>): string => rows.map((row) => `${row}\n`).join("")
const at = Date.parse("2026-12-01T01:23:41.213Z")

describe("a session of claude", () => {
  it.scopedLive("is present with the time of its last row", () =>
    Effect.gen(function* () {
      const seen = yield* looked(lines(queue, user, attachment, assistant, cost))
      assert.deepStrictEqual(seen, {
        presence: "present",
        path: "the file",
        detail: null,
        lastRowAt: at,
        tailDamaged: false,
        promptMissing: false
      })
    })
  )

  it.scopedLive("is absent without a file, and where claude itself finds no conversation in it", () =>
    Effect.gen(function* () {
      for (const content of [null, "", "\n\n", lines(queue), "garbage", lines("garbage", "more"), Buffer.alloc(5000)]) {
        const seen = yield* looked(content)
        assert.strictEqual(seen.presence, "absent", String(content))
        assert.isString(seen.detail)
      }
    })
  )

  it.scopedLive("is damaged by a broken line in the middle, which is named", () =>
    Effect.gen(function* () {
      for (const broken of [user.slice(0, 40), "\0\0\0\0", "[1]"]) {
        const seen = yield* looked(lines(queue, user, broken, assistant))
        assert.strictEqual(seen.presence, "damaged")
        assert.include(seen.detail, "line 3")
        assert.strictEqual(seen.lastRowAt, at)
      }
    })
  )

  it.scopedLive("goes on after a cut last line, which is told", () =>
    Effect.gen(function* () {
      for (const tail of [assistant.slice(0, 30), `${assistant.slice(0, 30)}\n`, "\0\0\0\0"]) {
        const seen = yield* looked(lines(queue, user, assistant) + tail)
        assert.strictEqual(seen.presence, "present")
        assert.isTrue(seen.tailDamaged)
        assert.include(seen.detail, "cut")
      }
      assert.isFalse((yield* looked(lines(queue, user) + assistant)).tailDamaged)
    })
  )

  it.scopedLive("may hold rows far longer than a line of the stream", () =>
    Effect.gen(function* () {
      const long = user.replace("hello", "x".repeat(5_000_000))
      const seen = yield* looked(lines(queue, long, assistant))
      assert.strictEqual(seen.presence, "present")
    })
  )

  it.scopedLive("is unknown where there is no storage at all", () =>
    Effect.gen(function* () {
      const home = yield* tempFolder
      const seen = yield* inspectSession({ id, assignedBy: "caller", seenAt: null, location: home }, {})
      assert.strictEqual(seen.presence, "unknown")
      assert.include(seen.detail, "is not there")
    })
  )

  it.scopedLive("in two folders is the one that was written last", () =>
    Effect.gen(function* () {
      const home = yield* tempFolder
      const [old, recent] = ["a", "b"].map((name) => join(home, "projects", name)) as [string, string]
      yield* Effect.promise(async () => {
        for (const folder of [old, recent]) {
          await mkdir(folder, { recursive: true })
          await writeFile(join(folder, `${id}.jsonl`), lines(user))
        }
        await utimes(join(old, `${id}.jsonl`), 1000, 1000)
      })
      const seen = yield* inspectSession(
        { id, assignedBy: "caller", seenAt: null, location: null },
        { CLAUDE_CONFIG_DIR: home }
      )
      assert.strictEqual(seen.path, join(recent, `${id}.jsonl`))
    })
  )
})

describe("claude's configuration directory", () => {
  it("is the one that the environment names, else in the home folder", () => {
    assert.strictEqual(location({ HOME: "/h" }), "/h/.claude")
    assert.strictEqual(location({ HOME: "/h", CLAUDE_CONFIG_DIR: "" }), "/h/.claude")
    assert.strictEqual(location({ HOME: "/h", CLAUDE_CONFIG_DIR: "/c" }), "/c")
  })

  it("of a recorded run is put back, by removing the variable where it was the default", () => {
    assert.deepStrictEqual(envFor(null, { HOME: "/h" }), {})
    assert.deepStrictEqual(envFor("/h/.claude", { HOME: "/h" }), {})
    assert.deepStrictEqual(envFor("/c", { HOME: "/h", CLAUDE_CONFIG_DIR: "/c" }), {})
    assert.deepStrictEqual(envFor("/c", { HOME: "/h" }), { CLAUDE_CONFIG_DIR: "/c" })
    assert.deepStrictEqual(envFor("/h/.claude", { HOME: "/h", CLAUDE_CONFIG_DIR: "/c" }), {
      CLAUDE_CONFIG_DIR: undefined
    })
  })
})
