import { HostProcesses, Provider } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { object } from "../json.js"
import { type Act, endTurn, fakeAcpAgent, greeting, type Plan, words } from "../testing/fakeAcpAgent.js"
import { layer as host } from "../testing/linuxHost.js"
import { allOf, only, request, tempFolder } from "../testing/support.js"
import type { AcpAgent } from "./agents.js"
import { configuredAgent } from "./config.js"
import { type AcpMachine, makeAcpProvider } from "./provider.js"

const { Continue, Fork } = Provider.Conversation
const go = Continue({ id: "s1", location: null })

interface Setting {
  readonly plan?: Plan
  readonly agent?: Partial<AcpAgent>
  readonly machine?: Partial<AcpMachine>
}

/** The fake agent as a provider. */
const fake = ({ agent: more, machine, plan }: Setting = {}) =>
  Effect.gen(function* () {
    const folder = yield* tempFolder
    const agent = yield* fakeAcpAgent(folder, plan)
    const linux = yield* HostProcesses.HostProcesses
    const base = configuredAgent("fake", {
      type: "acp",
      command: [agent.path],
      permissions: { read: "ask", edit: "ask", full: "ask" },
      thinking: [],
      cwdBound: false,
      fork: false
    })
    const provider = makeAcpProvider({ ...base, ...more }, { env: { PATH: "/usr/bin:/bin" }, host: linux, ...machine })
    return { agent, folder, provider }
  })

/** A whole run of the fake agent. */
const run = (setting: Setting, asked: Partial<Provider.StartRequest> = {}) =>
  Effect.gen(function* () {
    const { agent, folder, provider } = yield* fake(setting)
    const events = yield* allOf(yield* provider.start(request({ cwd: folder, ...asked })))
    const failed = only(events, "Failed")[0]?.failure ?? null
    return { agent, events, failed, folder, heard: yield* agent.heard, methods: yield* agent.methods }
  })

const test = (name: string, body: () => Effect.Effect<void, unknown, Scope.Scope | HostProcesses.HostProcesses>) =>
  it.scopedLive(name, () => Effect.provide(body(), host))

const succeeded = (events: Parameters<typeof only>[0]) => only(events, "Succeeded").length

describe("a new conversation", () => {
  test("is named before it is prompted, and the agent ends when nobody speaks any more", () =>
    Effect.gen(function* () {
      const { events, folder, heard, methods } = yield* run({}, { prompt: "do $(this)\n--x" })
      assert.deepStrictEqual(methods, ["initialize", "session/new", "session/prompt"])
      assert.deepStrictEqual(heard[0]?.params, {
        protocolVersion: 1,
        clientCapabilities: { session: { notices: {}, compaction: {} } },
        clientInfo: { name: "alluka", title: "Alluka", version: "0.1.0" }
      })
      assert.deepStrictEqual(heard[1]?.params, { cwd: folder, mcpServers: [] })
      assert.deepStrictEqual(heard[2]?.params, {
        sessionId: "s1",
        prompt: [{ type: "text", text: "do $(this)\n--x" }]
      })
      assert.deepStrictEqual(heard.at(-1), { eof: true })
      const told = events.map(({ _tag }) => _tag).filter((tag) => tag !== "LineRead")
      assert.deepStrictEqual(told, [
        ...["Spawned", "SessionNamed", "SettingsReported", "TurnStarted", "Message", "Succeeded", "Exited"]
      ])
      assert.deepStrictEqual({ ...only(events, "SessionNamed")[0] }, {
        ...{ _tag: "SessionNamed", id: "s1", location: null, confirms: true }
      } as never)
      assert.deepStrictEqual(only(events, "Exited")[0]?.exit, { code: 0, signal: null })
    }))

  test("with an agent that does not speak the protocol fails in time and in words", () =>
    Effect.gen(function* () {
      const silent = yield* run({ plan: { methods: { initialize: [] } }, machine: { greetingMs: 300 } })
      assert.strictEqual(silent.failed?.code, "provider_error")
      assert.include(silent.failed?.text, "did not answer within")
      const future = yield* run({ plan: { methods: { initialize: [{ answer: { protocolVersion: 7 } }] } } })
      assert.include(future.failed?.text, "version 7")
      assert.deepStrictEqual(future.methods, ["initialize"])
      const nameless = yield* run({ plan: { methods: { "session/new": [{ answer: { sessionId: "" } }] } } })
      assert.include(nameless.failed?.text, "without the id of a session")
      assert.strictEqual(only(nameless.events, "SessionNamed").length, 0)
    }))

  test("with an agent that is not signed in says how to sign in", () =>
    Effect.gen(function* () {
      const initialize: ReadonlyArray<Act> = [
        { answer: { protocolVersion: 1, authMethods: [{ id: "l", name: "Login", description: "Run `x login`" }] } }
      ]
      const refuse = { refuse: { code: -32000, message: "Authentication required" } }
      const { failed } = yield* run({ plan: { methods: { initialize, "session/new": [refuse] } } })
      assert.strictEqual(failed?.code, "auth_required")
      assert.include(failed?.text, "Run `x login`")
    }))

  test("passes further folders on, or says that it cannot", () =>
    Effect.gen(function* () {
      const without = yield* run({}, { addDirs: ["/tmp"] })
      assert.strictEqual(without.failed?.code, "invalid_request")
      assert.deepStrictEqual(without.methods, ["initialize"])
      const initialize = [greeting({ additionalDirectories: {} })]
      const { heard } = yield* run({ plan: { methods: { initialize } } }, { addDirs: ["/tmp"] })
      assert.deepStrictEqual(object(heard[1]?.params).additionalDirectories, ["/tmp"])
    }))
})

