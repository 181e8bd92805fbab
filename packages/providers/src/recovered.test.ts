/**
 * What a run got over is not what it ended of: an error that was followed by more, or that only a sub-agent had, is no
 * reason of its end; and a sub-agent's conversation is not the run's.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Claude from "./claude/decode.js"
import * as Codex from "./codex/decode.js"
import type { Decoder } from "./decoder.js"
import * as Gemini from "./gemini/decode.js"
import * as Opencode from "./opencode/decode.js"
import * as Pi from "./pi/decode.js"
import { decodeAll, only, request } from "./testing/support.js"

const lines = (...rows: ReadonlyArray<object>): ReadonlyArray<string> => rows.map((row) => JSON.stringify(row))
const killed = { code: null, signal: "SIGKILL" }

/** Erases the state, of which a decoder that only reads lines shows nothing. */
const reader =
  <S>(of: Decoder<S>) =>
  (rows: ReadonlyArray<string>, ended: Parameters<typeof decodeAll>[2]) =>
    decodeAll(of, rows, ended)

const claude = reader(Claude.decoder(request(), "/c"))
const codex = reader(Codex.decoder(request(), "/c"))
const gemini = reader(Gemini.decoder(request(), "/c"))
const pi = reader(Pi.decoder(request(), "/c"))
const opencode = reader(Opencode.decoder(request(), "/c"))

const claudeError = (parent: string | null) => ({
  type: "assistant",
  is_api_error_message: true,
  error: "rate_limit",
  api_error_status: 429,
  parent_tool_use_id: parent,
  message: { model: "<synthetic>", content: [{ type: "text", text: "API Error: 429" }] }
})
const claudeSays = {
  type: "assistant",
  parent_tool_use_id: null,
  message: { id: "m", model: "opus", content: [{ type: "text", text: "on we go" }] }
}
const piError = {
  type: "message_end",
  message: { role: "assistant", content: [], stopReason: "error", errorMessage: "500 no" }
}

describe("a run that is killed after it got over an error was killed", () => {
  it.each([
    ["claude", claude, lines(claudeError(null), claudeSays)],
    ["claude, whose sub-agent had it", claude, lines(claudeSays, claudeError("toolu_1"))],
    [
      "codex",
      codex,
      lines(
        { type: "thread.started", thread_id: "a" },
        { type: "error", message: "exceeded retry limit, last status: 429 Too Many Requests" },
        { type: "item.completed", item: { id: "i", type: "agent_message", text: "on we go" } }
      )
    ],
    [
      "gemini",
      gemini,
      lines(
        { type: "init", session_id: "a", model: "m" },
        { type: "error", severity: "error", message: "[API Error: no]" },
        { type: "message", role: "assistant", content: "on we go", delta: true }
      )
    ],
    ["pi, while it waits", pi, lines(piError, { type: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 2000 })],
    [
      "opencode",
      opencode,
      lines(
        { type: "error", sessionID: "ses_1", error: { name: "APIError", data: { message: "no", statusCode: 500 } } },
        { type: "step_start", sessionID: "ses_1", part: {} }
      )
    ]
  ] as const)("%s", (_, read, rows) => {
    assert.deepStrictEqual(only(read(rows, killed), "Failed"), [])
  })
})

describe("an error that nothing has followed is the reason still", () => {
  it.each([
    ["claude", claude, lines(claudeSays, claudeError(null))],
    ["codex", codex, lines({ type: "error", message: "exceeded retry limit, last status: 429 Too Many Requests" })],
    ["gemini", gemini, lines({ type: "error", severity: "error", message: "[API Error: no]" })],
    ["pi", pi, lines(piError)],
    [
      "opencode",
      opencode,
      lines({
        type: "error",
        sessionID: "ses_1",
        error: { name: "APIError", data: { message: "no", statusCode: 500 } }
      })
    ]
  ] as const)("%s", (_, read, rows) => {
    assert.lengthOf(only(read(rows, { code: 1 }), "Failed"), 1)
  })
})

describe("the conversation of a sub-agent is not the run's", () => {
  it("of codex", () => {
    const events = codex(
      lines({ type: "thread.started", thread_id: "a" }, { type: "thread.started", thread_id: "b" }),
      {}
    )
    assert.deepStrictEqual(
      only(events, "SessionNamed").map(({ id }) => id),
      ["a"]
    )
  })

  it("of opencode, nor are its words, its errors and its end", () => {
    const own = { type: "text", sessionID: "ses_1", part: { messageID: "m", text: "own" } }
    const events = opencode(
      lines(
        own,
        { type: "text", sessionID: "ses_2", part: { messageID: "n", text: "another's" } },
        { type: "error", sessionID: "ses_2", error: { name: "APIError", data: { message: "no", statusCode: 500 } } },
        { type: "step_finish", sessionID: "ses_2", part: { reason: "stop", tokens: {} } }
      ),
      { code: 0 }
    )
    assert.deepStrictEqual(
      events.map((event) =>
        event._tag === "SessionNamed" ? event.id : event._tag === "Message" ? event.text : event._tag
      ),
      ["ses_1", "own"]
    )
  })
})
