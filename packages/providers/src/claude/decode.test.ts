import { Provider } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { makeLineReader } from "../process/lines.js"
import { almostEvents, decodeAll, only, request, sampleLines } from "../testing/support.js"
import { decoder } from "./decode.js"

const sample = sampleLines(import.meta.url)
const id = "11111111-1111-5111-8111-111111111111"
const fresh = decoder(request({ conversation: Provider.Conversation.New({ id }) }), "/home/u/.claude")
const resumed = decoder(
  request({ conversation: Provider.Conversation.Continue({ id, location: null }) }),
  "/home/u/.claude"
)

const failureOf = (lines: ReadonlyArray<string>) => {
  const events = decodeAll(fresh, lines)
  assert.strictEqual(only(events, "Succeeded").length, 0)
  const [failed, ...others] = only(events, "Failed")
  assert.strictEqual(others.length, 0)
  if (failed === undefined) throw new Error("nothing failed")
  return failed.failure
}

describe("claude's stream", () => {
  it("of a run with a tool", () => {
    assert.deepStrictEqual(decodeAll(fresh, sample("with-tool")), [
      { _tag: "SessionNamed", id, location: "/home/u/.claude", confirms: true },
      { _tag: "SettingsReported", model: "claude-opus-5-5", thinking: null, permission: "acceptEdits" },
      { _tag: "TurnStarted" },
      { _tag: "Message", role: "assistant", id: "msg_1", text: "I will run a command." },
      { _tag: "ToolStarted", id: "toolu_1", name: "Bash", summary: "sleep 1 && echo hi" },
      { _tag: "ToolFinished", id: "toolu_1", ok: true, summary: "hi" },
      { _tag: "TurnStarted" },
      {
        _tag: "Message",
        role: "assistant",
        id: "msg_2",
        text: 'saw 6 items, 1 user texts; first="hello\n" last="hello\n"'
      },
      {
        _tag: "UsageReported",
        usage: { inputTokens: 229, outputTokens: 45, costUsd: 0.0018072000000000001 },
        cumulative: false,
        sessionCostUsd: 0.0018072000000000001
      },
      { _tag: "Succeeded", text: 'saw 6 items, 1 user texts; first="hello\n" last="hello\n"' }
    ] as unknown as ReturnType<typeof decodeAll>)
  })

  it("tells the cost of this run alone beside the total of the conversation", () => {
    const [usage] = only(decodeAll(resumed, sample("resumed")), "UsageReported")
    assert.deepStrictEqual(usage?.usage, { inputTokens: 118, outputTokens: 20, costUsd: 0.0008676000000000001 })
    assert.strictEqual(usage?.sessionCostUsd, 0.0026748)
  })

  it("leaves the cost of a resumed run open where only the total is told", () => {
    const line = `{"type":"result","subtype":"success","is_error":false,"result":"ok","total_cost_usd":0.03,"usage":{"input_tokens":5,"output_tokens":2}}`
    const [again] = only(decodeAll(resumed, [line]), "UsageReported")
    assert.deepStrictEqual(again?.usage, { inputTokens: 5, outputTokens: 2, costUsd: null })
    assert.strictEqual(again?.sessionCostUsd, 0.03)
    assert.strictEqual(only(decodeAll(fresh, [line]), "UsageReported")[0]?.usage.costUsd, 0.03)
  })

  it("counts a refused tool once, although the result repeats it", () => {
    const events = decodeAll(fresh, sample("refused-tool"))
    const denied = only(events, "Denied")
    assert.strictEqual(denied.length, 1)
    assert.strictEqual(denied[0]?.tool, "Bash")
    assert.include(denied[0]?.detail, "needs approval")
    assert.deepStrictEqual(
      only(events, "ToolFinished").map(({ ok }) => ok),
      [false]
    )
    assert.strictEqual(only(events, "Succeeded").length, 1)
    // Where the event itself did not come, the result is enough.
    const quiet = sample("refused-tool").filter((line) => !line.includes('"subtype":"permission_denied"'))
    assert.deepStrictEqual(only(decodeAll(fresh, quiet), "Denied"), [
      { _tag: "Denied", tool: "Bash", detail: "touch /home/u/x" }
    ] as unknown as ReturnType<typeof only<"Denied">>)
  })

  it("announces a retry with its time, and ends nothing by it", () => {
    const events = decodeAll(fresh, [...sample("http-529").slice(0, 2), ...sample("with-tool").slice(-1)])
    assert.deepStrictEqual(
      only(events, "Retrying").map(({ text, until }) => [text, until]),
      [["529 overloaded: attempt 1 of 1", 1_000_535]]
    )
    assert.strictEqual(only(events, "Failed").length, 0)
    assert.strictEqual(only(events, "Succeeded").length, 1)
  })

  it("tells that the history was replaced by a summary, and takes claude's own texts for nobody's message", () => {
    const events = decodeAll(resumed, sample("compacted"))
    assert.strictEqual(only(events, "Compacted").length, 1)
    assert.strictEqual(only(events, "Message").length, 0)
    assert.strictEqual(only(events, "Succeeded").length, 1)
  })

  it("does not take an API error for a message of the model", () => {
    for (const name of ["http-401", "usage-limit", "not-logged-in"]) {
      const events = decodeAll(fresh, sample(name))
      assert.strictEqual(only(events, "Message").length, 0)
      assert.strictEqual(only(events, "TurnStarted").length, 0)
    }
  })

  it("shows a sub-agent's tools as notices: they are not this conversation's", () => {
    const events = decodeAll(fresh, [
      `{"type":"assistant","message":{"id":"m","model":"x","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}},{"type":"text","text":"inner"}]},"parent_tool_use_id":"toolu_1"}`,
      `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]},"parent_tool_use_id":"toolu_1"}`
    ])
    assert.deepStrictEqual(events, [{ _tag: "Notice", text: "sub-agent: Bash: ls" }] as unknown as typeof events)
  })

  it("reports the model again when a fallback takes over, but not for another spelling in init", () => {
    const message = (model: string, n: number) =>
      `{"type":"assistant","message":{"id":"m${n}","model":"${model}","content":[]},"parent_tool_use_id":null}`
    const init = `{"type":"system","subtype":"init","session_id":"${id}","model":"big[1m]","permissionMode":"default"}`
    const events = decodeAll(fresh, [init, message("big", 1), message("big", 2), message("small", 3)])
    assert.deepStrictEqual(
      only(events, "SettingsReported").map(({ model }) => model),
      ["big[1m]", "small"]
    )
  })
})

