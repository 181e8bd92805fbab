import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { tempFolder } from "../testing/support.js"
import { envFor, inspectSession, location } from "./session.js"

const id = "01a22f33-f0ea-7c21-9a5f-fdf82879e70f"
const row = (type: string, payload: object, at = "2026-12-01T01:24:22.945Z"): string =>
  JSON.stringify({ timestamp: at, ordinal: 0, type, payload })
const header = row("session_meta", { id, cwd: "/home/u/work" })
const message = (role: string, text: string): string =>
  row("response_item", { type: "message", role, content: [{ type: "input_text", text }] })
const context = message("user", "<environment_context>\n  <cwd>/home/u/work</cwd>")
const prompt = message("user", "hello")
const completed = row("event_msg", { type: "item_completed", item: { type: "UserMessage", content: [] } })
const answer = row("response_item", { type: "message", role: "assistant", content: [] }, "2026-12-01T01:24:23.070Z")
const lines = (...rows: ReadonlyArray<string>): string => rows.map((each) => `${each}\n`).join("")

const name = `rollout-2026-12-01T01-24-22-${id}.jsonl`
const looked = (content: string | null, file = join("sessions/2026/12/01", name)) =>
  Effect.gen(function* () {
    const home = yield* tempFolder
    yield* Effect.promise(async () => {
      const other = join(
        home,
        "sessions/2026/11/30/rollout-2026-11-30T00-00-00-22222222-2222-5222-8222-222222222222.jsonl"
      )
      await mkdir(dirname(other), { recursive: true })
      await writeFile(other, lines(header))
      await mkdir(dirname(join(home, file)), { recursive: true })
      if (content !== null) await writeFile(join(home, file), content)
    })
    const seen = yield* inspectSession(
      { id, assignedBy: "provider", seenAt: null, location: null },
      { CODEX_HOME: home }
    )
    return { ...seen, path: seen.path === join(home, file) ? "the file" : seen.path }
  })

describe("a thread of codex", () => {
  it.scopedLive("is present with the time of its last row", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* looked(lines(header, context, prompt, answer)), {
        presence: "present",
        path: "the file",
        detail: null,
        lastRowAt: Date.parse("2026-12-01T01:24:23.070Z"),
        tailDamaged: false,
        promptMissing: false
      })
    })
  )

  it.scopedLive("without a message of the person must be given the prompt again", () =>
    Effect.gen(function* () {
      const seen = yield* looked(lines(header, context, message("developer", "You are")))
      assert.strictEqual(seen.presence, "present")
      assert.isTrue(seen.promptMissing)
      assert.include(seen.detail, "no prompt")
      assert.isFalse((yield* looked(lines(header, completed))).promptMissing)
      assert.isFalse(
        (yield* looked(lines(header, row("event_msg", { type: "user_message", message: "hi" })))).promptMissing
      )
    })
  )

  it.scopedLive("is absent where the storage does not hold it, and unknown where there is no storage", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* looked(null)).presence, "absent")
      const home = yield* tempFolder
      const seen = yield* inspectSession({ id, assignedBy: "provider", seenAt: null, location: home }, {})
      assert.strictEqual(seen.presence, "unknown")
    })
  )

  it.scopedLive("is damaged without a readable header, or by a broken line in the middle", () =>
    Effect.gen(function* () {
      for (const content of ["", "garbage\n", lines(header.slice(0, 50), prompt), lines(prompt, answer)]) {
        assert.strictEqual((yield* looked(content)).presence, "damaged", content)
      }
      const seen = yield* looked(lines(header, prompt.slice(0, 60), answer))
      assert.strictEqual(seen.presence, "damaged")
      assert.include(seen.detail, "line 2")
    })
  )

  it.scopedLive("goes on after a cut last line", () =>
    Effect.gen(function* () {
      const seen = yield* looked(lines(header, prompt) + answer.slice(0, 40))
      assert.strictEqual(seen.presence, "present")
      assert.isTrue(seen.tailDamaged)
    })
  )

  it.scopedLive("that is archived says what to do, and a compressed one is not judged", () =>
    Effect.gen(function* () {
      const archived = yield* looked(lines(header, prompt), join("archived_sessions", name))
      assert.strictEqual(archived.presence, "present")
      assert.include(archived.detail, "codex unarchive")
      const compressed = yield* looked("zst", join("sessions/2026/12/01", `${name}.zst`))
      assert.strictEqual(compressed.presence, "unknown")
    })
  )
})

describe("codex's configuration directory", () => {
  it("is put back for a recorded run", () => {
    assert.strictEqual(location({ HOME: "/h" }), "/h/.codex")
    assert.deepStrictEqual(envFor("/h/.codex", { HOME: "/h" }), {})
    assert.deepStrictEqual(envFor("/c", { HOME: "/h" }), { CODEX_HOME: "/c" })
    assert.deepStrictEqual(envFor("/h/.codex", { HOME: "/h", CODEX_HOME: "/c" }), { CODEX_HOME: undefined })
  })
})