describe("an old conversation", () => {
  test("is resumed where the agent can, in the same folder", () =>
    Effect.gen(function* () {
      const { events, folder, heard, methods } = yield* run({}, { conversation: go })
      assert.deepStrictEqual(methods, ["initialize", "session/list", "session/resume", "session/prompt"])
      assert.deepStrictEqual(heard[2]?.params, { sessionId: "s1", cwd: folder, mcpServers: [] })
      assert.strictEqual(only(events, "SessionNamed")[0]?.id, "s1")
      assert.strictEqual(succeeded(events), 1)
    }))

  test("is loaded where the agent cannot resume, and its replay is evidence and no news", () =>
    Effect.gen(function* () {
      const old = { sessionUpdate: "user_message_chunk", content: { type: "text", text: "old prompt" } }
      const { events, methods } = yield* run(
        {
          plan: {
            methods: {
              initialize: [greeting({}, { loadSession: true })],
              "session/load": [{ update: old }, words("old answer"), { answer: null }]
            }
          }
        },
        { conversation: go }
      )
      assert.deepStrictEqual(methods, ["initialize", "session/load", "session/prompt"])
      assert.deepStrictEqual(
        only(events, "Notice").map(({ text }) => text),
        ["the agent replayed 2 messages of the conversation, 1 of them the user's"]
      )
      assert.deepStrictEqual(
        only(events, "Message").map(({ text }) => text),
        ["done"]
      )
      assert.isFalse(only(events, "LineRead").some(({ text }) => text.includes("old prompt")))
    }))

  test("without either capability is never replaced by a new one", () =>
    Effect.gen(function* () {
      const { events, failed, methods } = yield* run(
        { plan: { methods: { initialize: [greeting()] } } },
        { conversation: go }
      )
      assert.deepStrictEqual(methods, ["initialize"])
      assert.strictEqual(failed?.code, "provider_error")
      assert.include(failed?.text, "continuation unsupported")
      assert.isNull(failed?.lostSession)
      assert.strictEqual(only(events, "SessionNamed").length, 0)
    }))

  test("that the agent answers with another one is a mismatch, and nothing is said in it", () =>
    Effect.gen(function* () {
      const { events, failed, methods } = yield* run(
        { plan: { methods: { "session/resume": [{ answer: { sessionId: "s2" } }] } } },
        { conversation: go }
      )
      assert.strictEqual(failed?.code, "session_mismatch")
      assert.strictEqual(only(events, "SessionNamed")[0]?.id, "s2")
      assert.notInclude(methods, "session/prompt")
    }))

  test("that is gone is lost only by the agent's own answer", () =>
    Effect.gen(function* () {
      const refuse = (code: number, message: string): Act => ({ refuse: { code, message } })
      const played = (resume: Act, list?: Act) =>
        run(
          {
            plan: { methods: { "session/resume": [resume], ...(list === undefined ? {} : { "session/list": [list] }) } }
          },
          { conversation: go }
        )
      const clear = yield* played(refuse(-32002, "Resource not found"))
      assert.strictEqual(clear.failed?.lostSession, "no_such_session")
      const vague = yield* played(refuse(-32603, "Internal error"))
      assert.isNull(vague.failed?.lostSession)
      const unlisted = yield* played(refuse(-32603, "Internal error"), { answer: { sessions: [{ sessionId: "x" }] } })
      assert.strictEqual(unlisted.failed?.lostSession, "no_such_session")
      const unreadable = yield* played(refuse(-32603, "Internal error"), refuse(-32603, "no list today"))
      assert.isNull(unreadable.failed?.lostSession)
      for (const { methods } of [clear, vague, unlisted, unreadable]) {
        assert.strictEqual(methods.filter((method) => method === "session/resume").length, 1)
        assert.notInclude(methods, "session/new")
      }
    }))

  test("that the list does not have, and yet opens, is told", () =>
    Effect.gen(function* () {
      const { events } = yield* run(
        { plan: { methods: { "session/list": [{ answer: { sessions: [] } }] } } },
        { conversation: go }
      )
      assert.include(only(events, "Notice")[0]?.text, "does not have this conversation")
      assert.strictEqual(succeeded(events), 1)
    }))

  test("of an id that cannot be one starts nothing", () =>
    Effect.gen(function* () {
      const { agent, folder, provider } = yield* fake()
      for (const id of ["", "-x", "--continue", "../s1", "a b", "s\n1"]) {
        const conversation = Continue({ id, location: null })
        const error = yield* Effect.flip(provider.start(request({ cwd: folder, conversation })))
        assert.strictEqual(error._tag, "ProviderStartFailed")
      }
      assert.deepStrictEqual(yield* agent.heard, [])
    }))

  test("is copied where the agent offers it, under the id that it gives", () =>
    Effect.gen(function* () {
      const fork = Fork({ from: "s0", location: null, id: null })
      const methods = { initialize: [greeting({ fork: {} })], "session/fork": [{ answer: { sessionId: "s1" } }] }
      const { events, heard } = yield* run({ plan: { methods } }, { conversation: fork })
      assert.strictEqual(object(heard[1]?.params).sessionId, "s0")
      assert.strictEqual(only(events, "SessionNamed")[0]?.id, "s1")
      assert.strictEqual(succeeded(events), 1)
      const cannot = yield* run({}, { conversation: fork })
      assert.include(cannot.failed?.text, "does not offer to copy")
    }))
})

