import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { almostEvents, decodeAll, only, request, sampleLines } from "../testing/support.js"
import { decoder } from "./decode.js"
import { isRefusal } from "./failures.js"

const sample = sampleLines(import.meta.url)
const opencode = decoder(request(), "/home/u/opencode.db")
const tags = (lines: ReadonlyArray<string>, ended = {}) => decodeAll(opencode, lines, ended).map(({ _tag }) => _tag)
const failureOf = (lines: ReadonlyArray<string>, ended: Parameters<typeof decodeAll>[2] = { code: 1 }) => {
  const [failed, ...others] = only(decodeAll(opencode, lines, ended), "Failed")
  assert.strictEqual(others.length, 0)
  if (failed === undefined) throw new Error("nothing failed")
  return failed.failure
}
const stopped = `{"type":"step_finish","sessionID":"ses_1","part":{"reason":"stop","tokens":{"input":1,"output":2}}}`
const said = `{"type":"text","sessionID":"ses_1","part":{"messageID":"msg_1","text":"done"}}`

describe("opencode's stream", () => {
  it("of a run with a tool that failed", () => {
    assert.deepStrictEqual(decodeAll(opencode, sample("failed-tool")), [
      {
        _tag: "SessionNamed",
        id: "ses_dd0a996ceffeyKA0ygVm7ha3Jf",
        location: "/home/u/opencode.db",
        confirms: true
      },
      { _tag: "TurnStarted" },
      { _tag: "ToolStarted", id: "call_46mx41xf1x", name: "bash", summary: "exit 3" },
      { _tag: "ToolFinished", id: "call_46mx41xf1x", ok: false, summary: "exit 3: (no output)" },
      { _tag: "UsageReported", usage: { inputTokens: 111, outputTokens: 22, costUsd: null }, cumulative: false },
      { _tag: "TurnStarted" },
      {
        _tag: "Message",
        role: "assistant",
        id: "msg_22f568de9001IsbBqUC7wUnUkn",
        text: "REPLY(after-tool) model=fake-a userTurns=1 roles=4"
      },
      { _tag: "UsageReported", usage: { inputTokens: 222, outputTokens: 44, costUsd: null }, cumulative: false },
      { _tag: "Succeeded", text: "REPLY(after-tool) model=fake-a userTurns=1 roles=4" }
    ] as unknown as ReturnType<typeof decodeAll>)
  })

  it.each(["plain", "resumed", "forked", "unknown-tool"])("of %s ends in a success", (name) => {
    assert.strictEqual(tags(sample(name)).at(-1), "Succeeded")
    assert.strictEqual(only(decodeAll(opencode, sample(name)), "SessionNamed").length, 1)
  })

  it("of a refused tool tells the refusal, and is no success although it ends with 0", () => {
    const events = decodeAll(opencode, sample("denied"), {
      stderr: "! permission requested: bash (x); auto-rejecting\n"
    })
    assert.deepStrictEqual(
      only(events, "Denied").map(({ detail, tool }) => [tool, detail]),
      [["bash", "echo hello-from-tool"]]
    )
    assert.strictEqual(only(events, "ToolFinished")[0]?.ok, false)
    assert.strictEqual(only(events, "Succeeded").length, 0)
  })

  it("of an empty answer is no success although it ends with 0", () => {
    assert.strictEqual(failureOf(sample("empty"), { code: 0 }).code, "provider_error")
  })

  it("has succeeded only when the program has ended by itself after its last step", () => {
    assert.notInclude(tags([said, stopped], { code: null, signal: "SIGKILL" }), "Succeeded")
    assert.notInclude(tags([said, stopped, `{"type":"step_start","sessionID":"ses_1","part":{}}`]), "Succeeded")
    assert.notInclude(tags([said, stopped.replace("stop", "tool-calls")]), "Succeeded")
  })

  it("that recovered from an error is a success, whatever the exit code", () => {
    const error = sample("http401").map((line) => line.replaceAll(/ses_\w+/g, "ses_1"))
    const events = tags([...error, said, stopped], { code: 1 })
    assert.include(events, "Succeeded")
    assert.notInclude(events, "Failed")
  })

  it("knows both words of a refusal by permission", () => {
    assert.isTrue(isRefusal("The user rejected permission to use this specific tool call."))
    assert.isTrue(isRefusal("The user has specified a rule which prevents you from using this specific tool call."))
    assert.isFalse(isRefusal("ENOENT: no such file"))
  })
})

