import { existsSync, readFileSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { Provider } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Ask } from "../processProvider.js"
import { freshId, request, tempFolder } from "../testing/support.js"
import { location } from "./location.js"
import { prepare, sessionIdOf } from "./prepare.js"
import { isSessionId } from "./session.js"

const id = "ses_dd0aed231ffe1ANLxedH2EDyC2"

/** Prepares a start on a machine whose opencode answers like this; `database`: opencode was used there before. */
const prepared = (
  asked: Provider.StartRequest,
  answer: (args: ReadonlyArray<string>) => string | null,
  database = true
) =>
  Effect.gen(function* () {
    const env = { HOME: yield* tempFolder }
    if (database) {
      yield* Effect.promise(async () => {
        await mkdir(dirname(location(env)), { recursive: true })
        await writeFile(location(env), "")
      })
    }
    const calls: Array<ReadonlyArray<string>> = []
    const ask: Ask = (args) =>
      Effect.sync(() => {
        calls.push(args)
        const stdout = answer(args)
        return stdout === null ? Option.none() : Option.some({ code: 0, stdout, stderr: "" })
      })
    const outcome = yield* Effect.either(prepare(asked, { env, ask }))
    return { outcome, calls, env }
  })

const events = (ready: { readonly beside: Stream.Stream<unknown> }) =>
  Effect.map(Stream.runCollect(ready.beside), Chunk.toReadonlyArray)

describe("a new session of opencode", () => {
  it.scopedLive("is made ahead of the run, under an id of ours, in a file that is gone afterwards", () =>
    Effect.gen(function* () {
      const asked = request({ cwd: "/w" })
      let file = ""
      let written: { readonly info?: Record<string, unknown>; readonly messages?: unknown } = {}
      const { calls, env, outcome } = yield* prepared(asked, ([, path = ""]) => {
        file = path
        written = JSON.parse(readFileSync(path, "utf8"))
        return `Imported session: ${written.info?.id}\n`
      })
      if (outcome._tag === "Left") throw outcome.left
      const made = sessionIdOf(asked.checkpointId)
      assert.isTrue(isSessionId(made))
      assert.deepStrictEqual(outcome.right.request, { ...asked, conversation: Provider.Conversation.New({ id: made }) })
      assert.deepStrictEqual(yield* events(outcome.right), [
        { _tag: "SessionNamed", id: made, location: location(env), confirms: false }
      ])
      assert.deepStrictEqual(calls, [["import", file, "--pure"]])
      assert.deepInclude(written.info, { id: made, directory: "/w" })
      assert.deepStrictEqual(written.messages, [])
      assert.isFalse(existsSync(dirname(file)))
    })
  )

  it.scopedLive("is left to the run where it cannot be made, or where opencode was never used", () =>
    Effect.gen(function* () {
      const asked = request({ cwd: "/w" })
      for (const answer of [null, "", "Imported session: ses_another\n", "{}"]) {
        const { outcome } = yield* prepared(asked, () => answer)
        assert.deepStrictEqual(outcome._tag === "Right" && outcome.right.request, asked)
      }
      const { calls, outcome } = yield* prepared(asked, () => "", false)
      assert.deepStrictEqual(outcome._tag === "Right" && outcome.right.request, asked)
      assert.deepStrictEqual(calls, [])
    })
  )

  it("has an id that its checkpoint's always gives", () => {
    const checkpoint = freshId()
    assert.strictEqual(sessionIdOf(checkpoint), sessionIdOf(checkpoint))
    assert.notStrictEqual(sessionIdOf(checkpoint), sessionIdOf(freshId()))
  })
})

describe("a session of opencode that is gone on with", () => {
  const conversations = [
    Provider.Conversation.Continue({ id, location: null }),
    Provider.Conversation.Fork({ from: id, location: null, id: null })
  ]

  it.scopedLive("is refused in another folder than its own: opencode would hang", () =>
    Effect.gen(function* () {
      for (const conversation of conversations) {
        const row = JSON.stringify([{ directory: "/home/u/work", prompts: 1, last: 1 }])
        const { outcome } = yield* prepared(request({ conversation, cwd: "/w" }), () => row)
        if (outcome._tag === "Right") throw new Error("prepared")
        assert.include(outcome.left.message, "/home/u/work")
        assert.include(outcome.left.message, "/w")
      }
    })
  )

  it.scopedLive("starts in its own folder, and wherever the look-up says nothing", () =>
    Effect.gen(function* () {
      for (const conversation of conversations) {
        const asked = request({ conversation, cwd: "/w" })
        for (const answer of [JSON.stringify([{ directory: "/w", prompts: 1, last: 1 }]), "[]", "garbage", null]) {
          const { outcome } = yield* prepared(asked, () => answer)
          assert.deepStrictEqual(outcome._tag === "Right" && outcome.right.request, asked)
        }
        const { calls } = yield* prepared(asked, () => null, false)
        assert.deepStrictEqual(calls, [])
      }
    })
  )
})
