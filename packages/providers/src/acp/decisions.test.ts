import { Provider, type State } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { isPlainId, knownAgents } from "./agents.js"
import { classifyRefusal, classifyWords } from "./failures.js"
import { incoming } from "./message.js"
import { offersOf, wayInto } from "./offers.js"
import { answer, pathsOf } from "./permissions.js"
import { current, moveTo, settingsOf, taken } from "./settings.js"

const id = "11111111-1111-4111-8111-111111111111"

describe("a line of an agent", () => {
  it.each([
    ["not json", null],
    ["[]", null],
    ["{}", null],
    [`{"id":1}`, null],
    [`{"id":{},"method":"x"}`, null],
    [`{"id":null,"result":1}`, null],
    [`{"method":"session/update"}`, "Update"],
    [`{"method":"qwen/notify"}`, "Notification"],
    [`{"id":"q","method":"session/request_permission"}`, "Asked"],
    [`{"id":null,"method":"x"}`, "Asked"],
    [`{"id":1,"result":null}`, "Answered"],
    [`{"id":1,"result":{},"error":null}`, "Answered"],
    [`{"id":1,"error":{"code":-32603,"message":"m"}}`, "Refused"],
    [`{"id":1,"error":"words"}`, "Refused"]
  ] as const)("%s is %s", (line, tag) => {
    assert.strictEqual(incoming(line)?._tag ?? null, tag)
  })
})

describe("the way into a conversation", () => {
  const go = Provider.Conversation.Continue({ id, location: null })
  const fork = Provider.Conversation.Fork({ from: id, location: null, id: null })
  it.each([
    ["resume before load", go, { resume: {}, list: {} }, true, "Resume"],
    ["load where there is no resume", go, {}, true, "Load"],
    ["resume alone", go, { resume: {} }, false, "Resume"],
    ["neither", go, { resume: null }, false, "Cannot"],
    ["fork", fork, { fork: {} }, false, "Fork"],
    ["no fork", fork, { resume: {} }, true, "Cannot"],
    ["new", Provider.Conversation.New({ id: null }), {}, false, "New"]
  ] as const)("%s", (_, conversation, sessionCapabilities, loadSession, way) => {
    const offers = offersOf({ protocolVersion: 1, agentCapabilities: { loadSession, sessionCapabilities } })
    assert.strictEqual(wayInto(conversation, offers, "X")._tag, way)
  })

  it("is never a new conversation where another was asked for", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(go, fork), (answered, conversation) => {
        const offers = offersOf(
          answered === null || typeof answered !== "object" || Array.isArray(answered) ? {} : answered
        )
        assert.notStrictEqual(wayInto(conversation, offers, "X")._tag, "New")
      })
    )
  })
})

