import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { add, faultOf, isAnswer, nothingYet } from "./completion.js"
import { keyVariableOf } from "./config.js"
import { classify, type ServerError, waitOf, wordsOfCause } from "./failures.js"
import { bodyOf, messagesOf } from "./messages.js"
import { isSessionId, look, sessionIdFor } from "./transcript.js"

const now = Date.UTC(2026, 11, 1)

describe("a server's error", () => {
  const error = (more: Partial<ServerError>): ServerError => ({
    ...{ connection: false, status: 400, body: null, message: "", retryAfter: null, baseUrl: "http://h/v1", now },
    ...more
  })
  it.each([
    [
      "OpenAI: key",
      { status: 401, body: { code: "invalid_api_key", message: "Incorrect API key provided" } },
      "auth_required"
    ],
    ["forbidden", { status: 403, message: "no" }, "auth_required"],
    [
      "OpenAI: model",
      { status: 404, body: { code: "model_not_found", message: "The model `x` does not exist" } },
      "model_unavailable"
    ],
    [
      "Ollama: model",
      { status: 404, body: { message: `model "x" not found, try pulling it first` } },
      "model_unavailable"
    ],
    ["LM Studio: model", { status: 400, body: "No models loaded. Please load a model" }, "model_unavailable"],
    ["a wrong address", { status: 404, message: "HTTP 404 page not found" }, "invalid_request"],
    [
      "OpenAI: quota",
      {
        status: 429,
        body: { code: "insufficient_quota", message: "You exceeded your current quota" },
        retryAfter: "3600"
      },
      "budget_exceeded"
    ],
    ["payment", { status: 402, message: "Payment required" }, "budget_exceeded"],
    [
      "a moment's rate",
      { status: 429, body: { code: "rate_limit_exceeded", message: "Rate limit reached" }, retryAfter: "2" },
      "provider_overloaded"
    ],
    ["a long rate", { status: 429, body: { message: "Too many requests" }, retryAfter: "3600" }, "usage_limit"],
    [
      "a usage limit",
      { status: 429, body: { type: "usage_limit_reached", message: "The usage limit has been reached" } },
      "usage_limit"
    ],
    [
      "OpenAI: context",
      { status: 400, body: { code: "context_length_exceeded", message: "maximum context length is 8192 tokens" } },
      "context_exhausted"
    ],
    [
      "llama.cpp: context",
      { status: 400, body: { message: "the request exceeds the available context size" } },
      "context_exhausted"
    ],
    ["500", { status: 500, message: "Internal Server Error" }, "provider_overloaded"],
    ["529", { status: 529, message: "" }, "provider_overloaded"],
    [
      "refused",
      { connection: true, status: null, message: "fetch failed: connect ECONNREFUSED 127.0.0.1:1" },
      "network_lost"
    ],
    ["cut", { connection: true, status: null, message: "terminated: other side closed" }, "network_lost"],
    ["a bad request", { status: 400, body: { message: "Unsupported parameter: reasoning_effort" } }, "invalid_request"],
    ["in the stream", { status: null, body: { message: "something" } }, "provider_error"]
  ] as const)("%s", (_, more, code) => {
    assert.strictEqual(classify(error(more)).code, code)
  })

  it("says when a limit resets, and what to look at", () => {
    assert.strictEqual(classify(error({ status: 429, retryAfter: "3600" })).resetsAt, now + 3_600_000)
    assert.strictEqual(
      classify(error({ status: 429, body: { type: "usage_limit_reached", resets_at: 1783710000 } })).resetsAt,
      1783710000000
    )
    assert.include(classify(error({ connection: true, status: null, message: "fetch failed" })).text, "http://h/v1")
    assert.strictEqual(waitOf("Tue, 01 Dec 2026 00:00:10 GMT", now), 10_000)
    assert.isNull(waitOf("soon", now))
  })

  it("of whatever form has a class, and never names a lost conversation", () => {
    const status = fc.option(fc.integer({ min: 100, max: 599 }))
    fc.assert(
      fc.property(status, fc.jsonValue(), fc.string(), fc.option(fc.string()), (code, body, message, retryAfter) => {
        const failed = classify(error({ status: code, body, message, retryAfter }))
        assert.isNotEmpty(failed.code)
        assert.isNull(failed.lostSession)
      })
    )
  })

  it("of a connection is told down to its cause", () => {
    const cause = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" })
    assert.strictEqual(
      wordsOfCause(new TypeError("fetch failed", { cause })),
      "fetch failed: connect ECONNREFUSED 127.0.0.1:1"
    )
    assert.strictEqual(wordsOfCause("x"), "x")
  })
})

