import type { RunEvent } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { object, parseObject } from "../json.js"
import { almostEvents, only, sampleLines } from "../testing/support.js"
import { type AcpAgent, knownAgents } from "./agents.js"
import { incoming } from "./message.js"
import { answer } from "./permissions.js"
import { asked, cut, ended, failedTurn, newTurn, opened, prompted, read, refused, type Turn } from "./turn.js"

type Event = RunEvent.RunEvent
const id = "11111111-1111-4111-8111-111111111111"
const sample = sampleLines(import.meta.url)
const agentOf = (name: string): AcpAgent => {
  const found = knownAgents.find((agent) => agent.id === name)
  if (found === undefined) throw new Error(name)
  return found
}
const generic = { aside: () => null }
const circumstances = { opening: false, unlisted: false, signIn: [] }
const rule = { permission: "edit" as const, cwd: "/home/u/work", addDirs: [] }

/** Plays the lines of a turn, questions and answer included, as the provider does. */
const play = (agent: Pick<AcpAgent, "aside">, lines: ReadonlyArray<string>, from?: Turn, step = 10) => {
  let [turn, events]: readonly [Turn, ReadonlyArray<Event>] =
    from === undefined ? prompted(opened(newTurn("New"), id, {})) : [from, []]
  const all: Array<Event> = [...events]
  let now = 1_000_000
  for (const line of lines) {
    now += step
    const done = read(agent, turn, line, now)
    turn = done.turn
    all.push(...done.events)
    const { pass } = done
    if (pass === null) continue
    let more: ReadonlyArray<Event> = []
    if (pass._tag === "Asked") {
      const [noted, use] = asked(turn, pass.params)
      turn = noted
      if (!answer(use, pass.params.options, rule).allowed) [turn, more] = refused(turn, use)
    } else if (turn.stage === "opening") {
      ;[turn, more] = prompted(opened(turn, id, {}))
    } else if (pass._tag === "Answered") [turn, more] = ended(turn, object(pass.result), "Agent")
    else [turn, more] = failedTurn(turn, pass.error, circumstances)
    all.push(...more)
  }
  return {
    turn,
    events: all.filter((event) => event._tag !== "LineRead" && !isSign(event)),
    lines: only(all, "LineRead")
  }
}

/** A sign of life says nothing. */
const isSign = (event: Event): boolean =>
  event._tag === "SettingsReported" && event.model === null && event.thinking === null && event.permission === null

const tags = (events: ReadonlyArray<Event>) => events.map(({ _tag }) => _tag)
const update = (more: object, session = id) =>
  JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: session, update: more } })
const chunk = (text: string, more: object = {}) =>
  update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text }, ...more })
const result = (value: object) => JSON.stringify({ jsonrpc: "2.0", id: 3, result: value })
const done = result({ stopReason: "end_turn" })