describe("settings", () => {
  const option = (id: string, category: string, value: string, ...values: ReadonlyArray<string>) => ({
    ...{ id, category, type: "select", currentValue: value },
    options: values.map((each) => ({ value: each, name: each }))
  })
  const settings = settingsOf({
    modes: { currentModeId: "auto", availableModes: [{ id: "auto" }, { id: "plan" }] },
    models: { currentModelId: "m1[low]", availableModels: [{ modelId: "m1[low]" }] },
    configOptions: [option("model", "model", "m1", "m1", "m2"), option("effort", "thought_level", "low", "low", "high")]
  })

  it("come from config options before the older states", () => {
    assert.deepStrictEqual(current(settings), { model: "m1", thinking: "low", permission: "auto" })
    assert.deepStrictEqual(moveTo(settings, "model", "m2", "X"), {
      _tag: "Call",
      call: { method: "session/set_config_option", params: { configId: "model", value: "m2" } }
    })
    assert.deepStrictEqual(moveTo(settings, "permission", "plan", "X"), {
      _tag: "Call",
      call: { method: "session/set_mode", params: { modeId: "plan" } }
    })
    const older = settingsOf({ models: { currentModelId: "a", availableModels: [] } })
    const move = moveTo(older, "model", "b", "X")
    assert.strictEqual(move._tag === "Call" ? move.call.method : null, "session/set_model")
  })

  it("that are set already are not set, and those that are not there cannot be", () => {
    assert.strictEqual(moveTo(settings, "thinking", "low", "X")._tag, "Done")
    const impossible = moveTo(settings, "thinking", "max", "Agent X")
    assert.include(
      impossible._tag === "Impossible" ? impossible.why : "",
      `Agent X has no thinking level "max"; it has low, high`
    )
    assert.strictEqual(moveTo({}, "model", "m", "X")._tag, "Impossible")
  })

  it("count a model as taken under another name, and nothing else", () => {
    const after = (model: string) => settingsOf({ configOptions: [option("model", "model", model)] }, settings)
    assert.isTrue(taken(settings, after("m2"), "model", "claude-m2"))
    assert.isFalse(taken(settings, after("m1"), "model", "claude-m2"))
    assert.isFalse(taken(settings, settings, "thinking", "high"))
    // The session had the model before, under its shorter name.
    assert.isTrue(taken(after("sonnet"), after("sonnet"), "model", "claude-sonnet-5-5"))
    assert.isFalse(taken(after("opus"), after("opus"), "model", "claude-sonnet-5-5"))
  })

  it("in groups are found", () => {
    const grouped = settingsOf({
      configOptions: [
        { id: "m", category: "model", currentValue: "a", options: [{ group: "g", options: [{ value: "b" }] }] }
      ]
    })
    assert.deepStrictEqual(grouped.model?.values, ["b"])
  })
})

describe("permission", () => {
  const options = [
    { optionId: "always", kind: "allow_always" },
    { optionId: "once", kind: "allow_once" },
    { optionId: "no", kind: "reject_once" }
  ]
  const rule = (permission: State.Permission) => ({ permission, cwd: "/w/a", addDirs: ["/other"] })
  const chosen = (
    kind: string | null,
    paths: ReadonlyArray<string>,
    permission: State.Permission,
    offered: unknown = options
  ) => {
    const { outcome } = answer({ kind, paths }, offered, rule(permission))
    return outcome.outcome === "selected" ? outcome.optionId : "cancelled"
  }
  it.each([
    ["read", "read", [], "once"],
    ["read", "search", ["/etc/passwd"], "once"],
    ["read", "edit", ["/w/a/x"], "no"],
    ["read", "execute", [], "no"],
    ["read", "fetch", [], "no"],
    ["read", null, [], "no"],
    ["edit", "edit", ["/w/a/x", "b/c"], "once"],
    ["edit", "edit", [], "once"],
    ["edit", "delete", ["/other/x"], "once"],
    ["edit", "edit", ["/w/ab"], "no"],
    ["edit", "edit", ["/w/a/../b"], "no"],
    ["edit", "move", ["/w/a/x", "/etc/x"], "no"],
    ["edit", "execute", ["/w/a/x"], "no"],
    ["edit", "switch_mode", [], "no"],
    ["edit", null, ["/w/a/x"], "no"],
    ["full", "execute", ["/etc"], "once"],
    ["full", null, [], "once"]
  ] as const)("%s, %s of %j: %s", (permission, kind, paths, option) => {
    assert.strictEqual(chosen(kind, paths, permission), option)
  })

  it("`always` is chosen by nobody but `full`, where there is nothing else", () => {
    const only = [{ optionId: "always", kind: "allow_always" }]
    assert.strictEqual(chosen("read", [], "read", only), "cancelled")
    assert.strictEqual(chosen("execute", [], "full", only), "always")
    assert.strictEqual(chosen("execute", [], "edit", "nonsense"), "cancelled")
  })

  it("below `full` never lets a command run or a file outside of the folders be changed", () => {
    const kinds = fc.option(
      fc.constantFrom("read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other", "x")
    )
    const paths = fc.array(
      fc.constantFrom("/w/a/x", "x", "../x", "/w/b", "/", "/w/a/../../etc", "/other", "/otherwise")
    )
    fc.assert(
      fc.property(kinds, paths, fc.constantFrom("read" as const, "edit" as const), (kind, named, permission) => {
        const { allowed } = answer({ kind, paths: named }, options, rule(permission))
        if (!allowed) return
        assert.include(["read", "search", "think", ...(permission === "edit" ? ["edit", "delete", "move"] : [])], kind)
        if (kind === "edit" || kind === "delete" || kind === "move") {
          assert.isTrue(named.every((path) => ["/w/a/x", "x", "/other"].includes(path)))
        }
      })
    )
  })

  it("knows the paths that a call names, wherever", () => {
    assert.deepStrictEqual(
      pathsOf({
        locations: [{ path: "/a" }, { line: 1 }],
        content: [
          { type: "diff", path: "/b" },
          { type: "content", path: "/no" }
        ],
        rawInput: { file_path: "/c", path: "/a" }
      }),
      ["/a", "/b", "/c"]
    )
  })
})

