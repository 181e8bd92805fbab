import { Provider } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { almostEvents, decodeAll, only, request, sampleLines } from "../testing/support.js"
import { decoder } from "./decode.js"

const sample = sampleLines(import.meta.url)
const kimi = decoder(request(), "/home/u/.kimi-code")
const id = "session_060156e7-48dd-48c4-8c35-21dfda24a1a4"
const resumed = decoder(request({ conversation: Provider.Conversation.Continue({ id, location: null }) }), null)
const failureOf = (stderr: string, lines: ReadonlyArray<string> = sample("http401")) => {
  const [failed, ...others] = only(decodeAll(kimi, lines, { code: 1, stderr }), "Failed")
  assert.strictEqual(others.length, 0)
  if (failed === undefined) throw new Error("nothing failed")
  return failed.failure
}

describe("kimi's stream", () => {
  it("of a run with a tool", () => {
    const said = "REPLY(after-tool) model=fake-a userTurns=3 roles=6"
    assert.deepStrictEqual(decodeAll(kimi, sample("tool")), [
      { _tag: "TurnStarted" },
      { _tag: "ToolStarted", id: "call_1mx42gln4", name: "Bash", summary: "echo hello-from-tool" },
      { _tag: "ToolFinished", id: "call_1mx42gln4", ok: true, summary: "hello-from-tool" },
      { _tag: "TurnStarted" },
      { _tag: "Message", role: "assistant", id: null, text: said },
      {
        _tag: "SessionNamed",
        id: "session_70c3841a-ca37-47dd-ab5a-64ff5a4f8efb",
        location: "/home/u/.kimi-code",
        confirms: true
      },
      { _tag: "Succeeded", text: said }
    ] as unknown as ReturnType<typeof decodeAll>)
  })

  it("of a resume names the session asked for with the first sign of the model", () => {
    const events = decodeAll(resumed, sample("resumed"))
    assert.deepStrictEqual(
      only(events, "SessionNamed").map(({ confirms, id }) => [id, confirms]),
      [
        [id, true],
        [id, true]
      ]
    )
    assert.strictEqual(events[0]?._tag, "SessionNamed")
    assert.strictEqual(only(decodeAll(resumed, sample("unknown-session"), { code: 1 }), "SessionNamed").length, 0)
  })

  it("tells that it tries again, and until when it waits", () => {
    const retries = only(decodeAll(kimi, sample("retried")), "Retrying")
    assert.deepStrictEqual(
      retries.map(({ text, until }) => [text, until]),
      [
        ["429 Rate limit reached. Try again in 2s.: attempt 2 of 10", 1_002_000],
        ["429 Rate limit reached. Try again in 2s.: attempt 3 of 10", 1_002_000]
      ]
    )
    assert.strictEqual(only(decodeAll(kimi, sample("retried")), "Succeeded").length, 1)
  })

  it("tells a command that failed by its last line", () => {
    const tool = (content: string) => JSON.stringify({ role: "tool", tool_call_id: "c", content })
    const ok = (content: string) => only(decodeAll(kimi, [tool(content)]), "ToolFinished")[0]?.ok
    assert.isFalse(ok("oops\nCommand failed with exit code: 3."))
    assert.isTrue(ok("fine\n"))
  })

  it("without its last line is no success, whatever was said and however it ended", () => {
    const lines = sample("tool").slice(0, -1)
    for (const ended of [{ code: 0 }, { code: 143, signal: "SIGTERM" }]) {
      assert.strictEqual(only(decodeAll(kimi, lines, ended), "Succeeded").length, 0)
    }
  })
})

describe("kimi's failures", () => {
  it.each([
    ["provider.auth_error: 401 Incorrect API key provided", "auth_required", 401],
    ["provider.api_error: 400 HTTP 400", "invalid_request", 400],
    ["provider.api_error: 404 HTTP 404", "provider_error", 404],
    ["provider.api_error: 404 model x not found", "model_unavailable", 404],
    ["provider.api_error: 429 You exceeded your current quota", "budget_exceeded", 429],
    ["provider.rate_limit: 429 Rate limit reached", "provider_overloaded", 429],
    ["provider.api_error: 503 HTTP 503", "provider_overloaded", 503],
    ["provider.connection_error: Connection error.", "network_lost", null],
    ['Model "nope" is not configured in config.toml.', "model_unavailable", null],
    [`Session "${id}" was created under a different directory.`, "invalid_request", null],
    ["something new", "provider_error", null]
  ])("%s is %s", (words, code, status) => {
    const failure = failureOf(`error: failed to run prompt: ${words}\nSee log: /home/u/.kimi-code/logs/kimi-code.log\n`)
    assert.strictEqual(failure.code, code)
    assert.strictEqual(failure.status, status)
    assert.strictEqual(failure.text, words)
    assert.isNull(failure.lostSession)
  })

  it("of a session that is not there", () => {
    const failure = failureOf(`error: failed to run prompt: Session "${id}" not found.\n`, sample("unknown-session"))
    assert.strictEqual(failure.code, "provider_session_missing")
    assert.strictEqual(failure.lostSession, "no_such_session")
  })

  it("of its command line", () => {
    assert.strictEqual(failureOf("error: unknown option '--bogus'\n", []).code, "invalid_request")
  })

  it("are not what its tools print", () => {
    const stderr = `my-test: Session "x" not found\nfatal error: ECONNRESET\n`
    assert.strictEqual(only(decodeAll(kimi, [], { code: 1, stderr }), "Failed").length, 0)
  })
})

describe("kimi's decoder", () => {
  it("never throws, and never invents a success", () => {
    const keys = [
      ...["role", "type", "content", "text", "tool_calls", "id", "function", "name", "arguments", "tool_call_id"],
      ...["session_id", "delay_ms", "next_attempt", "max_attempts", "error_message"]
    ]
    const words = ["assistant", "tool", "meta", "turn.step.retrying", "system.version"]
    fc.assert(
      fc.property(
        fc.array(fc.oneof(almostEvents(keys, words), fc.string({ unit: "binary" })), { maxLength: 12 }),
        fc.string(),
        (lines, stderr) => {
          assert.strictEqual(only(decodeAll(kimi, lines, { code: 0, stderr }), "Succeeded").length, 0)
        }
      ),
      { numRuns: 500 }
    )
  })
})
