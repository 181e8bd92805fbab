import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Ask } from "../processProvider.js"
import { tempFolder } from "../testing/support.js"
import { envFor, location } from "./location.js"
import { inspectSession, isSessionId, parseRows } from "./session.js"

const id = "ses_dd0aed231ffe1ANLxedH2EDyC2"
/** What `opencode db ... --format json` printed for a session with two prompts. */
const rows = `[
  {
    "directory": "/home/u/work",
    "prompts": 2,
    "last": 1796090604622
  }
]
`

/** Looks at a session whose database answers like this. */
const looked = (
  answer: { readonly code?: number; readonly stdout?: string; readonly stderr?: string } | null,
  of = id
) =>
  Effect.gen(function* () {
    const folder = yield* tempFolder
    const database = join(folder, "opencode.db")
    yield* Effect.promise(() => writeFile(database, "SQLite format 3"))
    const asked: Array<ReadonlyArray<string>> = []
    const ask: Ask = (args, options) => {
      asked.push([...args, options?.env?.OPENCODE_DB ?? ""])
      return Effect.succeed(
        answer === null ? Option.none() : Option.some({ code: 0, stdout: "", stderr: "", ...answer })
      )
    }
    const session = { id: of, assignedBy: "provider", seenAt: null, location: database } as const
    const { path, ...seen } = yield* inspectSession(session, { HOME: folder }, ask)
    return { seen, own: path === database, asked, database }
  })

describe("a session of opencode", () => {
  it.scopedLive("is present with the time of its last row, asked for in the recorded database", () =>
    Effect.gen(function* () {
      const { asked, database, own, seen } = yield* looked({ stdout: rows })
      assert.isTrue(own)
      assert.deepStrictEqual(seen, {
        presence: "present",
        detail: null,
        lastRowAt: 1796090604622,
        tailDamaged: false,
        promptMissing: false
      })
      assert.strictEqual(asked.length, 1)
      const [command, query, ...rest] = asked[0] ?? []
      assert.strictEqual(command, "db")
      assert.match(query ?? "", /^select /)
      assert.include(query, `s.id = '${id}'`)
      assert.deepStrictEqual(rest, ["--format", "json", "--pure", database])
    })
  )

  it.scopedLive("without a prompt must be sent it again", () =>
    Effect.gen(function* () {
      const stdout = JSON.stringify([{ directory: "/w", prompts: 0, last: null }])
      assert.deepInclude((yield* looked({ stdout })).seen, {
        presence: "present",
        promptMissing: true,
        lastRowAt: null
      })
    })
  )

  it.scopedLive("with rows that cannot be read is damaged", () =>
    Effect.gen(function* () {
      const stdout = JSON.stringify([{ directory: "/w", prompts: 1, broken: 2, last: null }])
      const { seen } = yield* looked({ stdout })
      assert.deepInclude(seen, { presence: "damaged", brokenLines: 2 })
      assert.include(seen.detail, "2 of the rows")
    })
  )

  it.scopedLive("is absent where the database does not have it", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* looked({ stdout: "[]\n" })).seen.presence, "absent")
    })
  )

  it.scopedLive("is unknown where the look-up failed, with the reason", () =>
    Effect.gen(function* () {
      for (const [answer, why] of [
        [null, "did not answer"],
        [{ code: 1, stderr: "Error: file is not a database\n" }, "file is not a database"],
        [{ stdout: "garbage" }, "garbage"],
        [{ stdout: "" }, "said nothing"]
      ] as const) {
        const { seen } = yield* looked(answer)
        assert.strictEqual(seen.presence, "unknown")
        assert.include(seen.detail, why)
      }
    })
  )

  it.scopedLive("is unknown where there is no database, and nothing is started for that", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const ask: Ask = () => Effect.die("asked")
      const session = { id, assignedBy: "provider", seenAt: null, location: null } as const
      const seen = yield* inspectSession(session, { HOME: folder }, ask)
      assert.strictEqual(seen.presence, "unknown")
      assert.include(seen.detail, "is not there")
    })
  )

  it.scopedLive("with an id that is none of opencode's is not asked for", () =>
    Effect.gen(function* () {
      const { asked, seen } = yield* looked({ stdout: rows }, "ses_1' or '1'='1")
      assert.strictEqual(seen.presence, "unknown")
      assert.deepStrictEqual(asked, [])
    })
  )

  it.each([
    [id, true],
    ["ses_01", true],
    ["", false],
    ["--continue", false],
    ["ses_1 2", false],
    ["ses_1'", false],
    ["msg_1", false]
  ])("%s may be an id: %s", (text, may) => {
    assert.strictEqual(isSessionId(text), may)
  })

  it("rows of another shape are none", () => {
    assert.deepStrictEqual(parseRows("[1, {}, null]"), [])
    assert.isNull(parseRows("{}"))
  })
})

describe("opencode's database", () => {
  it("is where the environment says, else in the folder for data", () => {
    assert.strictEqual(location({ HOME: "/h" }), "/h/.local/share/opencode/opencode.db")
    assert.strictEqual(location({ HOME: "/h", XDG_DATA_HOME: "/d" }), "/d/opencode/opencode.db")
    assert.strictEqual(location({ HOME: "/h", OPENCODE_DB: "" }), "/h/.local/share/opencode/opencode.db")
    assert.strictEqual(location({ HOME: "/h", OPENCODE_DB: "/x.db" }), "/x.db")
    assert.strictEqual(location({ HOME: "/h", OPENCODE_DB: "x.db" }), "/h/.local/share/opencode/x.db")
  })

  it("of a recorded run is used again", () => {
    assert.deepStrictEqual(envFor(null, { HOME: "/h" }), {})
    assert.deepStrictEqual(envFor("/x.db", { HOME: "/h", OPENCODE_DB: "/x.db" }), {})
    assert.deepStrictEqual(envFor("/x.db", { HOME: "/h" }), { OPENCODE_DB: "/x.db" })
  })
})
