import { Provider } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import fc from "fast-check"
import { almostEvents, decodeAll, only, request } from "../testing/support.js"
import { type CommandConfig, ownIds, readProviders } from "./config.js"
import { at, decoder, isIdOf } from "./decode.js"
import { fill, type Part, places, placesIn, type Values } from "./template.js"

const none: Values = { prompt: null, session: null, model: null, thinking: null, permission: null, cwd: null }
const args = (template: ReadonlyArray<Part>, values: Partial<Values>, more: ReadonlyArray<string> = []) => {
  const filled = fill(template, { ...none, ...values }, more)
  return filled._tag === "Arguments" ? filled.args : filled.why
}

describe("a template", () => {
  it("becomes one argument a place, and leaves out the groups whose value is not given", () => {
    const template: ReadonlyArray<Part> = [
      "--json",
      ["--model", "{model}"],
      ["--effort={thinking}"],
      "--cwd={cwd}",
      "--",
      "{prompt}"
    ]
    assert.deepStrictEqual(args(template, { prompt: "a b; rm *", cwd: "/w", model: "m[1m]" }), [
      ...["--json", "--model", "m[1m]", "--cwd=/w", "--", "a b; rm *"]
    ])
    assert.deepStrictEqual(args(template, { prompt: "p", cwd: "/w", thinking: "high" }, ["-v"]), [
      ...["--json", "--effort=high", "--cwd=/w", "-v", "--", "p"]
    ])
    assert.deepStrictEqual(args(["x", "{prompt}"], { prompt: "p" }, ["-v"]), ["x", "p", "-v"])
    assert.deepStrictEqual([...placesIn(template)], ["model", "thinking", "cwd", "prompt"])
  })

  it("does not look at a value for places of its own", () => {
    assert.deepStrictEqual(args(["{prompt}", "{cwd}"], { prompt: "{cwd} {session} $&", cwd: "/w" }), [
      "{cwd} {session} $&",
      "/w"
    ])
    assert.deepStrictEqual(args(["{other}", "{}"], {}), ["{other}", "{}"])
  })

  it("refuses a value that would be taken for an option", () => {
    assert.include(args(["{prompt}"], { prompt: "--version" }), `begins with "-"`)
    assert.include(args(["-m", "{model}", "--", "{prompt}"], { model: "-x", prompt: "p" }), "{model}")
    assert.deepStrictEqual(args(["--", "{prompt}"], { prompt: "--version" }), ["--", "--version"])
    assert.deepStrictEqual(args(["-p={prompt}"], { prompt: "--version" }), ["-p=--version"])
    assert.include(args(["{prompt}"], { prompt: "a\0b" }), "no argument can hold")
  })

  it("never makes more of a value than one argument, nor an option", () => {
    const text = fc.oneof(fc.string(), fc.constantFrom("--x", "-", "{model}", "a b", "--", "$(x)"))
    const values = fc.record(
      Object.fromEntries(places.map((place) => [place, text])) as Record<keyof Values, typeof text>
    )
    const part = fc.oneof(
      fc.constantFrom("--", "--json", "-m={model}"),
      fc.constantFrom(...places.map((place) => `{${place}}`))
    )
    fc.assert(
      fc.property(
        fc.array(fc.oneof(part, fc.array(part, { minLength: 1, maxLength: 3 })), { maxLength: 8 }),
        values,
        (template, given) => {
          const filled = fill(template, given, [])
          if (filled._tag === "Refused") return
          const written = template.flat()
          assert.strictEqual(filled.args.length, written.length)
          const end = written.indexOf("--")
          for (const [index, argument] of filled.args.entries()) {
            if (written[index]?.startsWith("{") && (end === -1 || index < end)) assert.isFalse(argument.startsWith("-"))
          }
        }
      )
    )
  })
})

const base = {
  type: "command",
  command: ["agent", "--json", ["--model", "{model}"]],
  prompt: "stdin",
  output: { format: "json", end: { when: { type: "done" } } },
  permissions: { read: null, edit: "auto", full: null }
}
const faults = (config: object): string =>
  Either.match(readProviders({ mine: config }), {
    onLeft: (found) => found.map(({ keys, message }) => `${keys.join(".")}: ${message}`).join("\n"),
    onRight: () => ""
  })
const read = (config: object): CommandConfig => {
  const found = Either.getOrThrow(readProviders({ mine: config })).mine
  if (found?.type !== "command") throw new Error("no command")
  return found
}

