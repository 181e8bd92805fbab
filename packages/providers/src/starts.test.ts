/** Starts of opencode, gemini, pi and kimi through the registry, on stubs that log how they were called and play a stream. */
import { existsSync, readFileSync } from "node:fs"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Provider, type RunEvent } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { layer } from "./registry.js"
import { layer as host } from "./testing/linuxHost.js"
import { allOf, only, request, script, tempFolder } from "./testing/support.js"

type Id = "opencode" | "gemini" | "pi" | "kimi"

/** An id of each provider's form, and a whole stream of a run in that session. */
const streams: Readonly<Record<Id, { readonly id: string; readonly lines: ReadonlyArray<object> }>> = {
  opencode: {
    id: "ses_stub01",
    lines: [
      { type: "step_start", sessionID: "ses_stub01", part: {} },
      { type: "text", sessionID: "ses_stub01", part: { text: "done" } },
      { type: "step_finish", sessionID: "ses_stub01", part: { reason: "stop" } }
    ]
  },
  gemini: {
    id: "30f28436-970a-5877-aa7f-c871d48ad4b7",
    lines: [
      { type: "init", session_id: "30f28436-970a-5877-aa7f-c871d48ad4b7", model: "M-2" },
      { type: "message", role: "assistant", content: "done", delta: true },
      { type: "result", status: "success" }
    ]
  },
  pi: {
    id: "01a22f5d-9613-7706-831d-79415b06920a",
    lines: [
      { type: "session", id: "01a22f5d-9613-7706-831d-79415b06920a" },
      { type: "turn_start" },
      { type: "message_end", message: { role: "assistant", content: "done", model: "M-2", stopReason: "stop" } }
    ]
  },
  kimi: {
    id: "session_060156e7",
    lines: [
      { role: "assistant", content: "done" },
      { role: "meta", type: "session.resume_hint", session_id: "session_060156e7" }
    ]
  }
}
const ids = ["opencode", "gemini", "pi", "kimi"] as const

interface Call {
  readonly argv: ReadonlyArray<string>
  readonly cwd: string
  readonly stdin: string
  readonly pwd: string
  readonly run: string
  readonly relaunch: string | null
}

/** Starts a provider on a stub; `stderr` and `code`: how the stub ends instead of playing its stream. */
const started = (
  id: Id,
  more: Partial<Provider.StartRequest> = {},
  ending: { readonly stderr?: string; readonly code?: number } = {},
  before: (home: string) => Promise<void> = () => Promise.resolve()
) =>
  Effect.gen(function* () {
    const folder = yield* tempFolder
    const log = join(folder, "log")
    yield* Effect.promise(() => before(folder))
    const out = ending.stderr === undefined ? streams[id].lines.map((line) => `${JSON.stringify(line)}\n`).join("") : ""
    yield* script(
      folder,
      id,
      `const fs = require("node:fs"); const { ALLUKA_RUN: run, GEMINI_CLI_NO_RELAUNCH: relaunch = null, PWD: pwd } = process.env
       const stdin = fs.readFileSync(0, "utf8")
       fs.appendFileSync(${JSON.stringify(log)}, JSON.stringify({ argv: process.argv.slice(2), cwd: process.cwd(), stdin, run, relaunch, pwd }) + "\\n")
       fs.writeSync(1, ${JSON.stringify(out)}); fs.writeSync(2, ${JSON.stringify(ending.stderr ?? "")})
       process.exit(${ending.code ?? 0})`
    )
    const asked = request({ cwd: folder, ...more })
    const { events, provider } = yield* Effect.gen(function* () {
      const provider = Option.getOrThrow((yield* Provider.Providers).find(id))
      const events: ReadonlyArray<RunEvent.RunEvent> = yield* Effect.flatMap(provider.start(asked), allOf)
      return { events, provider }
    }).pipe(Effect.provide(Layer.provideMerge(layer({ env: { PATH: folder, HOME: folder } }), host)))
    const text = yield* Effect.promise(() => readFile(log, "utf8").catch(() => ""))
    const calls: ReadonlyArray<Call> = text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))
    return { asked, calls, events, folder, provider }
  })

