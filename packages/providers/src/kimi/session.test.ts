import { appendFile, mkdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Provider } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Ask } from "../processProvider.js"
import { request, tempFolder } from "../testing/support.js"
import { indexed } from "./discover.js"
import { envFor, location } from "./location.js"
import { prepare } from "./prepare.js"
import { inspectSession, isSessionId } from "./session.js"

const id = "session_060156e7-48dd-48c4-8c35-21dfda24a1a4"
const other = "session_a03c2431-6c09-4ee6-a0d6-72140e0fe074"
const cwd = "/home/u/work"
/** Rows of a file that 2.1.0 wrote. */
const metadata = `{"type":"metadata","protocol_version":"1.5","created_at":1796091223646}`
const prompt = (text = "hello") =>
  `{"type":"turn.prompt","agentId":"main","input":[{"type":"text","text":"${text}"}],"origin":{"kind":"user"},"turnId":0,"time":1796091223794}`
const ended = `{"type":"turn.ended","agentId":"main","turnId":0,"reason":"completed","durationMs":306,"time":1796091224100}`
const lines = (...rows: ReadonlyArray<string>): string => rows.map((row) => `${row}\n`).join("")

/** Writes the session's conversation into kimi's storage. */
const wrote = (home: string, content: string, of = id) =>
  Effect.promise(async () => {
    const folder = join(home, "sessions", "wd_work_1", of)
    await mkdir(join(folder, "agents", "main"), { recursive: true })
    await writeFile(join(folder, "agents", "main", "wire.jsonl"), content)
    return folder
  })

const looked = (content: string | null) =>
  Effect.gen(function* () {
    const home = yield* tempFolder
    yield* wrote(home, lines(metadata, prompt()), other)
    if (content !== null) yield* wrote(home, content)
    return yield* inspectSession({ id, assignedBy: "provider", seenAt: null, location: home }, home)
  })

describe("a session of kimi", () => {
  it.scopedLive("is present with the time of its last row", () =>
    Effect.gen(function* () {
      const { path, ...seen } = yield* looked(lines(metadata, prompt(), ended))
      assert.include(path, id)
      assert.deepStrictEqual(seen, {
        presence: "present",
        detail: null,
        lastRowAt: 1796091224100,
        tailDamaged: false,
        promptMissing: false
      })
    })
  )

  it.scopedLive("is absent where its folder has lost the conversation: kimi would go on with an empty one", () =>
    Effect.gen(function* () {
      const home = yield* tempFolder
      const folder = yield* wrote(home, lines(metadata, prompt()))
      yield* Effect.promise(() => rm(join(folder, "agents"), { recursive: true }))
      const seen = yield* inspectSession({ id, assignedBy: "provider", seenAt: null, location: home }, home)
      assert.deepInclude(seen, { presence: "absent", path: folder })
    })
  )

  it.scopedLive("is absent without a folder, damaged by a broken line, and goes on after a cut one", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* looked(null)).presence, "absent")
      assert.strictEqual((yield* looked("")).presence, "absent")
      const middle = yield* looked(lines(metadata, prompt().slice(0, 40), ended))
      assert.deepInclude(middle, { presence: "damaged", brokenLines: 1 })
      const tail = yield* looked(lines(metadata, prompt()) + ended.slice(0, 40))
      assert.deepInclude(tail, { presence: "present", tailDamaged: true })
      assert.deepInclude(yield* looked(lines(metadata)), { presence: "present", promptMissing: true })
    })
  )

  it.scopedLive("is unknown where there is no storage at all", () =>
    Effect.gen(function* () {
      const home = yield* tempFolder
      const seen = yield* inspectSession({ id, assignedBy: "provider", seenAt: null, location: null }, home)
      assert.strictEqual(seen.presence, "unknown")
      assert.include(seen.detail, "is not there")
    })
  )

  it.each([
    [id, true],
    ["060156e7-48dd-48c4-8c35-21dfda24a1a4", false],
    ["--continue", false],
    ["session_../x", false],
    ["", false]
  ])("%s may be an id: %s", (text, may) => {
    assert.strictEqual(isSessionId(text), may)
  })
})

