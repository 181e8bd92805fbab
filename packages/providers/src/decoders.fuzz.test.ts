/**
 * Every decoder against what a broken or hostile program may print: any bytes in any chunks, and real output with bytes
 * changed, lost and doubled. It never throws, holds a bounded amount whatever comes, gives the same events however the
 * bytes were cut, and nothing that it says can speak to a terminal once it went through the one sanitiser.
 */
import { readdirSync, readFileSync } from "node:fs"
import { Provider, RunEvent, TerminalText } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import fc from "fast-check"
import { newTurn, opened, prompted, read } from "./acp/turn.js"
import { pieceParser, ServerFault } from "./api/client.js"
import { classify } from "./api/failures.js"
import { makeReader } from "./api/reader.js"
import { decoder as claude } from "./claude/decode.js"
import { decoder as codex } from "./codex/decode.js"
import { ProviderConfig, readProviders } from "./custom/config.js"
import { decoder as custom } from "./custom/decode.js"
import type { Decoder } from "./decoder.js"
import { decoder as demo } from "./demo/decode.js"
import { decoder as gemini } from "./gemini/decode.js"
import { decoder as kimi } from "./kimi/decode.js"
import { decoder as opencode } from "./opencode/decode.js"
import { decoder as pi } from "./pi/decode.js"
import { makeLineReader } from "./process/lines.js"
import { keptIds } from "./recent.js"
import * as Registry from "./registry.js"
import { layer as host } from "./testing/linuxHost.js"
import { almostEvents, request } from "./testing/support.js"

type Events = ReadonlyArray<RunEvent.RunEvent>

/** A decoder with its state inside, and what makes its pieces of the bytes before it. */
interface Machine {
  readonly feed: (chunk: Buffer) => Events
  readonly end: () => Events
  readonly state: () => unknown
}

const now = 1_796_000_000_000

/** For programs that print lines: what the supervisor does before a decoder. */
const lined = (line: (text: string) => Events): Pick<Machine, "feed"> & { readonly rest: () => Events } => {
  const reader = makeLineReader()
  const take = (items: ReturnType<typeof reader.push>): Events =>
    items.flatMap((item) => (item._tag === "Line" ? line(item.text) : []))
  return { feed: (chunk) => take(reader.push(chunk)), rest: () => take(reader.end()) }
}

const machineOf = <S>(decoder: Decoder<S>): Machine => {
  let state = decoder.initial
  const { feed, rest } = lined((text) => {
    const [next, events] = decoder.line(state, text, now)
    state = next
    return events
  })
  const ended = { exit: { code: 1, signal: null }, stderrTail: "something\u001b]0;owned\u0007" }
  return { feed, end: () => [...rest(), ...decoder.end(state, ended)], state: () => state }
}

/** ACP's messages are read in a conversation that is under way. */
const acp = (): Machine => {
  let [turn] = prompted(opened(newTurn("New"), "s", {}))
  const { feed, rest } = lined((text) => {
    const next = read({ aside: () => null }, turn, text, now)
    turn = next.turn
    return next.events
  })
  return { feed, end: rest, state: () => turn }
}

/** A server's answer: events of a stream over HTTP, up to the first fault. */
const api = (): Machine => {
  let events: Array<RunEvent.RunEvent> = []
  let failed = false
  const reader = makeReader(
    () => now,
    (...more) => events.push(...more)
  )
  const parser = pieceParser({ onPiece: reader.take, onSign: reader.sign })
  const told = (): Events => {
    const before = events
    events = []
    return before
  }
  return {
    feed: (chunk) => {
      if (failed) return []
      try {
        parser.feed(chunk)
      } catch (cause) {
        if (!(cause instanceof ServerFault)) throw cause
        failed = true
        events.push(
          RunEvent.RunEvent.Failed({
            failure: classify({ ...cause, message: cause.message, baseUrl: "http://127.0.0.1:1", now })
          })
        )
      }
      return told()
    },
    end: () => reader.rest(),
    state: () => reader.completion()
  }
}

const command = (output: object) => ({
  type: "command",
  command: ["agent"],
  prompt: "stdin",
  output,
  permissions: { read: null, edit: "auto", full: null }
})

const configured = (output: object) => {
  const found = Either.getOrThrow(readProviders({ mine: command(output) })).mine
  if (found?.type !== "command") throw new Error("no command")
  return found
}

const id = "11111111-2222-4333-8444-555555555555"
const fresh = request({ conversation: Provider.Conversation.New({ id }) })
const continued = request({ conversation: Provider.Conversation.Continue({ id, location: null }) })

const samplesOf = (name: string): ReadonlyArray<Buffer> => {
  const folder = new URL(`./${name}/samples/`, import.meta.url)
  return readdirSync(folder).map((file) => readFileSync(new URL(file, folder)))
}