describe.each(ids)("a start of %s", (id) => {
  it.scopedLive("runs its program once, in its folder, under the run's mark, and sends the prompt once", () =>
    Effect.gen(function* () {
      const prompt = "do $(this)\n--version"
      const { asked, calls, events, folder, provider } = yield* started(id, { prompt })
      assert.strictEqual(calls.length, 1)
      const [call] = calls
      assert.deepInclude(call, { cwd: folder, pwd: folder, run: asked.checkpointId })
      assert.strictEqual(call?.relaunch, id === "gemini" ? "true" : null)
      const where = provider.capabilities.promptChannel
      assert.strictEqual(call?.stdin, where === "stdin" ? prompt : "")
      assert.strictEqual(call?.argv.filter((each) => each.includes(prompt)).length, where === "stdin" ? 0 : 1)
      assert.strictEqual(only(events, "Succeeded")[0]?.text, "done")
      assert.strictEqual(events.at(-1)?._tag, "Exited")
      assert.strictEqual(only(events, "SessionNamed").at(-1)?.id, streams[id].id)
      assert.isTrue(only(events, "SessionNamed").some(({ confirms }) => confirms))
    })
  )

  it.scopedLive("of a resume names the session, the model unshortened, and the level where there is one", () =>
    Effect.gen(function* () {
      const conversation = Provider.Conversation.Continue({ id: streams[id].id, location: null })
      const levels = id === "gemini" || id === "kimi" ? null : "high"
      const { calls, provider } = yield* started(id, { conversation, model: "M-1[1m]", thinking: levels })
      assert.strictEqual(calls.length, 1)
      const argv = calls[0]?.argv ?? []
      assert.include(argv, streams[id].id)
      assert.include(argv, "M-1[1m]")
      if (levels !== null) assert.include(argv, "high")
      assert.strictEqual(provider.capabilities.thinkingLevels.length === 0, levels === null)
      assert.isTrue(provider.isSessionId(streams[id].id))
    })
  )

  it.scopedLive("with a malformed id starts nothing", () =>
    Effect.gen(function* () {
      for (const malformed of ["", "--last", "latest one"]) {
        const conversation = Provider.Conversation.Continue({ id: malformed, location: null })
        assert.strictEqual((yield* Effect.either(started(id, { conversation })))._tag, "Left")
      }
    })
  )

  const refusals: Readonly<Record<Id, readonly [stderr: string, code: number]>> = {
    opencode: ["NotFoundError: Session not found\n", 0],
    gemini: ['Error resuming session: Invalid session identifier "x".\n', 42],
    pi: ["No session found matching 'x'\n", 1],
    kimi: ['error: failed to run prompt: Session "x" not found.\n', 1]
  }
  it.scopedLive("that its program answers with an unknown session is told as that, after one start", () =>
    Effect.gen(function* () {
      const [stderr, code] = refusals[id]
      const conversation = Provider.Conversation.Continue({ id: streams[id].id, location: null })
      const { calls, events } = yield* started(id, { conversation }, { stderr, code })
      assert.strictEqual(calls.length, 1)
      assert.deepInclude(only(events, "Failed")[0]?.failure, {
        code: "provider_session_missing",
        lostSession: "no_such_session"
      })
      assert.strictEqual(only(events, "SessionNamed").length, 0)
      const other = yield* started(id, { conversation }, { stderr: "Error: read ECONNRESET\n", code: 1 })
      assert.isNull(only(other.events, "Failed")[0]?.failure.lostSession ?? null)
    })
  )

  it.scopedLive("that says nothing and ends with 0 is neither a success nor a known failure", () =>
    Effect.gen(function* () {
      const { events } = yield* started(id, {}, { stderr: "" })
      assert.deepStrictEqual(
        events.map(({ _tag }) => _tag),
        ["Spawned", "Exited"]
      )
    })
  )
})

describe("a start of opencode where it was used before", () => {
  it.scopedLive("asks for a session of its own first; one that is not made is left out", () =>
    Effect.gen(function* () {
      const { calls, events, folder } = yield* started("opencode", {}, {}, async (home) => {
        await mkdir(join(home, ".local", "share", "opencode"), { recursive: true })
        await writeFile(join(home, ".local", "share", "opencode", "opencode.db"), "")
      })
      assert.deepStrictEqual(
        calls.map(({ argv, cwd, pwd }) => [argv[0], argv.includes("--session"), cwd === folder, pwd === folder]),
        [
          ["import", false, true, true],
          ["run", false, true, true]
        ]
      )
      assert.isFalse(existsSync(calls[0]?.argv[1] ?? ""))
      assert.strictEqual(only(events, "Succeeded").length, 1)
    })
  )
})

describe("a start of pi", () => {
  it.scopedLive("writes down what is new in a growing answer, however long its lines become", () =>
    Effect.gen(function* () {
      const whole = "x".repeat(600_000)
      const growing = {
        type: "message_update",
        assistantMessageEvent: { type: "text_delta", contentIndex: 0, delta: "x", partial: { text: whole } },
        message: { text: whole }
      }
      const folder = yield* tempFolder
      const lines = [growing, growing, ...streams.pi.lines].map((line) => `${JSON.stringify(line)}\n`).join("")
      yield* Effect.promise(() => writeFile(join(folder, "lines"), lines))
      yield* script(
        folder,
        "pi",
        `process.stdout.write(require("node:fs").readFileSync(${JSON.stringify(join(folder, "lines"))}))`
      )
      assert.isAbove(readFileSync(join(folder, "lines")).length, 2_000_000)
      const events = yield* Effect.gen(function* () {
        const provider = Option.getOrThrow((yield* Provider.Providers).find("pi"))
        return yield* Effect.flatMap(provider.start(request({ cwd: folder })), allOf)
      }).pipe(Effect.provide(Layer.provideMerge(layer({ env: { PATH: folder, HOME: folder } }), host)))
      assert.strictEqual(only(events, "LineDropped").length, 0)
      assert.isBelow(
        only(events, "LineRead").reduce((sum, { text }) => sum + text.length, 0),
        2000
      )
      assert.strictEqual(only(events, "Succeeded").length, 1)
    })
  )
})
