import { readFileSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Provider } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { request, tempFolder } from "../testing/support.js"
import { envFor, location } from "./location.js"
import { prepare } from "./prepare.js"
import { inspectSession, isSessionId } from "./session.js"

const id = "01a22f5d-9613-7706-831d-79415b06920a"
const cwd = "/home/u/work"
/** Rows of files that 0.73.1 and 1.6.0 wrote. */
const header = (of = id, folder = cwd) =>
  `{"type":"session","version":3,"id":"${of}","timestamp":"2026-12-01T02:09:52.148Z","cwd":"${folder}"}`
const model = `{"type":"model_change","id":"03c29250","parentId":null,"timestamp":"2026-12-01T02:09:52.162Z","provider":"fake","modelId":"fake-1"}`
const user = `{"type":"message","id":"afb9f68d","parentId":"03c29250","timestamp":"2026-12-01T02:09:52.182Z","message":{"role":"user","content":[{"type":"text","text":"hello"}],"timestamp":1796090992179}}`
const assistant = `{"type":"message","id":"1c936e23","parentId":"afb9f68d","timestamp":"2026-12-01T02:09:52.328Z","message":{"role":"assistant","content":[{"type":"text","text":"hi"}],"stopReason":"stop"}}`
const lines = (...rows: ReadonlyArray<string>): string => rows.map((row) => `${row}\n`).join("")
const name = `2026-12-01T02-09-52-148Z_${id}.jsonl`

/** Writes the session's file under a path of the folder of sessions. */
const written = (content: string, path = join("--home-u-work--", name)) =>
  Effect.gen(function* () {
    const agent = yield* tempFolder
    const file = join(agent, "sessions", path)
    yield* Effect.promise(async () => {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, content)
    })
    return { agent, file, sessions: join(agent, "sessions") }
  })

const look = (sessions: string) =>
  inspectSession({ id, assignedBy: "provider", seenAt: null, location: sessions }, cwd, sessions)

describe("a session of pi", () => {
  it.scopedLive("is present with the time of its last row, in a folder of its own or flat", () =>
    Effect.gen(function* () {
      for (const path of [undefined, name]) {
        const { file, sessions } = yield* written(lines(header(), model, user, assistant), path)
        assert.deepStrictEqual(yield* look(sessions), {
          presence: "present",
          path: file,
          detail: null,
          lastRowAt: Date.parse("2026-12-01T02:09:52.328Z"),
          tailDamaged: false,
          promptMissing: false
        })
      }
    })
  )

  it.scopedLive("without a prompt must be sent it again", () =>
    Effect.gen(function* () {
      const { sessions } = yield* written(lines(header(), model))
      assert.deepInclude(yield* look(sessions), { presence: "present", promptMissing: true })
    })
  )

  it.scopedLive("is absent without a file (0.73 before its first answer), and where the file is empty", () =>
    Effect.gen(function* () {
      const other = yield* written(lines(header()), join("--home-u-work--", "2026_other.jsonl"))
      assert.strictEqual((yield* look(other.sessions)).presence, "absent")
      const empty = yield* written("")
      assert.strictEqual((yield* look(empty.sessions)).presence, "absent")
    })
  )

  it.scopedLive("is damaged by a broken line, or without its header", () =>
    Effect.gen(function* () {
      const middle = yield* written(lines(header(), model, user.slice(0, 50), assistant))
      const seen = yield* look(middle.sessions)
      assert.deepInclude(seen, { presence: "damaged", brokenLines: 1 })
      assert.include(seen.detail, "line 3")
      for (const content of ["garbage", lines(model, user), lines(header("other"), user)]) {
        const { sessions } = yield* written(content)
        assert.deepInclude(yield* look(sessions), { presence: "damaged" }, content)
      }
    })
  )

  it.scopedLive("goes on after a cut last line, which is told", () =>
    Effect.gen(function* () {
      const { sessions } = yield* written(lines(header(), model, user) + assistant.slice(0, 50))
      assert.deepInclude(yield* look(sessions), { presence: "present", tailDamaged: true })
    })
  )

  it.scopedLive("is unknown where there is no storage at all", () =>
    Effect.gen(function* () {
      const seen = yield* look(join(yield* tempFolder, "sessions"))
      assert.strictEqual(seen.presence, "unknown")
      assert.include(seen.detail, "is not there")
    })
  )

  it.each([
    [id, true],
    ["my-id_1.x", true],
    ["", false],
    ["--continue", false],
    ["../x", false],
    ["a/b", false],
    ["a b", false],
    [`a${"b".repeat(300)}`, false]
  ])("%s may be an id: %s", (text, may) => {
    assert.strictEqual(isSessionId(text), may)
  })
})

