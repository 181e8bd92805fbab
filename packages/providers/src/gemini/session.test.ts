import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { almostEvents, tempFolder } from "../testing/support.js"
import { envFor, location } from "./location.js"
import { inspectSession } from "./session.js"
import { fresh, look } from "./sessionFiles.js"

const id = "30f28436-970a-5877-aa7f-c871d48ad4b7"
/** Rows of a file that 0.61.0 wrote. */
const header = (of = id) =>
  `{"sessionId":"${of}","projectHash":"a5d17b17","startTime":"2026-12-01T02:43:27.068Z","lastUpdated":"2026-12-01T02:43:27.068Z","kind":"main"}`
const contextMessage = `{"id":"d04923d3","timestamp":"2026-12-01T02:43:27.069Z","type":"user","content":[{"text":"<session_context>\\nThis is the Gemini CLI."}]}`
const context = `{"$set":{"messages":[${contextMessage}],"lastUpdated":"2026-12-01T02:43:27.069Z"}}`
const prompt = `{"id":"1d30223b","timestamp":"2026-12-01T02:43:27.198Z","type":"user","content":[{"text":"hello there\\n"}]}`
const updated = `{"$set":{"lastUpdated":"2026-12-01T02:43:29.244Z"}}`
const answer = `{"id":"007ada28","timestamp":"2026-12-01T02:43:29.243Z","type":"gemini","content":"hi","thoughts":[],"model":"gemini-2.5-flash"}`
const whole = [header(), context, prompt, updated, answer, updated]
const lines = (rows: ReadonlyArray<string>): string => rows.map((row) => `${row}\n`).join("")

interface File {
  readonly name?: string
  readonly folder?: string
  readonly content: string
}

const file = (
  home: string,
  { folder = "work/chats", name = "session-2026-12-01T02-43-30f28436.jsonl" }: Partial<File>
) => join(home, "tmp", folder, name)

/** Writes session files and looks at the session. */
const looked = (...files: ReadonlyArray<File>) =>
  Effect.gen(function* () {
    const home = yield* tempFolder
    yield* Effect.promise(async () => {
      await mkdir(join(home, "tmp", "work", "chats"), { recursive: true })
      for (const each of files) {
        await mkdir(join(file(home, each), ".."), { recursive: true })
        await writeFile(file(home, each), each.content)
      }
    })
    const seen = yield* inspectSession({ id, assignedBy: "caller", seenAt: null, location: home }, {})
    return { seen, home }
  })