describe("a configuration", () => {
  const uuid = "[0-9a-f-]{36}"
  const provider = { assigned_by: "provider", pattern: uuid }
  const caller = { assigned_by: "caller", pattern: uuid }
  const named = { ...base.output, session: { path: "id" } }
  it.each([
    ["as small as it can be", base, ""],
    ["no permissions", { ...base, permissions: undefined }, "mine.permissions"],
    ["a typing error", { ...base, resumee: [] }, "mine.resumee: is unexpected"],
    ["the program is a place", { ...base, command: ["{prompt}"] }, "begins with the program"],
    ["the program is a group", { ...base, command: [["agent"]] }, "begins with the program"],
    ["the prompt on both ways", { ...base, command: ["a", "{prompt}"] }, "no command may have {prompt}"],
    ["the prompt on no way", { ...base, prompt: "argument" }, "must have {prompt}"],
    [
      "a resume of nothing",
      { ...base, session: provider, output: named, resume: ["a", "--continue"] },
      "never told to continue the latest"
    ],
    ["a resume without ids", { ...base, resume: ["a", "{session}"] }, "resume needs `session`"],
    ["an id that nobody reads", { ...base, session: provider, resume: ["a", "{session}"] }, "output.session"],
    [
      "an id in plain text",
      { ...base, session: provider, output: { format: "text", success: "exit_zero" } },
      "output.session"
    ],
    ["an id that nobody passes", { ...base, session: caller }, "must be in command"],
    ["an id that nobody chooses", { ...base, command: ["a", "{session}"] }, "not named by Alluka"],
    [
      "an id of another form",
      { ...base, command: ["a", "{session}"], session: { ...caller, pattern: "\\d+" } },
      "is a UUID"
    ],
    ["a broken pattern", { ...base, answers: { auth: ["("] } }, "not a regular expression"],
    ["levels without a place", { ...base, thinking: ["high"] }, "no {thinking}"],
    ["plain text without a word for success", { ...base, output: { format: "text" } }, "mine.output.success"],
    [
      "all of it",
      {
        ...base,
        session: provider,
        output: named,
        resume: ["a", "--resume", "{session}"],
        cwd_bound: true,
        answers: { no_such_session: ["gone"] }
      },
      ""
    ]
  ] as const)("%s", (_, config, words) => {
    const found = faults(config)
    if (words === "") assert.strictEqual(found, "")
    else assert.include(found, words)
  })

  it("has no provider under a name of Alluka's own, or none at all", () => {
    for (const id of [...ownIds, "", "Mine", "a b", "../x", "9x"]) {
      assert.isTrue(Either.isLeft(readProviders({ [id]: base })))
    }
    assert.isTrue(Either.isRight(readProviders({ api: base, "my-agent": base })))
    for (const odd of [null, 5, [], { mine: null }, { mine: { type: "other" } }])
      assert.isTrue(Either.isLeft(readProviders(odd)))
  })

  it("of whatever form is refused or read, and does not throw", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        readProviders(json)
        readProviders({ mine: json })
        readProviders({ mine: { ...base, answers: json, output: json } })
      })
    )
  })
})