describe("settings", () => {
  const option = (id: string, category: string, currentValue: string, ...values: ReadonlyArray<string>) => ({
    ...{ id, category, currentValue, type: "select" },
    options: values.map((value) => ({ value }))
  })
  const configOptions = [
    option("mode", "mode", "auto", "auto", "plan"),
    option("model", "model", "big", "big", "small"),
    option("effort", "thought_level", "low", "low", "high")
  ]
  const opened: Act = { answer: { sessionId: "s1", configOptions } }
  const modes = { read: "plan", edit: "auto", full: "yolo" }
  const both = { "session/new": [opened], "session/resume": [opened] }
  const changed = configOptions.map((each) => ({ ...each, currentValue: each.options.at(-1)?.value }))
  const taken: Act = { answer: { configOptions: changed } }

  test("are given at the start and again at a resume, and what the agent is set to is reported", () =>
    Effect.gen(function* () {
      for (const conversation of [Provider.Conversation.New({ id: null }), go]) {
        const { events, heard } = yield* run(
          { plan: { methods: { ...both, "session/set_config_option": [taken] } }, agent: { modes } },
          { conversation, model: "small", thinking: "high", permission: "read" }
        )
        const set = heard.filter(({ method }) => method === "session/set_config_option").map(({ params }) => params)
        // The first answer tells that all three are set.
        assert.deepStrictEqual(set, [{ sessionId: "s1", configId: "mode", value: "plan" }] as typeof set)
        assert.deepStrictEqual(only(events, "SettingsReported").at(-1), {
          ...{ _tag: "SettingsReported", model: "small", thinking: "high", permission: "plan" }
        } as never)
        assert.strictEqual(succeeded(events), 1)
      }
    }))

  test("that the agent refuses, ignores or does not have end the run before it is prompted", () =>
    Effect.gen(function* () {
      const refuse: Act = { refuse: { code: -32602, message: "Invalid value" } }
      const cases = [
        [refuse, { model: "other" }, "model_unavailable", "it has big, small"],
        [{ answer: { configOptions } }, { model: "other" }, "model_unavailable", `stayed with "big"`],
        [taken, { thinking: "max" }, "invalid_request", `no thinking level "max"`],
        [taken, { permission: "full" as const }, "invalid_request", `no mode "yolo"`]
      ] as const
      for (const [answer, asked, code, said] of cases) {
        const { failed, methods } = yield* run(
          { plan: { methods: { ...both, "session/set_config_option": [answer] } }, agent: { modes } },
          asked
        )
        assert.strictEqual(failed?.code, code)
        assert.include(failed?.text, said)
        assert.notInclude(methods, "session/prompt")
      }
      const none = yield* run({}, { model: "m" })
      assert.include(none.failed?.text, "no setting for the model")
    }))
})

