import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { almostEvents, decodeAll, only, request, sampleLines } from "../testing/support.js"
import { decoder } from "./decode.js"

const sample = sampleLines(import.meta.url)
const codex = decoder(request(), "/home/u/.codex")
const failureOf = (lines: ReadonlyArray<string>) => {
  const [failed, ...others] = only(decodeAll(codex, lines, { code: 1 }), "Failed")
  assert.strictEqual(others.length, 0)
  if (failed === undefined) throw new Error("nothing failed")
  return failed.failure
}

describe("codex's stream", () => {
  it("of a run with a tool", () => {
    const said = 'saw 9 items, 1 user texts; first="" last=""'
    assert.deepStrictEqual(decodeAll(codex, sample("with-tool")), [
      { _tag: "SessionNamed", id: "01a22f33-f5fa-77d3-8e2d-c77f7e6a71d7", location: "/home/u/.codex", confirms: true },
      { _tag: "TurnStarted" },
      { _tag: "ToolStarted", id: "item_0", name: "shell", summary: "/bin/bash -lc 'sleep 1 && echo hi'" },
      { _tag: "ToolFinished", id: "item_0", ok: true, summary: "hi" },
      { _tag: "Message", role: "assistant", id: "item_1", text: said },
      { _tag: "UsageReported", usage: { inputTokens: 216, outputTokens: 40, costUsd: null }, cumulative: true },
      { _tag: "Succeeded", text: said }
    ] as unknown as ReturnType<typeof decodeAll>)
  })

  it("reports the totals of the whole thread", () => {
    const totals = ["plain", "resumed", "other-model", "fork"].map((name) =>
      only(decodeAll(codex, sample(name)), "UsageReported").map(({ cumulative, usage }) => [
        cumulative,
        usage.inputTokens
      ])
    )
    assert.deepStrictEqual(totals, [[[true, 107]], [[true, 216]], [[true, 329]], [[true, 446]]])
  })

  it("warns of another model without failing", () => {
    const events = decodeAll(codex, sample("other-model"))
    assert.include(only(events, "Notice")[0]?.text, "This session was recorded with model `gpt-6-sol`")
    assert.strictEqual(only(events, "Succeeded").length, 1)
    assert.strictEqual(only(events, "Failed").length, 0)
  })

  it("announces a tool that it tells only at its end, and a failed command with its code", () => {
    const events = decodeAll(codex, [
      `{"type":"item.completed","item":{"id":"item_0","type":"file_change","changes":[{"path":"a.md","kind":"add"},{"path":"b.ts","kind":"update"}],"status":"completed"}}`,
      `{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"false","aggregated_output":"","exit_code":null,"status":"in_progress"}}`,
      `{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"false","aggregated_output":"no\\n","exit_code":1,"status":"failed"}}`,
      `{"type":"item.completed","item":{"id":"item_2","type":"mcp_tool_call","server":"docs","tool":"search","arguments":{"query":"x"},"status":"completed"}}`,
      `{"type":"item.completed","item":{"id":"item_3","type":"reasoning","text":"hm"}}`
    ])
    assert.deepStrictEqual(events, [
      { _tag: "ToolStarted", id: "item_0", name: "file change", summary: "add a.md, update b.ts" },
      { _tag: "ToolFinished", id: "item_0", ok: true, summary: "" },
      { _tag: "ToolStarted", id: "item_1", name: "shell", summary: "false" },
      { _tag: "ToolFinished", id: "item_1", ok: false, summary: "exit 1: no" },
      { _tag: "ToolStarted", id: "item_2", name: "docs.search", summary: "x" },
      { _tag: "ToolFinished", id: "item_2", ok: true, summary: "" }
    ] as unknown as typeof events)
  })

  it("tries again by the same event that ends it, told apart by its words", () => {
    const events = decodeAll(codex, sample("http-401"), { code: 1 })
    assert.strictEqual(only(events, "Retrying").length, 1)
    assert.strictEqual(only(events, "Failed").length, 1)
    const recovered = [...sample("http-401").slice(0, 4), ...sample("plain").slice(-1)]
    assert.deepStrictEqual(
      decodeAll(codex, recovered, { code: 1 }).map(({ _tag }) => _tag),
      ["SessionNamed", "TurnStarted", "Retrying", "UsageReported", "Succeeded"]
    )
  })
})