describe("claude's failures", () => {
  it.each([
    ["http-401", "auth_required", 401, "Invalid API key · Fix external API key"],
    ["http-403", "auth_required", 403, "Failed to authenticate. API Error: 403 Your account does not have access"],
    ["not-logged-in", "auth_required", null, "Not logged in · Please run /login"],
    ["http-404", "model_unavailable", 404, "There's an issue with the selected model"],
    ["http-429", "provider_overloaded", 429, "API Error: Request rejected (429)"],
    ["usage-limit", "usage_limit", 429, "You've hit your 5-hour limit · resets 2:24am (UTC)"],
    ["no-credit", "budget_exceeded", 400, "Credit balance is too low"],
    ["http-529", "provider_overloaded", 529, "API Error: 529 Overloaded."],
    ["too-long", "context_exhausted", 400, "Prompt is too long"],
    ["connection-refused", "network_lost", null, "API Error: Connection refused"],
    ["max-turns", "turn_limit", null, "Reached maximum number of turns (2)"],
    ["interrupted-answer", "provider_error", null, "interrupted from outside (aborted_streaming)"],
    ["interrupted-tool", "provider_error", null, "interrupted from outside (aborted_tools)"]
  ])("%s is %s", (name, code, status, words) => {
    const failure = failureOf(sample(name))
    assert.strictEqual(failure.code, code)
    assert.strictEqual(failure.status, status)
    assert.include(failure.text, words)
    assert.isNull(failure.lostSession)
  })

  it("carry the moment at which a limit resets, from the data beside the words", () => {
    assert.strictEqual(failureOf(sample("usage-limit")).resetsAt, 1796091852000)
    const older = `{"type":"result","subtype":"success","is_error":true,"result":"Claude AI usage limit reached|1783710000"}`
    assert.strictEqual(failureOf([older]).code, "usage_limit")
    assert.strictEqual(failureOf([older]).resetsAt, 1783710000000)
    const limit = `"is_error":true,"result":"You've hit your limit · resets 3pm (America/New_York)"`
    const event = `{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resets_at":1783710000}}`
    assert.strictEqual(failureOf([event, `{"type":"result",${limit}}`]).resetsAt, 1783710000000)
    assert.strictEqual(failureOf([`{"type":"result","resets_at":1783710000,${limit}}`]).resetsAt, 1783710000000)
    // The moment of a window that is still open says nothing about this limit.
    const allowed = `{"type":"rate_limit_event","rate_limit_info":{"status":"allowed","resetsAt":1783710000}}`
    assert.isNull(failureOf([allowed, `{"type":"result",${limit}}`]).resetsAt)
  })

  it("hide behind `success` and exit 0", () => {
    const line = `{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"You've hit your session limit"}`
    assert.strictEqual(failureOf([line]).code, "usage_limit")
    assert.strictEqual(
      failureOf([`{"type":"result","subtype":"success","is_error":false,"terminal_reason":"aborted_tools"}`]).code,
      "provider_error"
    )
  })

  it("name a lost conversation only in claude's own words about it", () => {
    const events = decodeAll(resumed, sample("unknown-session"), { code: 1 })
    assert.deepStrictEqual(only(events, "SessionNamed"), [])
    assert.deepStrictEqual(only(events, "UsageReported"), [])
    const [failed] = only(events, "Failed")
    assert.strictEqual(failed?.failure.code, "provider_session_missing")
    assert.strictEqual(failed?.failure.lostSession, "no_such_session")
    assert.strictEqual(
      only(decodeAll(resumed, sample("malformed-session")), "Failed")[0]?.failure.lostSession,
      "invalid_session"
    )
    const quoted = `{"type":"result","is_error":true,"result":"No conversation found with session ID: x","errors":[]}`
    assert.isNull(failureOf([quoted]).lostSession)
  })

  it("that came without a result are read from stderr, and only where the exit says so", () => {
    const of = (stderr: string, code: number) =>
      only(decodeAll(resumed, [], { code, stderr }), "Failed")[0]?.failure ?? null
    assert.strictEqual(of(`No conversation found with session ID: ${id}\n`, 1)?.lostSession, "no_such_session")
    assert.strictEqual(of(`Error: Session ID ${id} is already in use.\n`, 1)?.code, "invalid_request")
    assert.strictEqual(of("Error: Invalid session ID. Must be a valid UUID.\n", 1)?.lostSession, "invalid_session")
    assert.strictEqual(of("error: unknown option '--bogus-flag'\n", 1)?.code, "invalid_request")
    assert.strictEqual(
      of("--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons\n", 1)?.code,
      "invalid_request"
    )
    assert.strictEqual(of("Error: read ECONNRESET\n", 1)?.code, "network_lost")
    assert.isNull(of("NotFoundError: Session not found\n", 0))
    assert.isNull(of("something else\n", 1))
  })

  it("stand in the last error row where the program died before its result", () => {
    const events = decodeAll(fresh, sample("usage-limit").slice(0, -1), { code: null, signal: "SIGKILL" })
    assert.strictEqual(only(events, "Failed")[0]?.failure.code, "usage_limit")
  })
})