describe("a session of pi that is gone on with", () => {
  const go = (agent: string, conversation: Provider.Conversation, from = cwd) =>
    Effect.either(prepare(request({ conversation, cwd: from }), { env: { PI_CODING_AGENT_DIR: agent } }))
  const same = Provider.Conversation.Continue({ id, location: null })
  const copy = Provider.Conversation.Fork({ from: id, location: null, id: null })

  it.scopedLive("has its last line ended first, so that 0.73 writes no further into it", () =>
    Effect.gen(function* () {
      const torn = lines(header(), model, user) + assistant.slice(0, 50)
      const { agent, file } = yield* written(torn)
      assert.strictEqual((yield* go(agent, same))._tag, "Right")
      assert.strictEqual(readFileSync(file, "utf8"), `${torn}\n`)
      assert.strictEqual((yield* go(agent, same))._tag, "Right")
      assert.strictEqual(readFileSync(file, "utf8"), `${torn}\n`)
    })
  )

  it.scopedLive("is refused in another folder than its own, but can be copied there", () =>
    Effect.gen(function* () {
      const { agent } = yield* written(lines(header(), user))
      const refused = yield* go(agent, same, "/elsewhere")
      assert.include(refused._tag === "Left" ? refused.left.message : "", cwd)
      assert.strictEqual((yield* go(agent, copy, "/elsewhere"))._tag, "Right")
    })
  )

  it.scopedLive("is the one of the folder of the run, where two folders have the same id", () =>
    Effect.gen(function* () {
      const { agent } = yield* written(lines(header(id, "/elsewhere"), user), join("--elsewhere--", name))
      yield* Effect.promise(async () => {
        await mkdir(join(agent, "sessions", "--home-u-work--"))
        await writeFile(join(agent, "sessions", "--home-u-work--", name), lines(header(), user))
      })
      assert.strictEqual((yield* go(agent, same))._tag, "Right")
      assert.strictEqual((yield* go(agent, same, "/elsewhere"))._tag, "Right")
      assert.strictEqual((yield* go(agent, same, "/third"))._tag, "Left")
    })
  )

  it.scopedLive("is left to pi where it is not found", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* go("/nowhere", same))._tag, "Right")
      assert.strictEqual((yield* go("/nowhere", Provider.Conversation.New({ id: null })))._tag, "Right")
    })
  )
})

describe("pi's folder of sessions", () => {
  it("is the one that the environment names, else in the configuration directory", () => {
    assert.strictEqual(location({ HOME: "/h" }), "/h/.pi/agent/sessions")
    assert.strictEqual(location({ HOME: "/h", PI_CODING_AGENT_DIR: "/c" }), "/c/sessions")
    assert.strictEqual(location({ HOME: "/h", PI_CODING_AGENT_DIR: "/c", PI_CODING_AGENT_SESSION_DIR: "/s" }), "/s")
  })

  it("of a recorded run is used again", () => {
    assert.deepStrictEqual(envFor(null, { HOME: "/h" }), {})
    assert.deepStrictEqual(envFor("/c/sessions", { HOME: "/h", PI_CODING_AGENT_DIR: "/c" }), {})
    assert.deepStrictEqual(envFor("/s", { HOME: "/h" }), { PI_CODING_AGENT_SESSION_DIR: "/s" })
    assert.deepStrictEqual(envFor("/c/sessions", { HOME: "/h", PI_CODING_AGENT_SESSION_DIR: "/s" }), {
      PI_CODING_AGENT_SESSION_DIR: undefined,
      PI_CODING_AGENT_DIR: "/c"
    })
    assert.deepStrictEqual(envFor("/h/.pi/agent/sessions", { HOME: "/h", PI_CODING_AGENT_DIR: "/c" }), {
      PI_CODING_AGENT_SESSION_DIR: undefined,
      PI_CODING_AGENT_DIR: undefined
    })
  })
})
