import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs"
import { mkdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Provider } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { request, tempFolder } from "../testing/support.js"
import { prepare } from "./keep.js"

const id = "30f28436-970a-5877-aa7f-c871d48ad4b7"
const name = "session-2026-12-01T02-43-30f28436.jsonl"
const stubName = "session-2026-12-01T02-50-30f28436.jsonl"
const stub = `{"sessionId":"${id}","projectHash":"a5d1","kind":"main"}\n`
const prompt = (text: string) => `{"id":"m-${text}","type":"user","content":[{"text":"${text}"}]}\n`
const conversation = stub + prompt("hello")

/** gemini's storage with one project for `/w`. */
const storage = Effect.gen(function* () {
  const home = yield* tempFolder
  const project = join(home, ".gemini", "tmp", "w")
  const chats = join(project, "chats")
  yield* Effect.promise(async () => {
    await mkdir(chats, { recursive: true })
    await writeFile(join(project, ".project_root"), "/w")
    await writeFile(join(chats, name), conversation)
  })
  const files = () => ({
    chats: readdirSync(chats).sort(),
    kept: existsSync(join(project, "alluka")) ? readdirSync(join(project, "alluka")) : []
  })
  return {
    env: { HOME: home },
    chats,
    project,
    files,
    write: (file: string, text: string) => writeFile(join(chats, file), text)
  }
})

const resume = (more: Partial<Provider.StartRequest> = {}) =>
  request({ conversation: Provider.Conversation.Continue({ id, location: null }), cwd: "/w", ...more })

/** Runs `during` as gemini would run between a start and its end. */
const over = (env: { readonly HOME: string }, during: () => void | Promise<void>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { beside } = yield* prepare(resume(), { env })
      yield* Effect.promise(async () => during())
      return Chunk.toReadonlyArray(yield* Stream.runCollect(beside))
    })
  )

describe("a resume of gemini", () => {
  it.scopedLive("leaves no stub and no copy, and the conversation with what was added", () =>
    Effect.gen(function* () {
      const { chats, env, files, write } = yield* storage
      yield* over(env, async () => {
        assert.deepStrictEqual(files(), { chats: [name], kept: [name] })
        await write(stubName, stub)
        appendFileSync(join(chats, name), prompt("more"))
      })
      assert.deepStrictEqual(files(), { chats: [name], kept: [] })
      assert.strictEqual(readFileSync(join(chats, name), "utf8"), conversation + prompt("more"))
    })
  )

  it.scopedLive("removes the stub of a resume by somebody else before gemini could take it for damage", () =>
    Effect.gen(function* () {
      const { env, files, write } = yield* storage
      yield* Effect.promise(() => write(stubName, stub))
      yield* over(env, () => {
        assert.deepStrictEqual(files().chats, [name])
      })
    })
  )

  it.scopedLive("puts the file back that another gemini deleted while it went on", () =>
    Effect.gen(function* () {
      const { chats, env, files, write } = yield* storage
      yield* over(env, async () => {
        appendFileSync(join(chats, name), prompt("more"))
        await write(stubName, stub)
        await rm(join(chats, name))
        await rm(join(chats, stubName))
      })
      assert.deepStrictEqual(files(), { chats: [name], kept: [] })
      assert.strictEqual(readFileSync(join(chats, name), "utf8"), conversation + prompt("more"))
    })
  )

  it.scopedLive("puts the file back that was deleted after the owner of the last resume was killed, and says so", () =>
    Effect.gen(function* () {
      const { chats, env, files, project, write } = yield* storage
      yield* Effect.promise(async () => {
        await mkdir(join(project, "alluka"))
        await writeFile(join(project, "alluka", name), conversation)
        await rm(join(chats, name))
        await write(stubName, stub)
      })
      const told = yield* over(env, () => {
        assert.deepStrictEqual(files(), { chats: [name], kept: [name] })
      })
      assert.deepStrictEqual(
        told.map(({ _tag }) => _tag),
        ["Notice"]
      )
      assert.deepStrictEqual(files(), { chats: [name], kept: [] })
      assert.strictEqual(readFileSync(join(chats, name), "utf8"), conversation)
    })
  )

  it.scopedLive("from another folder is refused, and changes nothing", () =>
    Effect.gen(function* () {
      const { env, files, write } = yield* storage
      yield* Effect.promise(() => write(stubName, stub))
      const refused = yield* Effect.flip(Effect.scoped(prepare(resume({ cwd: "/elsewhere" }), { env })))
      assert.include(refused.message, "/w")
      assert.deepStrictEqual(files(), { chats: [name, stubName], kept: [] })
    })
  )

  it.scopedLive("of a session that is not there, and a new session, are left to gemini", () =>
    Effect.gen(function* () {
      const { chats, env, files } = yield* storage
      yield* Effect.promise(() => rm(join(chats, name)))
      yield* over(env, () => undefined)
      const { beside: _, ...started } = yield* Effect.scoped(prepare(request(), { env }))
      assert.strictEqual(started.request.conversation._tag, "New")
      yield* over({ HOME: "/nowhere" }, () => undefined)
      assert.deepStrictEqual(files(), { chats: [], kept: [] })
    })
  )
})