describe("a new session of kimi", () => {
  const row = (of: string, folder: string, workDir = cwd) =>
    `${JSON.stringify({ sessionId: of, sessionDir: folder, workDir })}\n`
  const nobody: Ask = () => Effect.die("asked")

  it.scopedLive("is found by its prompt among the sessions made since the start in the same folder", () =>
    Effect.gen(function* () {
      const home = yield* tempFolder
      const index = join(home, "session_index.jsonl")
      const before = yield* wrote(home, lines(metadata, prompt("mine")), "session_before")
      yield* Effect.promise(() => writeFile(index, row("session_before", before)))
      const asked = request({ cwd, prompt: "mine\n" })
      const { beside } = yield* prepare(asked, { env: { KIMI_CODE_HOME: home }, ask: nobody })
      const found = yield* Effect.fork(Stream.runCollect(beside))
      yield* Effect.sleep("300 millis")
      const elsewhere = yield* wrote(home, lines(metadata, prompt("mine")), "session_elsewhere")
      const another = yield* wrote(home, lines(metadata, prompt("theirs")), other)
      const own = yield* wrote(home, lines(metadata), id)
      yield* Effect.promise(async () => {
        await appendFile(index, row("session_elsewhere", elsewhere, "/elsewhere") + row(other, another) + row(id, own))
      })
      yield* Effect.sleep("300 millis")
      yield* wrote(home, lines(metadata, prompt("mine")))
      assert.deepStrictEqual(Chunk.toReadonlyArray(yield* Fiber.join(found)), [
        { _tag: "SessionNamed", id, location: home, confirms: true }
      ] as never)
    })
  )

  it("is not found in half a line, or under an id that is none", () => {
    assert.deepStrictEqual(indexed(row(id, "/s").slice(0, 40), cwd), [])
    assert.deepStrictEqual(indexed(row("../x", "/s"), cwd), [])
    assert.deepStrictEqual(indexed(`\n${row(id, "/s")}garbage`, cwd), [{ id, folder: "/s" }])
  })
})

describe("a fork of kimi", () => {
  const asked = request({ conversation: Provider.Conversation.Fork({ from: id, location: null, id: null }) })
  const answering =
    (stdout: string, stderr = ""): Ask =>
    (args) => {
      assert.deepStrictEqual(args, ["fork", id, "--yes"])
      return Effect.succeed(Option.some({ code: stdout === "" ? 1 : 0, stdout, stderr }))
    }

  it.effect("is made before the run, which goes on in the copy", () =>
    Effect.gen(function* () {
      const { beside, request: next } = yield* prepare(asked, {
        env: { KIMI_CODE_HOME: "/k" },
        ask: answering(`Forked to ${other} ("Fork") in 1ms\n`)
      })
      assert.deepInclude(next.conversation, { _tag: "Fork", id: other })
      assert.deepStrictEqual(Chunk.toReadonlyArray(yield* Stream.runCollect(beside)), [
        { _tag: "SessionNamed", id: other, location: "/k", confirms: false }
      ] as never)
    })
  )

  it.effect("that cannot be made starts nothing, and says why", () =>
    Effect.gen(function* () {
      for (const ask of [answering("", `error: Session "${id}" not found.`), (() => Effect.succeedNone) as Ask]) {
        const error = yield* Effect.flip(prepare(asked, { env: {}, ask }))
        assert.include(error.message, id)
      }
    })
  )
})

describe("kimi's configuration directory", () => {
  it("is the one that the environment names, else in the home folder; a recorded one is put back", () => {
    assert.strictEqual(location({ HOME: "/h" }), "/h/.kimi-code")
    assert.strictEqual(location({ HOME: "/h", KIMI_CODE_HOME: "/k" }), "/k")
    assert.deepStrictEqual(envFor(null, { HOME: "/h" }), {})
    assert.deepStrictEqual(envFor("/k", { HOME: "/h" }), { KIMI_CODE_HOME: "/k" })
    assert.deepStrictEqual(envFor("/h/.kimi-code", { HOME: "/h", KIMI_CODE_HOME: "/k" }), { KIMI_CODE_HOME: undefined })
  })
})