describe("codex's failures", () => {
  it.each([
    ["http-401", "auth_required", 401],
    ["no-key", "auth_required", null],
    ["http-404", "model_unavailable", null],
    ["http-429", "provider_overloaded", 429],
    ["rate-in-stream", "provider_overloaded", null],
    ["http-500", "provider_overloaded", null],
    ["http-503", "provider_overloaded", null],
    ["usage-limit", "usage_limit", null],
    ["quota", "budget_exceeded", null],
    ["too-long", "context_exhausted", null],
    ["cut-stream", "network_lost", null]
  ])("%s is %s", (name, code, status) => {
    const failure = failureOf(sample(name))
    assert.strictEqual(failure.code, code)
    assert.strictEqual(failure.status, status)
    assert.isNull(failure.lostSession)
    assert.isAbove(failure.text.length, 10)
  })

  it("stand in an error that nothing followed", () => {
    assert.strictEqual(
      failureOf([`{"type":"error","message":"Quota exceeded. Check your plan and billing details."}`]).code,
      "budget_exceeded"
    )
  })

  it("carry the moment of a reset where an event has it", () => {
    const text = "You’ve hit your usage limit. Try again at Sep 20th, 2026 3:00 PM."
    assert.strictEqual(
      failureOf([`{"type":"turn.failed","error":{"message":"${text}","resets_at":1783710000}}`]).resetsAt,
      1783710000000
    )
    assert.isNull(failureOf([`{"type":"turn.failed","error":{"message":"${text}"}}`]).resetsAt)
  })

  it("to open a thread are read from stderr", () => {
    const id = "22222222-2222-5222-8222-222222222222"
    const of = (text: string, code = 1) => {
      const stderr = `WARNING: proceeding, even though we could not create PATH aliases\n${text}\n\nStack backtrace:\n   0: <unknown>\n`
      return only(decodeAll(codex, [], { code, stderr }), "Failed")[0]?.failure ?? null
    }
    const resume = (text: string) => of(`Error: thread/resume: thread/resume failed: ${text} (code -32600)`)
    const lost = resume(`no rollout found for thread id ${id}`)
    assert.strictEqual(lost?.code, "provider_session_missing")
    assert.strictEqual(lost?.lostSession, "no_such_session")
    assert.isFalse(lost?.text.includes("backtrace"))
    for (const text of [
      `thread ${id} already has an active writer`,
      `session ${id} is archived. Run \`codex unarchive ${id}\` to unarchive it first.`,
      "failed to read thread: thread-store internal error: failed to read session metadata /x",
      "failed to load configuration: Cannot change this thread's model provider from `loop` to `d` on resume."
    ]) {
      const failure = resume(text)
      assert.isNotNull(failure, text)
      assert.isNull(failure?.lostSession ?? null, text)
      assert.include(failure?.text, text.slice(0, 30))
    }
    assert.strictEqual(of("error: unexpected argument '--bogus' found", 2)?.code, "invalid_request")
    assert.isNull(of("2026-12-01T01:46:38Z ERROR codex_core::session: failed to record rollout items"))
  })
})

describe("codex's decoder", () => {
  it("never throws, and never invents a success", () => {
    const keys = [
      "type",
      "thread_id",
      "item",
      "id",
      "text",
      "message",
      "error",
      "usage",
      "input_tokens",
      "status",
      "exit_code",
      "changes",
      "command",
      "aggregated_output",
      "server",
      "tool",
      "arguments",
      "query",
      "kind",
      "path",
      "resets_at"
    ]
    const words = [
      "thread.started",
      "turn.started",
      "item.started",
      "item.completed",
      "turn.failed",
      "error",
      "agent_message",
      "command_execution",
      "file_change",
      "mcp_tool_call",
      "web_search",
      "Reconnecting... 1/5",
      "failed"
    ]
    fc.assert(
      fc.property(
        fc.array(fc.oneof(almostEvents(keys, words), fc.string({ unit: "binary" })), { maxLength: 12 }),
        fc.string(),
        (lines, stderr) => {
          assert.strictEqual(only(decodeAll(codex, lines, { code: 1, stderr }), "Succeeded").length, 0)
        }
      ),
      { numRuns: 500 }
    )
  })
})