describe("what real agents said", () => {
  it("claude-agent-acp 0.101.0, a command refused", () => {
    const { events } = play(agentOf("claude-acp"), sample("claude-refused"))
    assert.deepStrictEqual(events, [
      { _tag: "TurnStarted" },
      { _tag: "Message", role: "assistant", id: "msg_342", text: "I will run a command." },
      { _tag: "ToolStarted", id: "toolu_1", name: "Bash", summary: "touch /home/u/x" },
      { _tag: "Denied", tool: "Bash", detail: "touch /home/u/x" },
      { _tag: "ToolFinished", id: "toolu_1", ok: false, summary: "``` User refused permission to run tool ```" },
      { _tag: "TurnStarted" },
      { _tag: "Message", role: "assistant", id: "msg_344", text: "The answer." },
      {
        _tag: "UsageReported",
        usage: { inputTokens: 231, outputTokens: 45, costUsd: 0.0026547999999999997 },
        cumulative: false,
        sessionCostUsd: 0.0026547999999999997
      },
      { _tag: "Succeeded", text: "The answer." }
    ] as unknown as ReadonlyArray<Event>)
  })

  it("claude-agent-acp 0.101.0, no credit: the error is told once", () => {
    const { events } = play(agentOf("claude-acp"), sample("claude-no-credit"))
    assert.deepStrictEqual(tags(events), ["TurnStarted", "Failed"])
    assert.strictEqual(only(events, "Failed")[0]?.failure.code, "budget_exceeded")
  })

  it("codex-acp 2.6.0, 429: the turn ends normally and has failed", () => {
    const { events } = play(agentOf("codex-acp"), sample("codex-429"))
    assert.deepStrictEqual(tags(events), ["TurnStarted", "Notice", "Notice", "Failed"])
    assert.strictEqual(only(events, "Failed")[0]?.failure.code, "provider_overloaded")
    assert.strictEqual(only(events, "Message").length, 0)
  })

  it("codex-acp 2.6.0, a command", () => {
    const { events } = play(agentOf("codex-acp"), sample("codex-tool"))
    assert.deepStrictEqual(tags(events), [
      ...[
        "TurnStarted",
        "Notice",
        "ToolStarted",
        "ToolFinished",
        "TurnStarted",
        "Message",
        "UsageReported",
        "Succeeded"
      ]
    ])
    assert.deepStrictEqual(only(events, "UsageReported")[0]?.usage, {
      inputTokens: 210,
      outputTokens: 40,
      costUsd: null
    })
    assert.strictEqual(only(events, "ToolStarted")[0]?.name, "exec_command")
  })

  it("copilot 1.0.102, 401: the turn ends normally and has failed", () => {
    const { events } = play(agentOf("copilot"), sample("copilot-401"), undefined, 2000)
    assert.strictEqual(only(events, "Retrying").length, 2)
    assert.strictEqual(only(events, "Failed")[0]?.failure.code, "auth_required")
    assert.strictEqual(only(events, "Succeeded").length + only(events, "Message").length, 0)
  })

  it("copilot 1.0.102 and qwen 0.24.4 give up after a refusal, and call it the end of the turn", () => {
    for (const name of ["copilot", "qwen"]) {
      const { events } = play(agentOf(name), sample(`${name}-refused`))
      assert.strictEqual(only(events, "Denied").length, 1)
      assert.strictEqual(only(events, "Succeeded").length, 0)
      const [failed] = only(events, "Failed")
      assert.strictEqual(failed?.failure.code, "provider_error")
      assert.include(failed?.failure.text, "refused by the run's permission")
    }
  })

  it("qwen 0.24.4 tells its tokens beside an empty piece of text", () => {
    const { events } = play(agentOf("qwen"), sample("qwen-plain"))
    assert.deepStrictEqual(tags(events), ["TurnStarted", "Message", "UsageReported", "Succeeded"])
    assert.deepStrictEqual(only(events, "UsageReported")[0]?.usage, {
      inputTokens: 111,
      outputTokens: 22,
      costUsd: null
    })
  })

  it("a replay is counted, and none of it is a new message", () => {
    for (const [name, agent, user, model] of [
      ["claude-load", "claude-acp", 4, 4],
      ["copilot-load", "copilot", 3, 2]
    ] as const) {
      const { events, lines, turn } = play(agentOf(agent), sample(name), newTurn("Continue", id))
      assert.deepStrictEqual([turn.replayed.user, turn.replayed.agent], [user, model])
      assert.strictEqual(only(events, "Message").length, 1)
      assert.strictEqual(only(events, "Succeeded").length, 1)
      assert.isFalse(lines.some(({ text }) => text.includes("zebra")))
    }
  })
})

describe("success", () => {
  it.each([
    ["a text", [chunk("ok"), done], "Succeeded"],
    [
      "a tool that worked, and no word about it",
      [
        update({ sessionUpdate: "tool_call", toolCallId: "t", kind: "edit", rawInput: { path: "x" } }),
        update({ sessionUpdate: "tool_call_update", toolCallId: "t", status: "completed" }),
        done
      ],
      "Succeeded"
    ],
    ["nothing at all (pi-acp 0.0.34 after a 401)", [done], null],
    ["blanks", [chunk(" \n"), done], null],
    [
      "a tool that failed, and no word about it",
      [update({ sessionUpdate: "tool_call", toolCallId: "t", status: "failed" }), done],
      null
    ],
    [
      "thoughts alone",
      [update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" } }), done],
      null
    ],
    [
      "words, and no token of output",
      [chunk("429 Too Many Requests"), result({ stopReason: "end_turn", usage: { inputTokens: 0, outputTokens: 0 } })],
      "provider_overloaded"
    ],
    ["cut at the limit of output", [chunk("ok"), result({ stopReason: "max_tokens" })], "provider_error"],
    ["too many requests", [chunk("ok"), result({ stopReason: "max_turn_requests" })], "turn_limit"],
    ["refused", [chunk("no"), result({ stopReason: "refusal" })], "provider_error"],
    ["cancelled by itself", [chunk("ok"), result({ stopReason: "cancelled" })], "provider_error"],
    ["another reason", [chunk("ok"), result({ stopReason: { x: 1 } })], "provider_error"],
    [
      "an error notice last",
      [chunk("ok"), update({ sessionUpdate: "notice", severity: "error", title: "HTTP 500" }), done],
      "provider_overloaded"
    ],
    [
      "an error notice, and words after it",
      [update({ sessionUpdate: "notice", severity: "error", title: "HTTP 500" }), chunk("ok"), done],
      "Succeeded"
    ]
  ] as const)("%s: %s", (_, lines, expected) => {
    const { events } = play(generic, lines)
    const verdict =
      only(events, "Succeeded").length > 0 ? "Succeeded" : (only(events, "Failed")[0]?.failure.code ?? null)
    assert.strictEqual(verdict, expected)
  })
})

describe("messages", () => {
  it("are whole, and end where another begins", () => {
    const { events } = play(generic, [
      chunk("a", { messageId: "1" }),
      chunk("b", { messageId: "1" }),
      chunk("c", { messageId: "2" }),
      update({ sessionUpdate: "tool_call", toolCallId: "t", status: "in_progress", title: "run" }),
      chunk("d"),
      done
    ])
    assert.deepStrictEqual(
      only(events, "Message").map(({ id: message, text }) => [message, text]),
      [
        ["1", "ab"],
        ["2", "c"],
        [null, "d"]
      ]
    )
    // A tool that nobody ended is still open.
    assert.strictEqual(only(events, "ToolFinished").length, 0)
  })

  it("of another session are not this conversation's", () => {
    const { events } = play(generic, [
      update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "x" } }, "other"),
      done
    ])
    assert.strictEqual(only(events, "Message").length, 0)
  })

  it("that the process's end cuts are told as far as they came", () => {
    const { turn } = play(generic, [chunk("half")])
    const [, events] = cut(turn)
    assert.deepStrictEqual(
      only(events, "Message").map(({ text }) => text),
      ["half"]
    )
    assert.strictEqual(only(events, "LineRead").length, 1)
  })

  it("stand in one line of the output file, so that a secret in pieces is whole there", () => {
    const secret = `sk-ant-api03-${"x".repeat(40)}`
    const { lines } = play(generic, [...secret].map((letter) => chunk(letter)).concat(done))
    assert.strictEqual(lines.filter(({ text }) => text.includes(secret)).length, 1)
    assert.strictEqual(lines.length, 2)
  })
})