describe("a configured program's lines", () => {
  const id = "11111111-1111-4111-8111-111111111111"
  const config = read({
    ...base,
    command: ["agent", ["--model", "{model}"]],
    resume: ["agent", "--resume", "{session}"],
    session: { assigned_by: "provider", pattern: "[0-9a-f-]{36}" },
    output: {
      format: "json",
      session: { when: { type: "start" }, path: "session.id" },
      model: { when: { type: "start" }, path: "model" },
      message: { when: { type: "say" }, path: "parts.0.text" },
      end: { when: { type: "done", ok: true }, path: "summary" },
      error: { when: { type: "done", ok: false }, path: "reason" }
    },
    answers: {
      no_such_session: ["^no session "],
      invalid_session: ["bad id"],
      usage_limit: ["limit reached"],
      auth: ["sign in"]
    }
  })
  const go = request({ conversation: Provider.Conversation.Continue({ id, location: null }) })
  const fresh = decoder(config, request())
  const start = JSON.stringify({ type: "start", session: { id }, model: "m-1" })
  const said = JSON.stringify({ type: "say", parts: [{ text: "hello" }] })
  const tags = (lines: ReadonlyArray<string>) => decodeAll(fresh, lines).map(({ _tag }) => _tag)

  it("are what the configuration says", () => {
    assert.deepStrictEqual(decodeAll(fresh, [start, said, `{"type":"done","ok":true,"summary":"all"}`]), [
      { _tag: "SessionNamed", id, location: null, confirms: true },
      { _tag: "SettingsReported", model: "m-1", thinking: null, permission: null },
      { _tag: "Message", role: "assistant", id: null, text: "hello" },
      { _tag: "Succeeded", text: "all" }
    ] as unknown as ReturnType<typeof decodeAll>)
    assert.deepStrictEqual(tags([said]), ["Message"])
    assert.deepStrictEqual(tags(["nonsense", `{"type":"other"}`]), ["LineDropped"])
  })

  it("name no session but one of the declared form", () => {
    for (const hostile of ["", "--x", `${id}x`, "a\nb"]) {
      const named = decodeAll(fresh, [JSON.stringify({ type: "start", session: { id: hostile } })])
      assert.deepStrictEqual(
        named.map(({ _tag }) => _tag),
        ["Notice"]
      )
      assert.isFalse(isIdOf(config.session)(hostile))
    }
    assert.isTrue(isIdOf(config.session)(id))
    assert.isFalse(isIdOf({ assignedBy: "provider", pattern: ".*" })("-x"))
    assert.isFalse(isIdOf(undefined)(id))
  })

  it.each([
    ["no session abc", true, "provider_session_missing", "no_such_session"],
    ["no session abc", false, "provider_error", null],
    ["there is no session abc", true, "provider_error", null],
    ["bad id", true, "provider_session_missing", "invalid_session"],
    ["Limit reached, resets 3pm", true, "usage_limit", null],
    ["please sign in", true, "auth_required", null],
    ["connect ECONNREFUSED", true, "network_lost", null],
    ["HTTP 503 busy", true, "provider_overloaded", null],
    ["odd", true, "provider_error", null]
  ] as const)("an error `%s` (resuming: %s) is %s", (reason, resuming, code, lostSession) => {
    const line = JSON.stringify({ type: "done", ok: false, reason })
    const [failed] = only(decodeAll(decoder(config, resuming ? go : request()), [line]), "Failed")
    assert.strictEqual(failed?.failure.code, code)
    assert.strictEqual(failed?.failure.lostSession, lostSession)
  })

  it("on stderr count where nothing else was said", () => {
    const ended = (code: number, stderr: string) => decodeAll(decoder(config, go), [], { code, stderr })
    assert.strictEqual(only(ended(1, "x\nno session abc\n"), "Failed")[0]?.failure.lostSession, "no_such_session")
    assert.deepStrictEqual(ended(1, "odd"), [])
    assert.deepStrictEqual(ended(0, "no session abc"), [])
  })

  it("in plain text are one message, and a success only with exit 0, words, and no refusal in them", () => {
    const { resume, session, ...rest } = config
    const text = decoder({ ...rest, output: { format: "text", success: "exit_zero" } }, request())
    const told = (lines: ReadonlyArray<string>, ended = {}) => decodeAll(text, lines, ended).map(({ _tag }) => _tag)
    assert.deepStrictEqual(told(["a", "b"]), ["Message", "Succeeded"])
    assert.strictEqual(only(decodeAll(text, ["a", "", "b"]), "Message")[0]?.text, "a\n\nb")
    assert.deepStrictEqual(told([]), [])
    assert.deepStrictEqual(told(["a"], { code: 1 }), ["Message"])
    assert.deepStrictEqual(told(["a"], { code: null, signal: "SIGKILL" }), ["Message"])
    assert.deepStrictEqual(told(["limit reached"]), ["Message", "Failed"])
    assert.deepStrictEqual(told(["a"], { stderr: "please sign in" }), ["Message", "Failed"])
    assert.isDefined(resume)
    assert.isDefined(session)
  })

  it("of whatever kind do not throw, and succeed only by the declared word", () => {
    const words = ["start", "say", "done", "session", id]
    const line = fc.oneof(
      fc.string(),
      almostEvents(["type", "session", "id", "parts", "text", "ok", "summary", "reason"], words)
    )
    fc.assert(
      fc.property(fc.array(line), fc.boolean(), (lines, resuming) => {
        const events = decodeAll(decoder(config, resuming ? go : request()), lines)
        const done = lines.some((each) => each.includes("done") && each.includes("true"))
        assert.isAtMost(only(events, "Succeeded").length, done ? 1 : 0)
      })
    )
  })

  it("have values at paths, and nothing beyond", () => {
    const value = { a: [{ b: 1 }], "": 2 }
    assert.strictEqual(at(value, "a.0.b"), 1)
    for (const path of ["a.1.b", "a.b", "x", "a.0.b.c", "__proto__", "constructor", "a.length.x"])
      assert.isUndefined(at(value, path))
  })
})