const ownEvents = Buffer.from(
  [
    { type: "session", session_id: "s", model: "m" },
    { type: "message", id: "1", text: "hello" },
    { type: "step_started", id: "2", name: "look", summary: "x" },
    { type: "step_finished", id: "2", ok: true },
    { type: "done", text: "all" }
  ]
    .map((event) => `${JSON.stringify(event)}\n`)
    .join("")
)

const pieces = Buffer.from(
  [
    { choices: [{ index: 0, delta: { role: "assistant", content: "Water" } }], model: "m-1" },
    { choices: [{ index: 0, delta: { content: " the garden.\n" } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    { choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } }
  ]
    .map((piece) => `data: ${JSON.stringify(piece)}\n\n`)
    .join(": still here\n\n")
    .concat("data: [DONE]\n\n")
)

/** An error of the server ends the stream, so the answer goes on in another. */
const fault = Buffer.from(`data: ${JSON.stringify({ error: { message: "overloaded", code: 503 } })}\n\n`)

const decoders: ReadonlyArray<readonly [name: string, start: () => Machine, real: ReadonlyArray<Buffer>]> = [
  ["claude", () => machineOf(claude(continued, "/home/.claude")), samplesOf("claude")],
  ["codex", () => machineOf(codex(fresh, null)), samplesOf("codex")],
  ["gemini", () => machineOf(gemini(fresh, null)), samplesOf("gemini")],
  ["kimi", () => machineOf(kimi(continued, null)), samplesOf("kimi")],
  ["opencode", () => machineOf(opencode(fresh, null)), samplesOf("opencode")],
  ["pi", () => machineOf(pi(fresh, null)), samplesOf("pi")],
  ["acp", acp, samplesOf("acp")],
  ["api", api, [pieces, fault]],
  ["demo", () => machineOf(demo(fresh, null)), [ownEvents]],
  [
    "custom, JSON",
    () =>
      machineOf(
        custom(
          configured({
            format: "json",
            message: { path: "text" },
            error: { when: { type: "failed" }, path: "text" },
            end: { when: { type: "done" }, path: "text" }
          }),
          fresh
        )
      ),
    [ownEvents]
  ],
  ["custom, text", () => machineOf(custom(configured({ format: "text", success: "exit_zero" }), fresh)), [ownEvents]]
]

/** Which entries are about a provider: each one that there is has to be here. */
const decoderOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  ...Object.fromEntries(["claude", "codex", "gemini", "kimi", "opencode", "pi", "demo"].map((each) => [each, [each]])),
  ...Object.fromEntries(["claude-acp", "codex-acp", "qwen", "copilot", "an-agent"].map((each) => [each, ["acp"]])),
  "a-server": ["api"],
  "a-command": ["custom, JSON", "custom, text"]
}

describe("this table", () => {
  it.effect("has the decoder of every provider, and of every kind that can be configured", () =>
    Effect.gen(function* () {
      const described = {
        "a-command": command({ format: "text", success: "exit_zero" }),
        "a-server": { type: "api", base_url: "http://127.0.0.1:1" },
        "an-agent": { type: "acp", command: ["agent"] }
      }
      assert.strictEqual(Object.keys(described).length, ProviderConfig.members.length)
      const providers = Either.getOrThrow(readProviders(described))
      const { all } = yield* Provider.Providers.pipe(
        Effect.provide(
          Layer.provide(
            Registry.layer({
              demo: { command: "", args: [], sessions: "" },
              env: {},
              configured: { providers, transcripts: "" }
            }),
            host
          )
        )
      )
      const names = decoders.map(([name]) => name)
      assert.deepStrictEqual(all.map(({ id }) => id).sort(), Object.keys(decoderOf).sort())
      assert.deepStrictEqual([...new Set(Object.values(decoderOf).flat())].sort(), [...names].sort())
    })
  )
})

/** Feeds chunks to the end. */
const feed = (machine: Machine, chunks: ReadonlyArray<Buffer>): Events => [
  ...chunks.flatMap((chunk) => machine.feed(chunk)),
  ...machine.end()
]

const chunked = (bytes: Buffer, cuts: ReadonlyArray<number>): ReadonlyArray<Buffer> => {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length))
}

/** Every text that an event carries. */
const textsOf = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.values(value).flatMap(textsOf)
      : []

/** A control that a terminal acts on: all but line end and tab. */
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/

const expectHarmless = (events: Events): void => {
  for (const text of events.flatMap(textsOf)) assert.notMatch(TerminalText.terminalText(text), control)
}

