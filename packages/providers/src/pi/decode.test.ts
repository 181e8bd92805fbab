import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { almostEvents, decodeAll, only, request, sampleLines } from "../testing/support.js"
import { abridge } from "./abridge.js"
import { decoder } from "./decode.js"

const sample = sampleLines(import.meta.url)
const pi = decoder(request({ model: "fake/fake-1" }), "/home/u/sessions")
const failureOf = (lines: ReadonlyArray<string>, ended: Parameters<typeof decodeAll>[2] = { code: 0 }) => {
  const [failed, ...others] = only(decodeAll(pi, lines, ended), "Failed")
  assert.strictEqual(others.length, 0)
  if (failed === undefined) throw new Error("nothing failed")
  return failed.failure
}
const generations = ["0.73", "1.6"] as const
const answer = (fields: object) =>
  JSON.stringify({
    type: "message_end",
    message: { role: "assistant", content: [{ type: "text", text: "hm" }], ...fields }
  })

describe.each(generations)("the stream of pi %s", (generation) => {
  it("of a run with a tool", () => {
    const events = decodeAll(pi, sample(`${generation}-tool`))
    const [named] = only(events, "SessionNamed")
    const thinking = generation === "1.6" ? "medium" : null
    assert.match(named?.id ?? "", /^01a22f5d-/)
    assert.deepStrictEqual(
      events.map(({ _tag }) => _tag),
      [
        ...([
          "SessionNamed",
          "TurnStarted",
          "SettingsReported",
          "UsageReported",
          "ToolStarted",
          "ToolFinished"
        ] as const),
        ...(["TurnStarted", "Message", "UsageReported", "Succeeded"] as const)
      ]
    )
    assert.deepInclude(only(events, "SettingsReported")[0], { model: "fake/fake-1", thinking })
    assert.deepInclude(only(events, "ToolStarted")[0], { name: "bash", summary: "echo hello-from-tool" })
    assert.deepInclude(only(events, "ToolFinished")[0], { ok: true, summary: "hello-from-tool" })
    assert.deepStrictEqual(
      only(events, "UsageReported").map(({ cumulative, usage }) => [cumulative, usage.inputTokens, usage.outputTokens]),
      [
        [false, 111, 22],
        [false, 222, 44]
      ]
    )
    assert.include(only(events, "Succeeded")[0]?.text, "REPLY(after-tool)")
  })

  it.each(["plain", "resumed", "forked", "retried"])("of a run that was %s ends in a success", (name) => {
    const events = decodeAll(pi, sample(`${generation}-${name}`))
    assert.strictEqual(only(events, "Succeeded").length, 1)
    assert.strictEqual(only(events, "Failed").length, 0)
  })

  it.each([
    ["http401", "auth_required", 401],
    ["http404", "provider_error", 404],
    ["quota", "budget_exceeded", 429],
    ["empty", "provider_error", null]
  ])("%s is %s although it ends with 0", (name, code, status) => {
    const lines = sample(`${generation}-${name}`)
    const failure = failureOf(lines)
    assert.strictEqual(failure.code, code)
    assert.strictEqual(failure.status, status)
    assert.isNull(failure.lostSession)
    assert.notInclude(failure.text, "{")
    assert.strictEqual(only(decodeAll(pi, lines), "Succeeded").length, 0)
  })

  it("has not succeeded where it was cut off before its end", () => {
    const lines = sample(`${generation}-plain`)
    const cut = lines.slice(
      0,
      lines.findIndex((line) => line.includes('"agent_end"'))
    )
    for (const ended of [
      { code: 143, signal: "SIGTERM" },
      { code: null, signal: "SIGKILL" }
    ]) {
      assert.strictEqual(only(decodeAll(pi, cut, ended), "Succeeded").length, 0)
    }
    const streaming = cut.slice(0, cut.findLastIndex((line) => line.includes('"message_start"')) + 1)
    assert.strictEqual(only(decodeAll(pi, streaming), "Succeeded").length, 0)
  })
})

describe("pi's events", () => {
  it("of 1.6 tell the success themselves, whatever the exit code", () => {
    assert.strictEqual(only(decodeAll(pi, sample("1.6-plain"), { code: 1 }), "Succeeded").length, 1)
    const aborted = sample("1.6-plain").map((line) => line.replace('"aborted":false', '"aborted":true'))
    assert.strictEqual(only(decodeAll(pi, aborted, { code: 1 }), "Succeeded").length, 0)
  })

  it("tell that it tries again, and until when it waits", () => {
    const [first] = only(decodeAll(pi, sample("1.6-retried")), "Retrying")
    assert.include(first?.text, "attempt 1 of 3")
    assert.strictEqual(first?.until, 1_002_000)
  })

  it.each([
    ["length", "cut at its limit"],
    ["aborted", "aborted"],
    ["somethingNew", "somethingNew"]
  ])("an answer that ends with %s is a failure", (stopReason, words) => {
    assert.include(failureOf([answer({ stopReason })]).text, words)
  })

  it("of an answer that ended in the use of a tool are no end at all", () => {
    const events = decodeAll(pi, [answer({ stopReason: "toolUse" })])
    assert.notInclude(
      events.map(({ _tag }) => _tag),
      "Succeeded"
    )
    assert.notInclude(
      events.map(({ _tag }) => _tag),
      "Failed"
    )
  })

  it.each([
    [null, "fake/fake-1"],
    ["fake-1", "fake-1"],
    ["fake/fake-1", "fake/fake-1"],
    ["fake/fake-1:high", "fake/fake-1:high"],
    ["other", "fake/fake-1"]
  ])("name the model, asked for as %s, as %s", (asked, reported) => {
    const events = decodeAll(decoder(request({ model: asked }), null), [answer({ provider: "fake", model: "fake-1" })])
    assert.strictEqual(only(events, "SettingsReported")[0]?.model, reported)
  })
})

