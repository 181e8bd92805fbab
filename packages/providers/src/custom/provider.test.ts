import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { HostProcesses, Provider } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { object } from "../json.js"
import { isUuid } from "../sessionIds.js"
import { fakeAcpAgent } from "../testing/fakeAcpAgent.js"
import { layer as host } from "../testing/linuxHost.js"
import { allOf, only, request, script, tempFolder } from "../testing/support.js"
import { readProviders } from "./config.js"
import { makeConfigured } from "./index.js"

const id = "11111111-1111-4111-8111-111111111111"
const { Continue, Fork, New } = Provider.Conversation
const json = {
  format: "json",
  session: { path: "session" },
  message: { when: { type: "say" }, path: "text" },
  end: { when: { type: "done" } }
}
const all = { read: "ro", edit: "rw", full: "any" }

/** The configured provider `mine` whose program logs what it is given and then plays. */
const world = (play: string, config: (program: string) => object) =>
  Effect.gen(function* () {
    const folder = yield* tempFolder
    const log = join(folder, "log")
    const program = yield* script(
      folder,
      "mine",
      `const fs = require("node:fs"); const stdin = fs.readFileSync(0, "utf8")
       fs.appendFileSync(${JSON.stringify(log)}, JSON.stringify({ argv: process.argv.slice(2), cwd: process.cwd(), stdin }) + "\\n")
       ${play}`
    )
    const linux = yield* HostProcesses.HostProcesses
    const configs = Either.getOrThrow(readProviders({ mine: config(program) }))
    const [provider] = makeConfigured(configs, {
      env: { PATH: "/usr/bin:/bin" },
      host: linux,
      transcripts: join(folder, "transcripts"),
      redact: (text) => text
    })
    if (provider === undefined) throw new Error("no provider")
    const run = (asked: Partial<Provider.StartRequest>) =>
      Effect.flatMap(provider.start(request({ cwd: folder, ...asked })), allOf)
    const seen = Effect.map(
      Effect.promise(() => readFile(log, "utf8").catch(() => "")),
      (text) =>
        text
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => object(JSON.parse(line)))
    )
    return { folder, provider, run, seen }
  }).pipe(Effect.provide(host))

const says = (session: string) =>
  `console.log(JSON.stringify({ session: ${JSON.stringify(session)} })); console.log(JSON.stringify({ type: "say", text: "hi" })); console.log(JSON.stringify({ type: "done" }))`