describe("claude's decoder", () => {
  it("counts a line that is no event as skipped, and reads on", () => {
    const [first, ...rest] = sample("with-tool")
    const lines = [first ?? "", '{"type":"assistant","mess', `${first}${first}`, "", "not JSON", ...rest]
    const events = decodeAll(fresh, lines)
    assert.deepStrictEqual(
      only(events, "LineDropped").map(({ why }) => why),
      ["skipped", "skipped", "skipped"]
    )
    assert.strictEqual(only(events, "Succeeded").length, 1)
    assert.strictEqual(only(events, "SessionNamed").length, 1)
  })

  it("says the same however the bytes came in", () => {
    const bytes = Buffer.from(`${[...sample("usage-limit"), ...sample("with-tool")].join("\n")}\n{"cut":"é`)
    const whole = decodeAll(fresh, bytes.toString().split("\n"))
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 30 }), (cuts) => {
        const reader = makeLineReader()
        const edges = [0, ...cuts.sort((a, b) => a - b), bytes.length]
        const items = edges.slice(1).flatMap((to, index) => reader.push(bytes.subarray(edges[index], to)))
        const lines = [...items, ...reader.end()].map((item) => (item._tag === "Line" ? item.text : "(oversize)"))
        assert.deepStrictEqual(decodeAll(fresh, lines), whole)
      })
    )
  })

  it("never throws, and never invents a success", () => {
    const keys = [
      "type",
      "subtype",
      "session_id",
      "message",
      "content",
      "model",
      "id",
      "usage",
      "errors",
      "result",
      "is_error",
      "text",
      "name",
      "input",
      "tool_use_id",
      "tool_name",
      "permission_denials",
      "rate_limit_info",
      "resetsAt",
      "status",
      "retry_delay_ms",
      "total_cost_usd",
      "model_usage_since_last_result",
      "terminal_reason",
      "api_error_status",
      "parent_tool_use_id"
    ]
    const words = [
      "system",
      "assistant",
      "user",
      "result",
      "init",
      "api_retry",
      "permission_denied",
      "rate_limit_event",
      "compact_boundary",
      "text",
      "tool_use",
      "tool_result",
      "success",
      "<synthetic>",
      "rejected"
    ]
    fc.assert(
      fc.property(
        fc.array(fc.oneof(almostEvents(keys, words), fc.string({ unit: "binary" })), { maxLength: 12 }),
        fc.string(),
        (lines, stderr) => {
          const events = decodeAll(resumed, lines, { code: 1, stderr })
          const ok = lines.some((line) => line.includes('"type":"result"'))
          if (!ok) assert.strictEqual(only(events, "Succeeded").length, 0)
        }
      ),
      { numRuns: 500 }
    )
  })
})