describe("pi's failures", () => {
  it.each([
    ["529 overloaded_error", "provider_overloaded", 529],
    ['503: {"error":{"message":"try later"}}', "provider_overloaded", 503],
    ["429 Rate limit reached", "provider_overloaded", 429],
    ["You have hit your ChatGPT usage limit (plus plan). Try again in ~51 min.", "usage_limit", null],
    ["400 prompt is too long: 210000 tokens > 200000 maximum", "context_exhausted", 400],
    ["404 model: claude-9 not found", "model_unavailable", 404],
    ["Connection error.", "network_lost", null],
    ["terminated", "network_lost", null],
    ["something else", "provider_error", null]
  ])("%s is %s", (errorMessage, code, status) => {
    const failure = failureOf([answer({ stopReason: "error", errorMessage })])
    assert.strictEqual(failure.code, code)
    assert.strictEqual(failure.status, status)
  })

  const id = "01a22f5d-9613-7706-831d-79415b06920a"
  it.each([
    [`No session found matching '${id}'`, 1, "provider_session_missing", "no_such_session"],
    ["Error: Session file is not a valid pi session: /x.jsonl", 1, "provider_session_missing", "invalid_session"],
    ["Session found in different project: /home/u/work", 0, "invalid_request", null],
    ["Stored session working directory does not exist: /gone", 1, "invalid_request", null],
    ['Error: Model "a/b" not found. Use --list-models to see available models.', 1, "model_unavailable", null],
    ["No API key found for openai.", 1, "auth_required", null],
    ["Error: read ECONNRESET", 1, "network_lost", null]
  ])("%s on stderr (%s) is %s", (words, code, expected, lost) => {
    const failure = failureOf([], { code, stderr: `${words}\n\nmore\n` })
    assert.strictEqual(failure.code, expected)
    assert.strictEqual(failure.lostSession, lost)
    assert.strictEqual(failure.text, words)
  })

  it("that are not known are left to the exit code", () => {
    assert.strictEqual(only(decodeAll(pi, [], { code: 1, stderr: "Something new" }), "Failed").length, 0)
  })
})

describe("pi's lines", () => {
  const growing = `{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"a ,\\"partial\\": b","partial":{"role":"assistant","content":[{"type":"text","text":"long"}]}},"message":{"role":"assistant"}}`
  it.each([
    [
      growing,
      `{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"a ,\\"partial\\": b"}}`
    ],
    [
      `{"type":"tool_execution_update","toolCallId":"c","toolName":"bash","args":{},"partialResult":{"content":[]}}`,
      `{"type":"tool_execution_update","toolCallId":"c","toolName":"bash","args":{}}`
    ],
    [`{"type":"turn_end","message":{"role":"assistant"},"toolResults":[]}`, `{"type":"turn_end"}`],
    [`{"type":"agent_end","messages":[1,2],"willRetry":false}`, `{"type":"agent_end"}`],
    [`{"type":"message_end","message":{"role":"user"}}`, `{"type":"message_end","message":{"role":"user"}}`],
    [`{"type":"agent_end"}`, `{"type":"agent_end"}`],
    ["garbage", "garbage"]
  ])("%s is written down as %s", (line, abridged) => {
    assert.strictEqual(abridge(line), abridged)
  })

  it("of any delta stay whole JSON that says the same", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (delta, text) => {
        const event = { type: "text_delta", contentIndex: 0, delta }
        const line = JSON.stringify({
          type: "message_update",
          assistantMessageEvent: { ...event, partial: { text } },
          message: { text }
        })
        assert.deepStrictEqual(JSON.parse(abridge(line)), { type: "message_update", assistantMessageEvent: event })
      })
    )
  })
})

describe("pi's decoder", () => {
  it("never throws, and never invents a success", () => {
    const keys = [
      ...["type", "id", "message", "role", "content", "text", "usage", "input", "cost", "total", "stopReason", "model"],
      ...[
        "errorMessage",
        "toolCallId",
        "toolName",
        "args",
        "result",
        "isError",
        "delayMs",
        "attempt",
        "aborted",
        "provider"
      ]
    ]
    const words = [
      "session",
      "turn_start",
      "message_start",
      "message_end",
      "agent_end",
      "agent_settled",
      "assistant",
      "toolUse"
    ]
    fc.assert(
      fc.property(
        fc.array(fc.oneof(almostEvents(keys, words), fc.string({ unit: "binary" })), { maxLength: 12 }),
        fc.string(),
        (lines, stderr) => {
          assert.strictEqual(only(decodeAll(pi, lines, { code: 0, stderr }), "Succeeded").length, 0)
        }
      ),
      { numRuns: 500 }
    )
  })
})