describe("a refusal", () => {
  const about = { opening: false, unlisted: false, signIn: [] }
  const opening = { ...about, opening: true }
  it.each([
    [
      "claude: unknown id",
      -32002,
      "Resource not found",
      { sessionId: id },
      opening,
      "provider_session_missing",
      "no_such_session"
    ],
    [
      "codex: unknown id",
      -32603,
      "Internal error",
      { details: `no rollout found for thread id ${id}` },
      opening,
      "provider_session_missing",
      "no_such_session"
    ],
    [
      "kimi: unknown id",
      -32602,
      `Unknown sessionId: ${id}`,
      undefined,
      opening,
      "provider_session_missing",
      "no_such_session"
    ],
    [
      "copilot: unknown id",
      -32002,
      `Resource not found: Session ${id} not found`,
      {},
      opening,
      "provider_session_missing",
      "no_such_session"
    ],
    [
      "claude: malformed id",
      -32603,
      "Internal error",
      { details: "Error: --resume requires a valid session ID or title" },
      opening,
      "provider_session_missing",
      "invalid_session"
    ],
    [
      "codex: malformed id",
      -32603,
      "Internal error",
      { details: "invalid session id: invalid character" },
      opening,
      "provider_session_missing",
      "invalid_session"
    ],
    ["opencode: vague", -32603, "Internal error: OpenCode service failure", undefined, opening, "provider_error", null],
    [
      "opencode: vague, and not listed",
      -32603,
      "Internal error: OpenCode service failure",
      undefined,
      { ...opening, unlisted: true },
      "provider_session_missing",
      "no_such_session"
    ],
    [
      "not listed, but the network",
      -32603,
      "connect ECONNREFUSED 127.0.0.1:1",
      undefined,
      { ...opening, unlisted: true },
      "network_lost",
      null
    ],
    [
      "not listed, but no such method",
      -32601,
      "Method not found",
      undefined,
      { ...opening, unlisted: true },
      "provider_error",
      null
    ],
    ["a tool's file is not found", -32002, "Resource not found", undefined, about, "provider_error", null],
    ["sign-in", -32000, "Authentication required", undefined, about, "auth_required", null],
    [
      "claude: billing",
      -32603,
      "Internal error: Credit balance is too low",
      { errorKind: "billing_error" },
      about,
      "budget_exceeded",
      null
    ],
    [
      "claude: model",
      -32603,
      "Internal error: There's an issue with the selected model (x).",
      { errorKind: "model_not_found" },
      about,
      "model_unavailable",
      null
    ],
    [
      "claude: 529",
      -32603,
      "Internal error: API Error: Repeated 529 Overloaded errors.",
      { errorKind: "server_error" },
      about,
      "provider_overloaded",
      null
    ],
    [
      "claude: 429",
      -32603,
      "Internal error: API Error: Request rejected (429) · exceed your account's rate limit.",
      { errorKind: "rate_limit" },
      about,
      "provider_overloaded",
      null
    ],
    [
      "claude: limit",
      -32603,
      "Internal error: You've hit your session limit · resets 3pm (UTC)",
      { errorKind: "rate_limit" },
      about,
      "usage_limit",
      null
    ],
    [
      "claude: too long",
      -32603,
      "Internal error: Prompt is too long · the request is ~250000 tokens",
      { errorKind: "invalid_request" },
      about,
      "context_exhausted",
      null
    ],
    [
      "codex: limit",
      -32603,
      "Internal error",
      { message: "You’ve hit your usage limit. Try again at 3:00 AM.", codexErrorInfo: "usageLimitExceeded" },
      about,
      "usage_limit",
      null
    ],
    [
      "codex: quota",
      -32603,
      "Internal error",
      { message: "Quota exceeded. Check your plan and billing details.", codexErrorInfo: "usageLimitExceeded" },
      about,
      "budget_exceeded",
      null
    ],
    [
      "qwen: 401",
      -32603,
      "Internal error",
      { details: "401 Incorrect API key provided" },
      about,
      "auth_required",
      null
    ],
    ["qwen: 404", -32603, "Internal error", { details: "404 fake HTTP 404" }, about, "model_unavailable", null],
    ["nothing known", -32603, "Internal error", undefined, about, "provider_error", null]
  ] as const)("%s", (_, code, message, data, circumstances, expected, lostSession) => {
    const failed = classifyRefusal({ code, message, data }, circumstances)
    assert.strictEqual(failed.code, expected)
    assert.strictEqual(failed.lostSession, lostSession)
  })

  it("says how to sign in, and when a limit resets", () => {
    const failed = classifyRefusal(
      { code: -32000, message: "Authentication required", data: null },
      { ...about, signIn: ["Run `x login`"] }
    )
    assert.strictEqual(failed.text, "Authentication required (Run `x login`)")
    const limited = classifyRefusal(
      { code: -32603, message: "You've hit your usage limit", data: { resets_at: 1783710000 } },
      about
    )
    assert.strictEqual(limited.resetsAt, 1783710000000)
  })

  it.each([
    ["exceeded retry limit, last status: 429 Too Many Requests", "provider_overloaded", 429],
    ["Error: Authentication failed with provider at http://h/v1 (HTTP 401).", "auth_required", 401],
    ["Error: Model 'm' not found on provider at http://h/v1 (HTTP 404).", "model_unavailable", 404],
    ["Error: Failed to get response; retried 5 times Last error: 500 fake HTTP 500", "provider_overloaded", 500],
    ["Last error: Failed native model HTTP request: error decoding response body", "network_lost", null],
    ["stream disconnected before completion: Transport error", "network_lost", null],
    ["We’re currently experiencing high demand", "provider_overloaded", null],
    ["Codex ran out of room in the model's context window.", "context_exhausted", null],
    ["I could not do it.", "provider_error", null]
  ] as const)("in words: %s", (said, code, status) => {
    const failed = classifyWords(said)
    assert.strictEqual(failed.code, code)
    assert.strictEqual(failed.status, status)
  })

  it("of whatever form has a class and does not throw", () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.string(),
        fc.jsonValue(),
        fc.boolean(),
        fc.boolean(),
        (code, message, data, opens, unlisted) => {
          const failed = classifyRefusal({ code, message, data }, { opening: opens, unlisted, signIn: [] })
          assert.isNotEmpty(failed.code)
          if (!opens) assert.isNull(failed.lostSession)
        }
      )
    )
  })
})

describe("the known agents", () => {
  it("have ids of their own, and take no id that could be a flag, a path or nothing", () => {
    assert.deepStrictEqual(
      knownAgents.map(({ id }) => id),
      ["claude-acp", "codex-acp", "qwen", "copilot"]
    )
    for (const hostile of ["", "-x", "--last", "../x", "a b", "a\n", "x".repeat(300)]) {
      assert.isFalse(isPlainId(hostile))
      for (const agent of knownAgents) assert.isFalse(agent.isSessionId(hostile))
    }
    for (const agent of knownAgents) assert.isTrue(agent.isSessionId(id))
  })
})