describe("an answer", () => {
  const piece = (content: unknown, finish: unknown = null) => ({
    choices: [{ delta: { content }, finish_reason: finish }]
  })
  const fold = (...pieces: ReadonlyArray<object>) =>
    pieces.reduce((before: typeof nothingYet, each) => add(before, each as never), nothingYet)
  it("is the pieces of its stream", () => {
    const done = fold({ model: "m", ...piece("a") }, piece("b"), piece(undefined, "stop"), {
      choices: [],
      usage: { prompt_tokens: 1, completion_tokens: 2 }
    })
    assert.deepStrictEqual(done, {
      text: "ab",
      finish: "stop",
      model: "m",
      usage: { inputTokens: 1, outputTokens: 2, costUsd: null }
    })
    assert.isTrue(isAnswer(done))
    assert.isTrue(isAnswer(fold({ choices: [{ message: { content: "whole" }, finish_reason: "stop" }] })))
  })
  it.each([
    ["stop", null],
    [null, "network_lost"],
    ["length", "provider_error"],
    ["content_filter", "provider_error"],
    ["tool_calls", "provider_error"],
    ["odd", "provider_error"]
  ] as const)("that ends with %s", (finish, code) => {
    const done = { ...nothingYet, text: "x", finish }
    assert.strictEqual(faultOf(done)?.code ?? null, code)
    assert.strictEqual(isAnswer(done), code === null)
  })
  it("that says nothing is none", () => {
    assert.isFalse(isAnswer({ ...nothingYet, text: " \n", finish: "stop" }))
  })
  it("of whatever pieces does not throw", () => {
    fc.assert(
      fc.property(fc.array(fc.object()), (pieces) => {
        assert.isString(fold(...pieces).text)
      })
    )
  })
})

describe("a request", () => {
  it("has turns that alternate, whatever was left unanswered", () => {
    const entry = fc.record({ role: fc.constantFrom("user" as const, "assistant" as const), content: fc.string() })
    fc.assert(
      fc.property(fc.array(entry), fc.option(fc.string({ minLength: 1 })), (entries, instructions) => {
        const messages = messagesOf(instructions, entries)
        for (const [index, { role }] of messages.entries()) assert.notStrictEqual(role, messages[index - 1]?.role)
        const said = messages.filter(({ role }) => role !== "system").map(({ content }) => content)
        assert.strictEqual(
          said.join("").replaceAll("\n\n", ""),
          entries
            .map(({ content }) => content)
            .join("")
            .replaceAll("\n\n", "")
        )
      })
    )
  })
  it("asks for effort and tokens only where it should", () => {
    const wanted = { model: "m", thinking: null, messages: [], usage: false }
    assert.deepStrictEqual(bodyOf(wanted), { model: "m", messages: [], stream: true })
    assert.deepStrictEqual(bodyOf({ ...wanted, thinking: "low", usage: true }), {
      ...{ model: "m", messages: [], stream: true },
      ...{ stream_options: { include_usage: true }, reasoning_effort: "low" }
    })
  })
  it("carries a key to nobody who was not meant to get it", () => {
    assert.strictEqual(keyVariableOf({ baseUrl: "https://api.openai.com/v1", keyVariable: null }), "OPENAI_API_KEY")
    assert.isNull(keyVariableOf({ baseUrl: "http://127.0.0.1:11434/v1", keyVariable: null }))
    assert.isNull(keyVariableOf({ baseUrl: "https://api.openai.com.evil.example/v1", keyVariable: null }))
    assert.strictEqual(keyVariableOf({ baseUrl: "https://x.example/v1", keyVariable: "X_KEY" }), "X_KEY")
  })
})

describe("a transcript", () => {
  it("has ids of one form", () => {
    assert.strictEqual(sessionIdFor("seed"), sessionIdFor("seed"))
    assert.notStrictEqual(sessionIdFor("seed"), sessionIdFor("seeds"))
    assert.isTrue(isSessionId(sessionIdFor("seed")))
    for (const hostile of ["", "api_", "api_../x", `api_${"A".repeat(32)}`, `${sessionIdFor("a")}\n`])
      assert.isFalse(isSessionId(hostile))
  })
  it("of whatever lines is read or found damaged, and does not throw", () => {
    const start = { id: null, entries: [], lastAt: null, fault: null, tailBroken: false }
    const head = { format: "alluka-api-session", version: 1, id: "x" }
    const row = fc.oneof(
      fc.constant(head),
      fc.record({
        n: fc.integer({ min: 1, max: 3 }),
        role: fc.constantFrom("user", "assistant", "system"),
        content: fc.string()
      }),
      fc.constant(null),
      fc.object()
    )
    fc.assert(
      fc.property(fc.array(row), (rows) => {
        const seen = rows.reduce(
          (before: Parameters<typeof look>[0], value, index) =>
            look(before, { line: index + 1, value: value as never, last: index === rows.length - 1 }),
          start
        )
        if (seen.fault === null) assert.isAtMost(seen.entries.length, Math.max(0, rows.length - 1))
      })
    )
  })
})