describe("a session of gemini", () => {
  it.scopedLive("is present with the time of its last row", () =>
    Effect.gen(function* () {
      const { home, seen } = yield* looked({ content: lines(whole) })
      assert.deepStrictEqual(seen, {
        presence: "present",
        path: file(home, {}),
        detail: null,
        lastRowAt: Date.parse("2026-12-01T02:43:29.244Z"),
        tailDamaged: false,
        promptMissing: false
      })
    })
  )

  it.scopedLive("is found beside the stub of a resume, and beside another session of the same name", () =>
    Effect.gen(function* () {
      const { home, seen } = yield* looked(
        { name: "session-2026-12-01T02-44-30f28436.jsonl", content: lines([header(), context]) },
        { content: lines(whole) },
        {
          name: "session-2026-12-01T02-45-30f28436.jsonl",
          content: lines([header("30f28436-0000-4000-8000-000000000000"), ...whole.slice(1)])
        }
      )
      assert.strictEqual(seen.presence, "present")
      assert.strictEqual(seen.path, file(home, {}))
    })
  )

  it.scopedLive("is present in our copy after gemini deleted the file", () =>
    Effect.gen(function* () {
      const { home, seen } = yield* looked({ folder: "work/alluka", content: lines(whole) })
      assert.strictEqual(seen.presence, "present")
      assert.strictEqual(seen.path, file(home, { folder: "work/alluka" }))
      assert.include(seen.detail, "put back")
    })
  )

  it.scopedLive("is absent without a file, and where gemini itself finds no conversation in it", () =>
    Effect.gen(function* () {
      const failedFirst = [header(), context, prompt, context]
      const rewound = [...whole, `{"$rewindTo":"1d30223b"}`]
      const commandOnly = [header(), context, prompt.replace("hello there", "/help")]
      for (const content of [
        null,
        "",
        "garbage",
        lines([header(), context]),
        lines(failedFirst),
        lines(rewound),
        lines(commandOnly)
      ]) {
        const { seen } = yield* looked(...(content === null ? [] : [{ content }]))
        assert.strictEqual(seen.presence, "absent", String(content))
        assert.isString(seen.detail)
      }
    })
  )

  it.scopedLive("is damaged by a broken line in the middle, and goes on after a cut last one", () =>
    Effect.gen(function* () {
      const { seen: middle } = yield* looked({ content: lines([header(), context, prompt.slice(0, 40), answer]) })
      assert.deepInclude(middle, { presence: "damaged", brokenLines: 1 })
      assert.include(middle.detail, "line 3")
      const { seen: tail } = yield* looked({ content: lines([header(), context, prompt]) + answer.slice(0, 40) })
      assert.deepInclude(tail, { presence: "present", tailDamaged: true, promptMissing: false })
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
})

describe("the rows of gemini", () => {
  const messages = (rows: ReadonlyArray<string>) => {
    const all = rows.map((row, index) => ({ line: index + 1, value: JSON.parse(row), last: index === rows.length - 1 }))
    return [...all.reduce(look, fresh).messages.keys()]
  }

  it("are replaced and taken back as gemini does it", () => {
    assert.deepStrictEqual(messages(whole), ["1d30223b", "007ada28"])
    assert.deepStrictEqual(messages([...whole, `{"$rewindTo":"007ada28"}`]), ["1d30223b"])
    assert.deepStrictEqual(messages([...whole, `{"$rewindTo":"unknown"}`]), [])
    assert.deepStrictEqual(messages([...whole, `{"$set":{"messages":[${contextMessage},${prompt}]}}`]), ["1d30223b"])
    assert.deepStrictEqual(fresh.messages.size, 0)
  })

  it("of any shape are walked over", () => {
    const keys = [
      "id",
      "type",
      "content",
      "text",
      "$set",
      "messages",
      "$rewindTo",
      "sessionId",
      "projectHash",
      "toolCalls"
    ]
    fc.assert(
      fc.property(fc.array(almostEvents(keys, ["user", "gemini", "x"]), { maxLength: 8 }), (rows) => {
        const seen = rows
          .map((row, index) => ({ line: index + 1, value: JSON.parse(row), last: false }))
          .reduce(look, fresh)
        assert.strictEqual(seen.brokenLines, 0)
        assert.strictEqual(fresh.messages.size, 0)
      })
    )
  })
})

describe("gemini's configuration directory", () => {
  it("is in the home folder, or in the one that the environment names", () => {
    assert.strictEqual(location({ HOME: "/h" }), "/h/.gemini")
    assert.strictEqual(location({ HOME: "/h", GEMINI_CLI_HOME: "" }), "/h/.gemini")
    assert.strictEqual(location({ HOME: "/h", GEMINI_CLI_HOME: "/c" }), "/c/.gemini")
  })

  it("of a recorded run is put back", () => {
    assert.deepStrictEqual(envFor(null, { HOME: "/h" }), {})
    assert.deepStrictEqual(envFor("/h/.gemini", { HOME: "/h" }), {})
    assert.deepStrictEqual(envFor("/c/.gemini", { HOME: "/h" }), { GEMINI_CLI_HOME: "/c" })
    assert.deepStrictEqual(envFor("/h/.gemini", { HOME: "/h", GEMINI_CLI_HOME: "/c" }), { GEMINI_CLI_HOME: undefined })
  })
})