describe("questions of the agent", () => {
  const options = [
    { optionId: "yes", name: "Yes", kind: "allow_once" },
    { optionId: "no", name: "No", kind: "reject_once" }
  ]
  const asks = (toolCall: object): Act => ({
    ask: "session/request_permission",
    params: { sessionId: "s1", options, toolCall: { toolCallId: "t", ...toolCall } }
  })
  const answers = (heard: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
    heard.flatMap((message) =>
      message.method === undefined && message.id !== undefined ? [message.result ?? message.error] : []
    )
  const chosen = (optionId: string) => ({ outcome: { outcome: "selected", optionId } })

  test("for permission are answered by the run's permission, and each refusal is told", () =>
    Effect.gen(function* () {
      const plan: Plan = {
        methods: {
          "session/prompt": [
            asks({ kind: "read" }),
            asks({ kind: "edit", locations: [{ path: "x" }] }),
            asks({ kind: "execute", rawInput: { command: "rm -r /" }, name: "shell" }),
            words("done"),
            endTurn
          ]
        }
      }
      for (const [permission, expected, denied] of [
        ["read", ["yes", "no", "no"], 2],
        ["edit", ["yes", "yes", "no"], 1],
        ["full", ["yes", "yes", "yes"], 0]
      ] as const) {
        const { events, heard } = yield* run({ plan }, { permission })
        assert.deepStrictEqual(answers(heard), expected.map(chosen))
        assert.strictEqual(only(events, "Denied").length, denied)
        if (denied > 0) assert.strictEqual(only(events, "Denied").at(-1)?.tool, "shell")
        if (denied > 0) assert.strictEqual(only(events, "Denied").at(-1)?.detail, "rm -r /")
        assert.strictEqual(succeeded(events), 1)
      }
    }))

  test("that nobody knows are answered with `method not found`, and the turn goes on", () =>
    Effect.gen(function* () {
      const plan: Plan = {
        methods: {
          "session/prompt": [
            { ask: "craft/drainMidTurnQueue", params: {} },
            { ask: "fs/read_text_file", params: { path: "/etc/passwd" } },
            { ask: "terminal/create", params: { command: "ls" } },
            words("done"),
            endTurn
          ]
        }
      }
      const { events, heard } = yield* run({ plan })
      assert.deepStrictEqual(
        answers(heard).map((answer) => (answer as { code?: unknown }).code),
        [-32601, -32601, -32601]
      )
      assert.strictEqual(succeeded(events), 1)
    }))

  test("of a broken form are refused, not ignored", () =>
    Effect.gen(function* () {
      const plan: Plan = {
        methods: { "session/prompt": [{ ask: "session/request_permission", params: [] }, words("done"), endTurn] }
      }
      const { events, heard } = yield* run({ plan }, { permission: "full" })
      assert.deepStrictEqual(answers(heard), [{ outcome: { outcome: "cancelled" } }])
      assert.strictEqual(only(events, "Denied").length, 1)
    }))
})

describe("faults of the agent", () => {
  test("garbage between its lines is skipped and counted, and the turn succeeds", () =>
    Effect.gen(function* () {
      const plan: Plan = {
        methods: {
          "session/prompt": [
            { raw: "Debugger attached.\n\n[1,2]\n{}\n" },
            { raw: `{"jsonrpc":"2.0","id":99,"result":{"stopReason":"end_turn"}}\n` },
            {
              raw: `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":5}}}\n`
            },
            { raw: `${"x".repeat(2000)}\n` },
            words("done"),
            endTurn
          ]
        }
      }
      const { events } = yield* run({ plan, machine: { limits: { lineBytes: 1500 } } })
      assert.deepStrictEqual(
        only(events, "LineDropped").map(({ why }) => why),
        ["skipped", "skipped", "skipped", "skipped", "oversize"]
      )
      assert.strictEqual(succeeded(events), 1)
    }))

  test("death in the middle of an answer keeps what it said, and is no success", () =>
    Effect.gen(function* () {
      const die = (last: Act): Plan => ({ methods: { "session/prompt": [words("half an ans"), { wait: 50 }, last] } })
      const killed = yield* run({ plan: die({ kill: "SIGKILL" }) })
      assert.deepStrictEqual(only(killed.events, "Exited")[0]?.exit, { code: null, signal: "SIGKILL" })
      const left = yield* run({ plan: die({ exit: 3 }) })
      for (const { events, failed } of [killed, left]) {
        assert.strictEqual(only(events, "Message")[0]?.text, "half an ans")
        assert.strictEqual(succeeded(events), 0)
        assert.isNull(failed)
        assert.strictEqual(events.at(-1)?._tag, "Exited")
      }
    }))

  test("death at its start with words that are known has a class", () =>
    Effect.gen(function* () {
      const initialize: ReadonlyArray<Act> = [{ stderr: "Error: not logged in\n" }, { exit: 1 }]
      const { events, failed } = yield* run({ plan: { methods: { initialize } } })
      assert.strictEqual(failed?.code, "auth_required")
      assert.strictEqual(only(events, "Exited")[0]?.exit.code, 1)
    }))

  test("an error as the end of the turn is a failure of its class", () =>
    Effect.gen(function* () {
      const refuse: Act = { refuse: { code: -32603, message: "Internal error", data: { details: "429 slow down" } } }
      const { failed } = yield* run({ plan: { methods: { "session/prompt": [words("x"), refuse] } } })
      assert.strictEqual(failed?.code, "provider_overloaded")
      assert.strictEqual(failed?.text, "429 slow down")
    }))

  test("a flood of pieces arrives whole", () =>
    Effect.gen(function* () {
      const flood = Array.from({ length: 20_000 }, (_, n) =>
        JSON.stringify({
          ...{ jsonrpc: "2.0", method: "session/update" },
          params: {
            sessionId: "s1",
            update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: `${n}\n` } }
          }
        })
      )
      const { events } = yield* run({
        plan: { methods: { "session/prompt": [{ raw: `${flood.join("\n")}\n` }, endTurn] } }
      })
      assert.strictEqual(only(events, "Message")[0]?.text, flood.map((_, n) => `${n}\n`).join(""))
      assert.isBelow(only(events, "LineRead").length, 200)
    }))

  test("one that goes on after its stdin has ended is ended", () =>
    Effect.gen(function* () {
      const { events } = yield* run({ plan: { stays: true }, machine: { farewellMs: 200, limits: { graceMs: 500 } } })
      assert.strictEqual(succeeded(events), 1)
      assert.strictEqual(only(events, "Exited")[0]?.exit.signal, "SIGTERM")
    }))
})