describe("tools", () => {
  it("begin with the first word after their announcement, and are announced once", () => {
    const call = (more: object) => update({ sessionUpdate: "tool_call_update", toolCallId: "t", ...more })
    const { events } = play(generic, [
      update({
        sessionUpdate: "tool_call",
        toolCallId: "t",
        title: "Shell",
        kind: "execute",
        status: "pending",
        rawInput: {}
      }),
      call({ rawInput: { command: "ls" }, status: "in_progress" }),
      call({ status: "in_progress" }),
      call({ status: "completed", rawOutput: "out" }),
      call({ status: "completed" }),
      done
    ])
    assert.deepStrictEqual(events.slice(1, 3), [
      { _tag: "ToolStarted", id: "t", name: "execute", summary: "ls" },
      { _tag: "ToolFinished", id: "t", ok: true, summary: "out" }
    ] as unknown as ReadonlyArray<Event>)
    assert.strictEqual(only(events, "ToolStarted").length, 1)
  })
})

describe("whatever an agent prints", () => {
  const keys = [
    ...[
      "jsonrpc",
      "id",
      "method",
      "params",
      "result",
      "error",
      "sessionId",
      "update",
      "sessionUpdate",
      "content",
      "text"
    ],
    ...[
      "type",
      "toolCallId",
      "toolCall",
      "status",
      "kind",
      "rawInput",
      "rawOutput",
      "locations",
      "options",
      "messageId"
    ],
    ...["stopReason", "usage", "outputTokens", "configOptions", "category", "currentValue", "severity", "title", "cost"]
  ]
  const words = [
    ...[
      "session/update",
      "session/request_permission",
      "agent_message_chunk",
      "agent_thought_chunk",
      "user_message_chunk"
    ],
    ...["tool_call", "tool_call_update", "usage_update", "notice", "config_option_update", "current_mode_update"],
    ...["compaction_update", "completed", "failed", "end_turn", "model", "text", "USD", "error", id]
  ]
  const almost = almostEvents(keys, words)
  const nearly = fc
    .tuple(almost, fc.constantFrom(id, "other"))
    .map(([inner, session]) =>
      update({ ...object(parseObject(inner)), sessionUpdate: object(parseObject(inner)).type }, session)
    )
  const lines = fc.array(fc.oneof(fc.string(), almost, nearly, fc.constant(chunk("x")), fc.constant(done)), {
    maxLength: 30
  })

  it("nothing throws, each line is counted or kept, and a success is never told twice", () => {
    fc.assert(
      fc.property(lines, fc.constantFrom(generic, ...knownAgents), fc.boolean(), (printed, agent, working) => {
        const { events } = play(agent, printed, working ? undefined : newTurn("Continue", id))
        assert.isAtMost(
          only(events, "Succeeded").length,
          printed.filter((line) => incoming(line)?._tag === "Answered").length
        )
        assert.strictEqual(
          only(events, "LineDropped").length,
          printed.filter((line) => line.trim() !== "" && incoming(line) === null).length
        )
      }),
      { numRuns: 500 }
    )
  })

  it("the model's words come out whole, as messages and in the output file", () => {
    const texts = fc.array(fc.oneof(fc.string(), fc.constantFrom("a\n", " ", "-----BEGIN X\n")), { maxLength: 40 })
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 700 }), (said, step) => {
        const { events, lines: written } = play(generic, [...said.map((text) => chunk(text)), done], undefined, step)
        const whole = said.join("")
        const messages = only(events, "Message").map(({ text }) => text)
        assert.strictEqual(messages.join(""), whole.trim() === "" ? "" : whole)
        const kept = written.flatMap(({ text }) => {
          const content = object(object(object(parseObject(text)?.params).update).content)
          return typeof content.text === "string" ? [content.text] : []
        })
        assert.strictEqual(kept.join(""), whole)
      })
    )
  })
})
