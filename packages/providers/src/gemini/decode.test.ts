import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { almostEvents, decodeAll, only, request, sampleLines } from "../testing/support.js"
import { decoder } from "./decode.js"

const sample = sampleLines(import.meta.url)
const gemini = decoder(request(), "/home/u/.gemini")
const failureOf = (lines: ReadonlyArray<string>, ended: Parameters<typeof decodeAll>[2] = { code: 1 }) => {
  const [failed, ...others] = only(decodeAll(gemini, lines, ended), "Failed")
  assert.strictEqual(others.length, 0)
  if (failed === undefined) throw new Error("nothing failed")
  return failed.failure
}
const failed = (message: string) => `{"type":"result","status":"error","error":{"message":${JSON.stringify(message)}}}`

describe("gemini's stream", () => {
  it("of a run with a tool", () => {
    const id = "run_shell_command__run_shell_command_1796090763571_0"
    const said = "REPLY(after-tool) model=gemini-2.5-flash userTurns=1 roles=3"
    assert.deepStrictEqual(decodeAll(gemini, sample("tool")), [
      { _tag: "SessionNamed", id: "b676c9d8-207a-46e4-9b40-12ef9aa971c0", location: "/home/u/.gemini", confirms: true },
      { _tag: "SettingsReported", model: "gemini-2.5-flash", thinking: null, permission: null },
      { _tag: "TurnStarted" },
      { _tag: "ToolStarted", id, name: "run_shell_command", summary: "echo hello-from-tool" },
      { _tag: "ToolFinished", id, ok: true, summary: "hello-from-tool" },
      { _tag: "TurnStarted" },
      { _tag: "Message", role: "assistant", id: null, text: said },
      { _tag: "UsageReported", usage: { inputTokens: 222, outputTokens: 44, costUsd: null }, cumulative: false },
      { _tag: "Succeeded", text: said }
    ] as unknown as ReturnType<typeof decodeAll>)
  })

  it("tells a command that failed, and a tool that is not there", () => {
    for (const name of ["failed-tool", "unknown-tool"]) {
      const events = decodeAll(gemini, sample(name))
      assert.deepStrictEqual(
        only(events, "ToolFinished").map(({ ok }) => ok),
        [false]
      )
      assert.strictEqual(only(events, "Succeeded").length, 1)
    }
  })

  it("reports the figures of a resumed run alone", () => {
    const [usage] = only(decodeAll(gemini, sample("resumed")), "UsageReported")
    assert.deepInclude(usage, { cumulative: false, usage: { inputTokens: 111, outputTokens: 22, costUsd: null } })
  })

  it("joins the pieces of an answer, and keeps those of one that was cut off", () => {
    const events = decodeAll(gemini, sample("killed"), { code: null, signal: "SIGKILL" })
    assert.deepStrictEqual(
      only(events, "Message").map(({ text }) => text),
      ["tick0 tick1 tick2 tick3 tick4 "]
    )
    assert.notInclude(
      events.map(({ _tag }) => _tag),
      "Failed"
    )
  })

  it("lets go of a very long answer before it ends", () => {
    const piece = JSON.stringify({ type: "message", role: "assistant", content: "x".repeat(100_000), delta: true })
    const messages = only(
      decodeAll(
        gemini,
        Array.from({ length: 5 }, () => piece)
      ),
      "Message"
    )
    assert.strictEqual(messages.map(({ text }) => text).join("").length, 500_000)
    assert.isAbove(messages.length, 1)
  })

  it("that ends with 0 and without a result is no success, and says how gemini ends by a signal", () => {
    const events = decodeAll(gemini, sample("killed"), { code: 0 })
    assert.strictEqual(only(events, "Succeeded").length, 0)
    assert.include(only(events, "Notice")[0]?.text, "signal")
  })

  it("tells a tool that a policy refused", () => {
    const events = decodeAll(gemini, [
      `{"type":"tool_use","tool_name":"run_shell_command","tool_id":"t1","parameters":{"command":"ls"}}`,
      `{"type":"tool_result","tool_id":"t1","status":"error","output":"Tool execution denied by policy.","error":{"type":"policy_violation","message":"Tool execution denied by policy."}}`
    ])
    assert.deepStrictEqual(
      only(events, "Denied").map(({ tool }) => tool),
      ["run_shell_command"]
    )
  })
})