describe("opencode's failures", () => {
  it.each([
    ["http401", "auth_required", 401],
    ["http400", "invalid_request", 400],
    ["http404", "provider_error", 404],
    ["quota", "budget_exceeded", 429]
  ])("%s is %s", (name, code, status) => {
    const failure = failureOf(sample(name))
    assert.strictEqual(failure.code, code)
    assert.strictEqual(failure.status, status)
    assert.isNull(failure.lostSession)
  })

  it.each([
    ["Rate limit reached. Try again in 2s.", 429, "provider_overloaded"],
    ["HTTP 503", 503, "provider_overloaded"],
    ["Cannot connect to API: Unable to connect", null, "network_lost"],
    ["The model `x` does not exist", 404, "model_unavailable"],
    ["Your usage limit is reached", 429, "usage_limit"],
    ["This model's maximum context length is 8192 tokens", 400, "context_exhausted"]
  ])("%s (%s) is %s", (message, statusCode, code) => {
    const error = { name: "APIError", data: { message, ...(statusCode === null ? {} : { statusCode }) } }
    assert.strictEqual(failureOf([JSON.stringify({ type: "error", sessionID: "ses_1", error })]).code, code)
  })

  it.each([
    ["ProviderAuthError", "auth_required"],
    ["ContextOverflowError", "context_exhausted"],
    ["MessageAbortedError", "provider_error"]
  ])("an error called %s is %s", (name, code) => {
    assert.strictEqual(failureOf([JSON.stringify({ type: "error", error: { name, data: {} } })]).code, code)
  })

  it("of an unknown model is told by the log, and does not confirm the conversation", () => {
    const stderr = readFileSync(new URL("./samples/unknown-model.stderr.txt", import.meta.url), "utf8")
    const failure = failureOf(sample("unknown-model"), { code: 1, stderr })
    assert.strictEqual(failure.code, "model_unavailable")
    assert.strictEqual(failure.text, "ProviderModelNotFoundError: Model not found: loop/nope.")
    assert.strictEqual(failureOf(sample("unknown-model"), { code: 1 }).code, "provider_error")
    const named = (name: string) => only(decodeAll(opencode, sample(name)), "SessionNamed").map((each) => each.confirms)
    assert.deepStrictEqual(named("unknown-model"), [false])
    assert.deepStrictEqual(named("http401"), [true])
  })

  it.each([0, 1])("to find a session are read from stderr, with exit code %s", (code) => {
    const stderr = "\u001b[91m\u001b[1mError: \u001b[0mSession not found\n"
    const failure = failureOf([], { code, stderr })
    assert.strictEqual(failure.code, "provider_session_missing")
    assert.strictEqual(failure.lostSession, "no_such_session")
    assert.strictEqual(failure.text, "Error: Session not found")
  })

  it("that are not known are left to the exit code, and lose no session", () => {
    assert.notInclude(tags([], { code: 1, stderr: "Error: Unexpected error\n" }), "Failed")
    const broken = failureOf([], { code: 1, stderr: "Error: Unexpected error\nfile is not a database\n" })
    assert.isNull(broken.lostSession)
    assert.strictEqual(failureOf([], { code: 1, stderr: "Error: read ECONNRESET\n" }).code, "network_lost")
  })
})

describe("opencode's decoder", () => {
  it("never throws, and never invents a success", () => {
    const keys = [
      ...["type", "sessionID", "part", "messageID", "text", "reason", "tokens", "input", "output", "cache", "read"],
      ...[
        "cost",
        "state",
        "status",
        "error",
        "name",
        "data",
        "message",
        "statusCode",
        "ref",
        "metadata",
        "exit",
        "tool"
      ]
    ]
    const words = ["step_start", "step_finish", "text", "tool_use", "error", "tool-calls", "UnknownError", "ses_1"]
    fc.assert(
      fc.property(
        fc.array(fc.oneof(almostEvents(keys, words), fc.string({ unit: "binary" })), { maxLength: 12 }),
        fc.string(),
        (lines, stderr) => {
          assert.strictEqual(only(decodeAll(opencode, lines, { code: 0, stderr }), "Succeeded").length, 0)
        }
      ),
      { numRuns: 500 }
    )
  })
})
