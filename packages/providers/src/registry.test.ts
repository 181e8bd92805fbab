import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { Provider, type RunEvent } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { layer, type Options } from "./registry.js"
import { layer as host } from "./testing/linuxHost.js"
import { allOf, only, program, request, script, tempFolder } from "./testing/support.js"

const a = "11111111-1111-5111-8111-111111111111"
const init = `{"type":"system","subtype":"init","session_id":"${a}","model":"m","permissionMode":"acceptEdits"}`
const said = `{"type":"assistant","message":{"id":"m1","model":"m","content":[{"type":"text","text":"half way"}]},"parent_tool_use_id":null}`
const done = `{"type":"result","subtype":"success","is_error":false,"result":"ok","usage":{"input_tokens":5,"output_tokens":2}}`

const get = (id: string) => Effect.map(Provider.Providers, (providers) => Option.getOrThrow(providers.find(id)))
const on = (options: Options) => Effect.provide(Layer.provideMerge(layer(options), host))

/** Runs claude's provider on a stub that plays a script after it has read its stdin. */
const played = (play: string, more: Partial<Provider.StartRequest> = {}) =>
  Effect.gen(function* () {
    const folder = yield* tempFolder
    const log = join(folder, "log")
    yield* script(
      folder,
      "claude",
      `const fs = require("node:fs"); const stdin = fs.readFileSync(0, "utf8")
       fs.appendFileSync(${JSON.stringify(log)}, JSON.stringify({ argv: process.argv.slice(2), cwd: process.cwd(), stdin, run: process.env.ALLUKA_RUN, config: process.env.CLAUDE_CONFIG_DIR ?? null }) + "\\n")
       const out = (text) => fs.writeSync(1, text), err = (text) => fs.writeSync(2, text)
       ${play}`
    )
    const asked = request({ cwd: folder, conversation: Provider.Conversation.New({ id: a }), ...more })
    const events = yield* Effect.gen(function* () {
      const claude = yield* get("claude")
      return yield* allOf(yield* claude.start(asked))
    }).pipe(on({ env: { PATH: folder, HOME: folder } }))
    const seen = (yield* Effect.promise(() => readFile(log, "utf8"))).trim().split("\n")
    return { asked, events, folder, seen: seen.map((line) => JSON.parse(line)) }
  })

const tags = (events: ReadonlyArray<RunEvent.RunEvent>) => events.map(({ _tag }) => _tag)
const line = (text: string): string => `out(${JSON.stringify(`${text}\n`)});`