describe("a program by configuration", () => {
  it.scopedLive("is started and resumed by its templates, with the prompt by stdin", () =>
    Effect.gen(function* () {
      const { folder, provider, run, seen } = yield* world(says(id), (program) => ({
        type: "command",
        command: [program, "--perm", "{permission}", ["--model", "{model}"], ["--think={thinking}"], "--in={cwd}"],
        resume: [program, "--resume", "{session}", ["--model", "{model}"]],
        prompt: "stdin",
        session: { assigned_by: "provider", pattern: "[0-9a-f-]{36}" },
        output: json,
        permissions: all,
        thinking: ["high"]
      }))
      const prompt = "--do $(this)\n{cwd}"
      const events = yield* run({ prompt, model: "m[1m]", thinking: "high", args: ["-v"] })
      assert.deepStrictEqual(
        events.map(({ _tag }) => _tag).filter((tag) => tag !== "LineRead"),
        ["Spawned", "SessionNamed", "Message", "Succeeded", "Exited"]
      )
      yield* run({ prompt: "go on", conversation: Continue({ id, location: null }) })
      assert.deepStrictEqual(yield* seen, [
        {
          argv: ["--perm", "rw", "--model", "m[1m]", "--think=high", `--in=${folder}`, "-v"],
          cwd: folder,
          stdin: prompt
        },
        { argv: ["--resume", id], cwd: folder, stdin: "go on" }
      ])
      const { capabilities } = provider
      assert.strictEqual(capabilities.continuation, "provider_session")
      assert.deepStrictEqual(
        [capabilities.modelOnResume, capabilities.thinkingOnResume, capabilities.permissionOnResume],
        ["must_be_passed", "kept", "kept"]
      )
    })
  )

  it.scopedLive("that is told its session gets a UUID, and confirms it by working", () =>
    Effect.gen(function* () {
      const { provider, run, seen } = yield* world(`console.log("an answer")`, (program) => ({
        type: "command",
        command: [program, "--session", "{session}", "--", "{prompt}"],
        resume: [program, "--session", "{session}", "--", "{prompt}"],
        prompt: "argument",
        session: { assigned_by: "caller", pattern: "[0-9a-f-]{36}" },
        output: { format: "text", success: "exit_zero" },
        permissions: { read: null, edit: "e", full: null }
      }))
      const chosen = provider.sessionIdFor("seed") ?? ""
      assert.isTrue(isUuid(chosen))
      assert.strictEqual(provider.capabilities.idKnown, "before_spawn")
      const events = yield* run({ prompt: "--version", conversation: New({ id: chosen }) })
      assert.strictEqual(only(events, "SessionNamed")[0]?.id, chosen)
      assert.strictEqual(only(events, "Succeeded")[0]?.text, "an answer")
      assert.deepStrictEqual((yield* seen)[0]?.argv, ["--session", chosen, "--", "--version"])
    })
  )

  it.scopedLive("refuses what it cannot be told, and what would become an option, before anything starts", () =>
    Effect.gen(function* () {
      const { provider, run, seen } = yield* world("", (program) => ({
        type: "command",
        command: [program, "{prompt}"],
        prompt: "argument",
        output: { format: "text", success: "exit_zero" },
        permissions: all
      }))
      assert.strictEqual(provider.capabilities.continuation, "none")
      for (const [asked, words] of [
        [{ prompt: "--version" }, `begins with "-"`],
        [{ model: "m" }, "cannot be told a model"],
        [{ thinking: "high" }, "no thinking levels"],
        [{ addDirs: ["/x"] }, "--add-dir"],
        [{ conversation: Continue({ id, location: null }) }, "cannot continue"],
        [{ conversation: Fork({ from: id, location: null, id: null }) }, "cannot continue"]
      ] as const) {
        const error = yield* Effect.flip(run(asked))
        assert.strictEqual(error._tag, "ProviderStartFailed")
        assert.include(error.message, words)
      }
      assert.deepStrictEqual(yield* seen, [])
    })
  )

  it.scopedLive("never gets an id that is not of the declared form", () =>
    Effect.gen(function* () {
      const { run, seen } = yield* world(says("--evil"), (program) => ({
        type: "command",
        command: [program],
        resume: [program, "--resume", "{session}"],
        prompt: "stdin",
        session: { assigned_by: "provider", pattern: ".*" },
        output: json,
        permissions: all
      }))
      const events = yield* run({})
      assert.strictEqual(only(events, "SessionNamed").length, 0)
      for (const hostile of ["", "--evil", "a\nb", "a\0b"]) {
        const error = yield* Effect.flip(run({ conversation: Continue({ id: hostile, location: null }) }))
        assert.strictEqual(error._tag, "ProviderStartFailed")
      }
      assert.strictEqual((yield* seen).length, 1)
    })
  )
})

describe("an agent by configuration", () => {
  it.scopedLive("is talked to, and held to the modes that it was given", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const modes = { currentModeId: "auto", availableModes: [{ id: "auto" }, { id: "plan" }] }
      const agent = yield* fakeAcpAgent(folder, {
        methods: { "session/new": [{ answer: { sessionId: "s1", modes } }] }
      })
      const { provider } = yield* world("", () => ({
        type: "acp",
        title: "Mine",
        command: [agent.path, "--acp"],
        permissions: { read: "plan", edit: "ask", full: null }
      }))
      const events = yield* allOf(yield* provider.start(request({ cwd: folder, permission: "read" })))
      assert.strictEqual(only(events, "Succeeded").length, 1)
      assert.deepStrictEqual(yield* agent.methods, ["initialize", "session/new", "session/set_mode", "session/prompt"])
      assert.deepStrictEqual(provider.capabilities.permissions, { read: "plan", edit: "ask", full: null })
      assert.strictEqual(provider.title, "Mine")
    })
  )
})