interface Change {
  readonly at: number
  readonly kind: "flip" | "drop" | "double" | "insert"
  readonly bytes: Uint8Array
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom("flip", "drop", "double", "insert"),
  bytes: fc.oneof(
    fc.uint8Array({ maxLength: 8 }),
    fc
      .constantFrom("\u001b]52;c;AAAA\u0007", "\n", '"}', "\u009b2J", "\\u001b[2J", "null", "1e999", '{"type":')
      .map((text) => new TextEncoder().encode(text))
  )
})

const changed = (bytes: Buffer, changes: ReadonlyArray<Change>): Buffer =>
  changes.reduce((before, { at, bytes: added, kind }) => {
    const place = at % (before.length + 1)
    const [head, tail] = [before.subarray(0, place), before.subarray(place)]
    const ways = {
      flip: [head, Buffer.from([(tail[0] ?? 0) ^ (1 + ((added[0] ?? 0) % 255))]), tail.subarray(1)],
      drop: [head, tail.subarray(1 + (added[0] ?? 0))],
      double: [head, tail.subarray(0, 400), tail],
      insert: [head, added, tail]
    }
    return Buffer.concat(ways[kind])
  }, bytes)

/** How much a state holds, in characters. */
const held = (state: unknown): number =>
  JSON.stringify(state, (_, value) =>
    value instanceof Set ? [...value] : value instanceof Map ? [...value.entries()] : value
  ).length

/** The most entries of any one collection in a state. */
const mostEntries = (value: unknown): number => {
  if (value instanceof Set || value instanceof Map) return value.size
  if (typeof value !== "object" || value === null) return 0
  return Math.max(Array.isArray(value) ? value.length : 0, ...Object.values(value).map(mostEntries))
}

const typed = almostEvents(
  ["id", "tool_use_id", "tool_id", "text", "message", "content", "role", "params", "update", "item", "usage", "error"],
  ["assistant", "system", "result", "session/update", "item.started", "tool_use", "done", "message", "x"]
)

describe.each(decoders)("the decoder of %s", (_, start, real) => {
  it("takes any bytes in any chunks: no exception, nothing for a terminal, the same events however they are cut", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.uint8Array({ maxLength: 60 }),
            typed.map((text) => new TextEncoder().encode(`${text}\n`))
          ),
          {
            maxLength: 12
          }
        ),
        fc.array(fc.nat(), { maxLength: 6 }),
        (pieces, cuts) => {
          const bytes = Buffer.concat(pieces)
          const events = feed(start(), chunked(bytes, cuts))
          expectHarmless(events)
          assert.deepStrictEqual(events, feed(start(), [bytes]))
        }
      )
    )
  })

  it("takes its program's real output with bytes changed, lost and doubled", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...real),
        fc.array(change, { maxLength: 8 }),
        fc.array(fc.nat(), { maxLength: 4 }),
        (sample, changes, cuts) => {
          expectHarmless(feed(start(), chunked(changed(sample.subarray(0, 64 * 1024), changes), cuts)))
        }
      )
    )
  })

  it("holds no more after many thousand lines than after a thousand", () => {
    const machine = start()
    const lines = Buffer.concat(real.map((sample) => sample.subarray(0, 16 * 1024)))
      .toString("utf8")
      .split("\n")
      .filter((line) => line.length < 2000)
    let after: number | null = null
    for (let round = 0; round < 6000; round++) {
      // Ids that are never seen again, and tools that never end.
      const line = lines[round % lines.length]?.replaceAll(
        /"((?:toolu?_|call_|item_|msg_|prt_|step-)[\w-]*|\d+)"/g,
        `"$1-${round}"`
      )
      const tool = [
        { type: "system", subtype: "permission_denied", tool_use_id: `t${round}` },
        { type: "item.started", item: { id: `i${round}`, type: "command_execution", command: "x" } },
        { type: "tool_use", tool_id: `u${round}`, tool_name: "x", parameters: {} },
        { type: "message", role: "assistant", content: "a piece ".repeat(50), delta: true },
        {
          jsonrpc: "2.0",
          method: "session/update",
          params: {
            sessionId: "s",
            update: { sessionUpdate: "tool_call", toolCallId: `c${round}`, title: "x", rawInput: { a: 1 } }
          }
        }
      ][round % 5]
      machine.feed(Buffer.from(`${line ?? ""}\n${JSON.stringify(tool)}\n`))
      if (round === 3000) after = held(machine.state())
    }
    // A long answer may be held together; ids and tools do not pile up.
    assert.isAtMost(mostEntries(machine.state()), keptIds)
    assert.isAtMost(held(machine.state()), Math.max(after ?? 0, 1000) + 300 * 1024)
    assert.isAtMost(held(machine.state()), 1024 * 1024)
  })
})