describe("gemini's failures", () => {
  it.each([
    ["http400", 144, "invalid_request", 400],
    ["http401", 145, "auth_required", 401],
    ["http403", 147, "auth_required", 403],
    ["quota", 173, "usage_limit", 429],
    ["cut", 1, "network_lost", null],
    ["empty", 0, "provider_error", null],
    ["in-stream-error", 0, "provider_error", null]
  ])("%s with exit code %s is %s", (name, code, expected, status) => {
    const failure = failureOf(sample(name), { code })
    assert.strictEqual(failure.code, expected)
    assert.strictEqual(failure.status, status)
    assert.isNull(failure.lostSession)
    assert.isAbove(failure.text.length, 5)
  })

  it("quote the API's own words", () => {
    assert.strictEqual(failureOf(sample("http401")).text, "HTTP 401 (UNAUTHENTICATED)")
  })

  it("of a model that is not there is told by the name of the error on stderr", () => {
    const stderr =
      "Error when talking to Gemini API ModelNotFoundError: HTTP 404\n    at classifyGoogleError (file:///x.js:1:1)"
    assert.strictEqual(failureOf(sample("http404"), { code: 1, stderr }).code, "model_unavailable")
    assert.strictEqual(failureOf(sample("http404"), { code: 1 }).code, "provider_error")
  })

  it.each([
    ["models/gemini-9 is not found for API version v1beta", 148, "model_unavailable"],
    ["You have exhausted your capacity on this model. Your quota will reset after 3h2m1s.", 173, "usage_limit"],
    ["[API Error: Too Many Requests]", 173, "provider_overloaded"],
    ["[API Error: Service Unavailable]", 247, "provider_overloaded"],
    ["exception TypeError: fetch failed sending request", 1, "network_lost"],
    ["The input token count (2000000) exceeds the maximum number of tokens allowed", 144, "context_exhausted"]
  ])("%s (%s) is %s", (message, code, expected) => {
    assert.strictEqual(failureOf([failed(message)], { code }).code, expected)
  })

  const id = "648247ff-3334-4e7d-a348-2dfb6f98f9ca"
  it.each([
    [`Error resuming session: Invalid session identifier "${id}".`, 42, "provider_session_missing", "no_such_session"],
    [
      "Error resuming session: No previous sessions found for this project.",
      42,
      "provider_session_missing",
      "no_such_session"
    ],
    [`Error starting session: Session ID "${id}" already exists. Use --resume`, 42, "invalid_request", null],
    ["When using Gemini API, you must specify the GEMINI_API_KEY environment variable.", 41, "auth_required", null],
    ["Invalid auth method selected.", 41, "auth_required", null],
    [
      "Gemini CLI is not running in a trusted directory. To proceed, either use `--skip-trust`",
      55,
      "invalid_request",
      null
    ],
    ["Error: read ECONNRESET", 1, "network_lost", null]
  ])("%s on stderr (%s) is %s", (words, code, expected, lost) => {
    const stderr = `Warning: 256-color support not detected.\n${words}\n  Searched for sessions in /home/u\n`
    const failure = failureOf([], { code, stderr })
    assert.strictEqual(failure.code, expected)
    assert.strictEqual(failure.lostSession, lost)
    assert.strictEqual(failure.text, words)
  })

  it("of a run that began are never read from stderr, which repeats what tools print", () => {
    const stderr = 'Error resuming session: Invalid session identifier "x"'
    const events = decodeAll(gemini, sample("killed"), { code: 1, stderr })
    assert.strictEqual(only(events, "Failed").length, 0)
  })
})

describe("gemini's decoder", () => {
  it("never throws, and never invents a success", () => {
    const keys = [
      ...["type", "session_id", "model", "role", "content", "delta", "tool_name", "tool_id", "parameters", "status"],
      ...["output", "error", "message", "severity", "stats", "input_tokens", "output_tokens"]
    ]
    const words = ["init", "message", "tool_use", "tool_result", "error", "result", "assistant", "[API Error: {}]"]
    fc.assert(
      fc.property(
        fc.array(fc.oneof(almostEvents(keys, words), fc.string({ unit: "binary" })), { maxLength: 12 }),
        fc.string(),
        fc.integer({ min: 0, max: 255 }),
        (lines, stderr, code) => {
          assert.strictEqual(only(decodeAll(gemini, lines, { code, stderr }), "Succeeded").length, 0)
        }
      ),
      { numRuns: 500 }
    )
  })
})