describe("a stop", () => {
  const stopped = (setting: Setting, cause: Provider.StopCause, grace?: number) =>
    Effect.gen(function* () {
      const { agent, folder, provider } = yield* fake(setting)
      const running = yield* provider.start(request({ cwd: folder }))
      const seen: Array<Parameters<typeof only>[0][number]> = []
      const reader = yield* Effect.fork(Stream.runForEach(running.events, (each) => Effect.sync(() => seen.push(each))))
      while (!seen.some(({ _tag }) => _tag === "TurnStarted")) yield* Effect.sleep(20)
      yield* Effect.sleep(100)
      const began = performance.now()
      yield* running.stop(cause, grace)
      const took = performance.now() - began
      yield* Fiber.join(reader)
      return { events: seen, took, methods: yield* agent.methods }
    })

  test("asks the agent to cancel, and lets it end by itself", () =>
    Effect.gen(function* () {
      const plan: Plan = {
        methods: {
          "session/prompt": [words("half"), { untilCancelled: true }, { answer: { stopReason: "cancelled" } }]
        }
      }
      const { events, methods } = yield* stopped({ plan }, "cancel", 5000)
      assert.include(methods, "session/cancel")
      assert.deepStrictEqual(only(events, "Exited")[0]?.exit, { code: 0, signal: null })
      assert.strictEqual(only(events, "Message")[0]?.text, "half")
      assert.strictEqual(succeeded(events), 0)
    }))

  test("ends an agent that does not listen, within its bounds", () =>
    Effect.gen(function* () {
      const plan: Plan = {
        stays: true,
        stubborn: true,
        methods: { "session/prompt": [words("half"), { wait: 60_000 }] }
      }
      const limits = { termMs: 200, killMs: 1000 }
      const { events, took } = yield* stopped({ plan, machine: { limits } }, "timed_out", 300)
      assert.strictEqual(only(events, "Exited")[0]?.exit.signal, "SIGKILL")
      assert.isBelow(took, 4000)
    }))

  test("of a run that another process has taken over says nothing more to the agent", () =>
    Effect.gen(function* () {
      const plan: Plan = { methods: { "session/prompt": [words("half"), { wait: 60_000 }] } }
      const { methods } = yield* stopped({ plan }, "fenced", 1000)
      assert.notInclude(methods, "session/cancel")
    }))
})
