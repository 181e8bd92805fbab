/** Where a conversation stopped, by the rows of each program. The rows are as the programs wrote them, shortened. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as claude from "../claude/conversations.js"
import * as codex from "../codex/conversations.js"
import * as gemini from "../gemini/conversations.js"
import { parseObject } from "../json.js"
import * as pi from "../pi/conversations.js"
import { type Tale, untold } from "./tale.js"

const rowsOf = (lines: ReadonlyArray<string>) =>
  lines.map((line, index) => ({ line: index + 1, value: parseObject(line), last: index === lines.length - 1 }))

const readers: Readonly<Record<string, (lines: ReadonlyArray<string>) => Tale>> = {
  claude: (lines) => rowsOf(lines).reduce(claude.step, untold),
  codex: (lines) => rowsOf(lines).reduce(codex.step, untold),
  pi: (lines) => rowsOf(lines).reduce(pi.step, untold),
  gemini: (lines) => gemini.told(rowsOf(lines).reduce(gemini.step, gemini.fresh), "/w")
}

const time = (second: number): string => `2026-12-01T10:00:${String(second).padStart(2, "0")}.000Z`

// claude 2.1.332
const ofClaude = (type: string, second: number, message: object, more: object = {}): string =>
  JSON.stringify({
    ...{ type, uuid: `u${second}`, timestamp: time(second), sessionId: "s", cwd: "/w", isSidechain: false, message },
    ...more
  })
const claudePrompt = ofClaude("user", 1, { role: "user", content: "count" }, { permissionMode: "acceptEdits" })
const claudeSaid = (second: number, part: object, stop: string | null) =>
  ofClaude("assistant", second, { role: "assistant", model: "claude-sonnet-5-5", content: [part], stop_reason: stop })
const bash = { type: "tool_use", id: "t1", name: "Bash" }
const bashDone = ofClaude("user", 3, { role: "user", content: [{ type: "tool_result", tool_use_id: "t1" }] })
const answer = { type: "text", text: "done" }
const interrupted = { type: "text", text: "[Request interrupted by user]" }

// codex 0.171.0
const ofCodex = (type: string, second: number, payload: object): string =>
  JSON.stringify({ timestamp: time(second), ordinal: second, type, payload })
const codexStart = [
  ofCodex("session_meta", 0, { id: "s", cwd: "/w" }),
  ofCodex("event_msg", 0, { type: "task_started" }),
  ofCodex("response_item", 0, { type: "message", role: "user", content: [{ text: "<environment_context>" }] }),
  ofCodex("turn_context", 0, { model: "gpt-6-sol", effort: "high", sandbox_policy: { type: "workspace-write" } }),
  ofCodex("response_item", 1, { type: "message", role: "user", content: [{ type: "input_text", text: "count" }] })
]
const codexCall = ofCodex("response_item", 2, { type: "custom_tool_call", call_id: "t1", name: "exec" })
const codexDone = ofCodex("response_item", 3, { type: "custom_tool_call_output", call_id: "t1" })

// pi 1.6.0
const ofPi = (second: number, message: object): string =>
  JSON.stringify({ type: "message", id: `m${second}`, timestamp: time(second), message })
const piStart = [
  JSON.stringify({ type: "session", version: 3, id: "s", timestamp: time(0), cwd: "/w" }),
  ofPi(1, { role: "user", content: [{ type: "text", text: "count" }] })
]
const piSaid = (second: number, stopReason: string, content: ReadonlyArray<object> = [], more: object = {}) =>
  ofPi(second, { role: "assistant", model: "glm-5", content, stopReason, ...more })
const piCall = { type: "toolCall", id: "t1", name: "bash" }
const piDone = ofPi(3, { role: "toolResult", toolCallId: "t1" })

// gemini 0.61.0
const geminiStart = [
  JSON.stringify({ sessionId: "s", projectHash: "h", startTime: time(0), kind: "main" }),
  JSON.stringify({ id: "g1", timestamp: time(1), type: "user", content: [{ text: "count" }] })
]
const geminiSaid = (second: number, content: string, toolCalls: ReadonlyArray<object> = []): string =>
  JSON.stringify({
    id: `g${second}`,
    timestamp: time(second),
    type: "gemini",
    content,
    toolCalls,
    model: "gemini-2.5-pro"
  })

const atWork = (name: string): string => `it stopped while the tool ${name} was at work`
const afterTool = "it stopped after a tool, before the next answer"

describe("a conversation in the storage of", () => {
  it.each<[string, string, ReadonlyArray<string>, string | null, string | null]>([
    ["claude", "without an answer", [claudePrompt], "the last prompt has no answer", null],
    ["claude", "that is complete", [claudePrompt, claudeSaid(2, answer, "end_turn")], null, null],
    ["claude", "in a tool", [claudePrompt, claudeSaid(2, bash, "tool_use")], atWork("Bash"), "Bash"],
    ["claude", "after a tool", [claudePrompt, claudeSaid(2, bash, "tool_use"), bashDone], afterTool, null],
    [
      "claude",
      "complete after a tool",
      [claudePrompt, claudeSaid(2, bash, "tool_use"), bashDone, claudeSaid(4, answer, "end_turn")],
      null,
      null
    ],
    [
      "claude",
      "interrupted by the person",
      [claudePrompt, claudeSaid(2, answer, null), ofClaude("user", 3, { role: "user", content: [interrupted] })],
      "the person interrupted it",
      null
    ],
    [
      "claude",
      "that ended with an error",
      [
        claudePrompt,
        ofClaude(
          "assistant",
          2,
          {
            role: "assistant",
            model: "<synthetic>",
            content: [{ type: "text", text: "API Error: 500" }],
            stop_reason: "stop_sequence"
          },
          { isApiErrorMessage: true }
        )
      ],
      "it ended with an error: API Error: 500",
      null
    ],
    ["codex", "without an answer", codexStart, "the last prompt has no answer", null],
    [
      "codex",
      "that is complete",
      [...codexStart, ofCodex("event_msg", 2, { type: "task_complete", last_agent_message: "done" })],
      null,
      null
    ],
    [
      "codex",
      "that ended with an error",
      [...codexStart, ofCodex("event_msg", 2, { type: "task_complete", last_agent_message: null })],
      "its last turn ended with an error",
      null
    ],
    [
      "codex",
      "interrupted by the person",
      [...codexStart, ofCodex("event_msg", 2, { type: "turn_aborted" })],
      "the person interrupted it",
      null
    ],
    ["codex", "in a tool", [...codexStart, codexCall], atWork("exec"), "exec"],
    ["codex", "after a tool", [...codexStart, codexCall, codexDone], afterTool, null],
    ["pi", "without an answer", piStart, "the last prompt has no answer", null],
    ["pi", "that is complete", [...piStart, piSaid(2, "stop")], null, null],
    ["pi", "in a tool", [...piStart, piSaid(2, "toolUse", [piCall])], atWork("bash"), "bash"],
    ["pi", "after a tool", [...piStart, piSaid(2, "toolUse", [piCall]), piDone], afterTool, null],
    ["pi", "aborted", [...piStart, piSaid(2, "aborted")], "the person interrupted it", null],
    [
      "pi",
      "that ended with an error",
      [...piStart, piSaid(2, "error", [], { errorMessage: "401" })],
      "it ended with an error: 401",
      null
    ],
    ["gemini", "without an answer", geminiStart, "the last prompt has no answer", null],
    ["gemini", "that is complete", [...geminiStart, geminiSaid(2, "done")], null, null],
    ["gemini", "after a tool", [...geminiStart, geminiSaid(2, "", [{ id: "t1" }])], afterTool, null]
  ])("%s %s", (program, _, lines, stopped, tool) => {
    const tale = readers[program]?.(lines) ?? untold
    expect(tale).toMatchObject({ id: "s", cwd: "/w", prompt: "count", stopped })
    expect(tale.open.at(-1)?.name ?? null).toBe(tool)
  })

  it("claude says what it ran with", () => {
    expect(readers.claude?.([claudePrompt, claudeSaid(2, answer, "end_turn")])).toMatchObject({
      model: "claude-sonnet-5-5",
      permission: "edit",
      startedAt: Date.parse(time(1)),
      lastActivityAt: Date.parse(time(2)),
      turns: 1,
      messages: 2
    })
  })

  it("claude names its model before its first answer", () => {
    const model = { type: "model", identity: { modelId: "claude-sonnet-5-5" } }
    const row = JSON.stringify({
      type: "attachment",
      uuid: "u2",
      timestamp: time(2),
      sessionId: "s",
      attachment: model
    })
    expect(readers.claude?.([claudePrompt, row])).toMatchObject({ model: "claude-sonnet-5-5", turns: 1 })
  })

  it("codex says what it ran with", () => {
    expect(readers.codex?.(codexStart)).toMatchObject({ model: "gpt-6-sol", thinking: "high", permission: "edit" })
  })

  it.each(Object.keys(readers))("%s is read without a fault, whatever its rows hold", (program) => {
    const row = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom(claudePrompt, bashDone, ...codexStart, codexCall, ...piStart, piDone, ...geminiStart)
    )
    fc.assert(
      fc.property(fc.array(row), (lines) => {
        const tale = readers[program]?.(lines)
        expect(tale === undefined || tale.stopped === null || tale.stopped !== "").toBe(true)
      })
    )
  })
})