describe("the registry", () => {
  it.effect("lists the built-in providers in this order", () =>
    Effect.gen(function* () {
      const { all, find } = yield* Provider.Providers
      assert.deepStrictEqual(
        all.map(({ id }) => id),
        [
          ...["claude", "codex", "opencode", "gemini", "pi", "kimi"],
          ...["claude-acp", "codex-acp", "qwen", "copilot", "demo"]
        ]
      )
      assert.isTrue(Option.isNone(find("nobody")))
      for (const { capabilities, install, takeOver, title } of all) {
        assert.isNotEmpty(title)
        assert.isNotEmpty(install)
        assert.isNotEmpty(capabilities.verifiedWith)
        assert.strictEqual(takeOver !== undefined, capabilities.screen, `${title} has the screen that it declares`)
      }
    }).pipe(on({ demo: { command: "/x", args: [], sessions: "/s" } }))
  )

  it.effect("has no demo agent where nobody says how to start it", () =>
    Effect.gen(function* () {
      assert.isTrue(Option.isNone((yield* Provider.Providers).find("demo")))
    }).pipe(on({}))
  )

  it.scopedLive("finds the program on PATH, or where it is configured, and starts nothing for it", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const log = join(folder, "log")
      const path = yield* program(folder, "claude", `#!/bin/sh\necho "$@" >> ${log}\necho "2.1.332 (Claude Code)"\n`)
      const elsewhere = yield* program(folder, "my-claude", "#!/bin/sh\nexit 3\n")
      const missing = { _tag: "Missing", command: "codex" }
      yield* Effect.gen(function* () {
        const claude = yield* get("claude")
        assert.deepStrictEqual(yield* claude.detect, Provider.Availability.Installed({ command: path, version: null }))
        assert.deepStrictEqual({ ...(yield* (yield* get("codex")).detect) }, missing)
        const silent = yield* Effect.either(Effect.tryPromise(() => readFile(log, "utf8")))
        assert.strictEqual(silent._tag, "Left")
        assert.strictEqual(yield* claude.version ?? Effect.succeed(null), "2.1.332")
        assert.strictEqual(yield* claude.auth, "unknown")
        assert.isNull(yield* (yield* get("codex")).version ?? Effect.succeed("?"))
      }).pipe(on({ env: { PATH: folder } }))
      yield* Effect.gen(function* () {
        const claude = yield* get("claude")
        assert.deepStrictEqual(
          yield* claude.detect,
          Provider.Availability.Installed({ command: elsewhere, version: null })
        )
        assert.isNull(yield* claude.version ?? Effect.succeed("?"))
      }).pipe(on({ env: { PATH: folder }, commands: { claude: elsewhere } }))
    })
  )

  it.scopedLive("asks each program for its sign-in in its own words", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const auth = (id: string, source: string, env: Record<string, string> = {}) =>
        Effect.gen(function* () {
          yield* program(folder, id, `#!/bin/sh\n${source}\n`)
          return yield* (yield* get(id)).auth
        }).pipe(on({ env: { PATH: folder, HOME: folder, ...env } }))
      assert.strictEqual(yield* auth("claude", `echo '{"loggedIn":true}'`), "present")
      assert.strictEqual(yield* auth("claude", `echo '{"loggedIn":false}'; exit 1`), "absent")
      assert.strictEqual(yield* auth("claude", "echo nonsense"), "unknown")
      const out = "echo 'Not logged in' >&2; exit 1"
      assert.strictEqual(yield* auth("codex", "echo 'API key configured - ***' >&2"), "present")
      assert.strictEqual(yield* auth("codex", out), "absent")
      assert.strictEqual(yield* auth("codex", out, { CODEX_API_KEY: "k" }), "present")
      assert.strictEqual(yield* auth("codex", "exit 9"), "unknown")
      yield* Effect.promise(async () => {
        const { mkdir, writeFile } = await import("node:fs/promises")
        await mkdir(join(folder, ".codex"))
        await writeFile(join(folder, ".codex", "config.toml"), 'model_provider = "own"\n')
      })
      assert.strictEqual(yield* auth("codex", out), "unknown")
    })
  )
})

describe("a start", () => {
  it.scopedLive("gives the program its arguments, the prompt by stdin, its folder and the mark", () =>
    Effect.gen(function* () {
      const prompt = "do $(this)\n--version"
      const { asked, events, folder, seen } = yield* played(line(init) + line(said) + line(done), {
        prompt,
        model: "M-1[1m]",
        thinking: "high"
      })
      assert.deepStrictEqual(seen, [
        {
          argv: [
            ...["-p", "--output-format", "stream-json", "--verbose", "--session-id", a, "--model", "M-1[1m]"],
            ...["--effort", "high", "--permission-mode", "acceptEdits"]
          ],
          cwd: folder,
          stdin: prompt,
          run: asked.checkpointId,
          config: null
        }
      ])
      assert.deepStrictEqual(tags(events), [
        ...["Spawned", "LineRead", "SessionNamed", "SettingsReported"],
        ...["LineRead", "TurnStarted", "Message", "LineRead", "UsageReported", "Succeeded", "Exited"]
      ])
      assert.strictEqual(only(events, "SessionNamed")[0]?.location, join(folder, ".claude"))
    })
  )

  it.scopedLive("of a recorded conversation uses the recorded configuration directory", () =>
    Effect.gen(function* () {
      const conversation = Provider.Conversation.Continue({ id: a, location: "/recorded" })
      const { events, seen } = yield* played(line(init) + line(done), { conversation })
      assert.strictEqual(seen[0].config, "/recorded")
      assert.include(seen[0].argv.join(" "), `--resume ${a}`)
      assert.strictEqual(only(events, "SessionNamed")[0]?.location, "/recorded")
    })
  )

  it.scopedLive("of a malformed id, a missing program or a missing folder starts nothing and says why", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      yield* program(folder, "codex", `#!/bin/sh\ntouch ${folder}/started\n`)
      yield* Effect.gen(function* () {
        const codex = yield* get("codex")
        for (const id of ["--last", "my thread", "", `${a}x`]) {
          const conversation = Provider.Conversation.Continue({ id, location: null })
          const error = yield* Effect.flip(codex.start(request({ cwd: folder, conversation })))
          assert.strictEqual(error._tag, "ProviderStartFailed")
          assert.include(error.message, `"${id}"`)
        }
        const gone = yield* Effect.flip(codex.start(request({ cwd: join(folder, "gone") })))
        assert.strictEqual(gone._tag, "ProviderStartFailed")
        const missing = yield* Effect.flip((yield* get("claude")).start(request({ cwd: folder })))
        assert.strictEqual(missing._tag, "ProviderNotFound")
        assert.include(missing.message, "npm install")
      }).pipe(on({ env: { PATH: folder } }))
      const started = yield* Effect.either(Effect.tryPromise(() => readFile(join(folder, "started"))))
      assert.strictEqual(started._tag, "Left")
    })
  )

  it.scopedLive("with full permission as root is refused before anything runs, unless the machine is a sandbox", () =>
    Effect.gen(function* () {
      const full = { permission: "full", thinking: null } as const
      const root = process.getuid?.() === 0
      yield* Effect.gen(function* () {
        const claude = yield* get("claude")
        assert.strictEqual(claude.objection?.(full) != null, root)
        assert.isNull(claude.objection?.({ ...full, permission: "edit" }) ?? null)
        if (!root) return
        const error = yield* Effect.flip(claude.start(request(full)))
        assert.include(error.message, "IS_SANDBOX")
      }).pipe(on({ env: { PATH: "" } }))
      yield* Effect.gen(function* () {
        assert.isNull((yield* get("claude")).objection?.(full) ?? null)
      }).pipe(on({ env: { PATH: "", IS_SANDBOX: "1" } }))
    })
  )
})

describe("what a program does not say", () => {
  it.scopedLive("exit 0 with words on stderr only is no success", () =>
    Effect.gen(function* () {
      const { events } = yield* played(`err("NotFoundError: Session not found\\n")`)
      assert.deepStrictEqual(tags(events), ["Spawned", "LineRead", "Exited"])
      assert.deepStrictEqual(only(events, "Exited")[0]?.stderrTail, "NotFoundError: Session not found\n")
    })
  )

  it.scopedLive("a half line before the end is skipped, and what came before it is kept", () =>
    Effect.gen(function* () {
      const half = `out(${JSON.stringify(said.slice(0, 40))});`
      const failed = yield* played(`${line(init)}${line(said)}${half}process.exitCode = 1`)
      assert.deepStrictEqual(tags(failed.events).slice(-3), ["LineRead", "LineDropped", "Exited"])
      assert.strictEqual(only(failed.events, "Message").length, 1)
      assert.strictEqual(only(failed.events, "LineDropped")[0]?.excerpt, said.slice(0, 40))
      assert.strictEqual(only(failed.events, "Exited")[0]?.exit.code, 1)
      const killed = yield* played(
        `${line(init)}${line(said)}${half}process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000)`
      )
      assert.deepStrictEqual(only(killed.events, "Exited")[0]?.exit, { code: null, signal: "SIGKILL" })
      assert.strictEqual(only(killed.events, "Failed").length, 0)
    })
  )

  it.scopedLive("a broken line in between is one skipped line, whatever it was", () =>
    Effect.gen(function* () {
      for (const broken of [said.slice(0, 40), `${said}${said}`, "plain words", "[]"]) {
        const { events } = yield* played(line(init) + line(broken) + line(done))
        assert.deepStrictEqual(
          only(events, "LineDropped").map(({ why }) => why),
          ["skipped"]
        )
        assert.strictEqual(only(events, "Succeeded").length, 1)
      }
    })
  )

  it.scopedLive("a line over the limit is dropped, and the success after it counts", () =>
    Effect.gen(function* () {
      const { events } = yield* played(`${line(init)}out("x".repeat(1100000) + "\\n");${line(done)}`)
      assert.deepStrictEqual(
        only(events, "LineDropped").map(({ why }) => why),
        ["oversize"]
      )
      assert.strictEqual(only(events, "Succeeded").length, 1)
    })
  )
})
