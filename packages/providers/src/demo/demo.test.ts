/** The demo agent as a process of its own, bundled the way the command line program is: one CommonJS file. */

import { spawn } from "node:child_process"
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { Provider, type RunEvent } from "@alluka/core"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { rolldown } from "rolldown"
import { layer as registry } from "../registry.js"
import { layer as host } from "../testing/linuxHost.js"
import { allOf, freshId, only, request, tempFolder } from "../testing/support.js"
import { exitCodes } from "./agent.js"
import { steps } from "./survey.js"

const bundled = async (input: string, file: string, format: "cjs" | "esm"): Promise<void> => {
  const bundle = await rolldown({
    input,
    platform: "node",
    resolve: {
      conditionNames: ["@alluka/source", "node", "import", "default"],
      modules: [new URL("../../../../node_modules", import.meta.url).pathname]
    }
  })
  await bundle.write({ file, format })
}

let built = ""
let agent = ""
beforeAll(async () => {
  built = await mkdtemp(join(tmpdir(), "alluka-demo-"))
  agent = join(built, "agent.cjs")
  const entry = join(built, "entry.mjs")
  const source = new URL("./agent.ts", import.meta.url).pathname
  await writeFile(
    entry,
    `import { runDemoAgent } from ${JSON.stringify(source)}\nrunDemoAgent(process.argv.slice(3)).then((code) => { process.exitCode = code })`
  )
  await bundled(entry, agent, "cjs")
}, 60_000)
afterAll(() => rm(built, { recursive: true, force: true }))

/** The demo provider with its sessions in a folder, started as a hidden command of a larger program. */
const demo = (sessions: string) =>
  Layer.provideMerge(
    registry({ demo: { command: process.execPath, args: [agent, "demo-agent"], sessions }, env: { PATH: "" } }),
    host
  )

const provider = Effect.map(Provider.Providers, (providers) => Option.getOrThrow(providers.find("demo")))

/** A folder to survey. */
const workspace = Effect.gen(function* () {
  const folder = yield* tempFolder
  yield* Effect.promise(async () => {
    await mkdir(join(folder, "src"))
    await writeFile(join(folder, "README.md"), "# Hello\n")
    await writeFile(join(folder, "src", "a.ts"), "const a = 1 // TODO\n\nexport { a }\n")
    await writeFile(join(folder, "src", "b.py"), "print('x')\n")
    await writeFile(join(folder, "big.bin"), Buffer.alloc(5000))
  })
  return folder
})

const fast = ["--pace", "5"]
const toolNames = (events: ReadonlyArray<RunEvent.RunEvent>) => only(events, "ToolStarted").map(({ name }) => name)

describe("the demo agent", () => {
  it.scopedLive("surveys a folder step by step, and says the same thing every time", () =>
    Effect.gen(function* () {
      const sessions = yield* tempFolder
      const cwd = yield* workspace
      const run = Effect.gen(function* () {
        const demo = yield* provider
        const id = demo.sessionIdFor(freshId()) ?? ""
        const conversation = Provider.Conversation.New({ id })
        const asked = request({
          cwd,
          conversation,
          prompt: "secret words",
          model: "m-1[1m]",
          thinking: "high",
          args: fast
        })
        const events = yield* allOf(yield* demo.start(asked))
        return { demo, events, id }
      }).pipe(Effect.provide(demo(join(sessions, "deep"))))
      const { demo: about, events, id } = yield* run
      assert.include(about.title, "Demo")
      assert.deepStrictEqual(only(events, "SessionNamed"), [
        { _tag: "SessionNamed", id, location: join(sessions, "deep"), confirms: true }
      ] as unknown as ReturnType<typeof only<"SessionNamed">>)
      assert.deepStrictEqual(only(events, "SettingsReported"), [
        { _tag: "SettingsReported", model: "m-1[1m]", thinking: "high", permission: "read-only" }
      ] as unknown as ReturnType<typeof only<"SettingsReported">>)
      assert.deepStrictEqual(
        toolNames(events),
        steps.map(({ name }) => name)
      )
      const found = only(events, "ToolFinished").map(({ summary }) => summary)
      assert.strictEqual(found[0], "4 files in 1 folder below this one")
      assert.strictEqual(found[2], "Markdown 1, Python 1, TypeScript 1")
      assert.strictEqual(found[3], "5 lines")
      assert.match(found[4] ?? "", /^big\.bin \(4\.9 KiB\)/)
      assert.strictEqual(found[6], "1 mark")
      assert.strictEqual(found[7], "README.md")
      assert.isTrue(only(events, "Message").every(({ text }) => text.startsWith("[demo]")))
      assert.strictEqual(only(events, "Succeeded").length, 1)
      assert.deepStrictEqual(events.at(-1), RunEventExited(0))
      const again = yield* run
      assert.deepStrictEqual(
        only(again.events, "ToolFinished").map(({ summary }) => summary),
        found
      )
    })
  )

  it.scopedLive("keeps its session for itself, and nothing of the prompt in it", () =>
    Effect.gen(function* () {
      const sessions = join(yield* tempFolder, "sessions")
      const cwd = yield* workspace
      yield* Effect.gen(function* () {
        const demo = yield* provider
        const conversation = Provider.Conversation.New({ id: demo.sessionIdFor("x") })
        const events = yield* allOf(
          yield* demo.start(request({ cwd, conversation, prompt: "sk-secret-words", args: fast }))
        )
        assert.isFalse(JSON.stringify(events).includes("sk-secret-words"))
      }).pipe(Effect.provide(demo(sessions)))
      const files = yield* Effect.promise(() => readdir(sessions))
      assert.strictEqual(files.length, 1)
      const path = join(sessions, files[0] ?? "")
      assert.strictEqual((yield* Effect.promise(() => stat(path))).mode & 0o777, 0o600)
      assert.strictEqual((yield* Effect.promise(() => stat(sessions))).mode & 0o777, 0o700)
      assert.isFalse((yield* Effect.promise(() => readFile(path, "utf8"))).includes("secret"))
    })
  )

  it.scopedLive("goes on where it was killed, in the same session and with the same settings", () =>
    Effect.gen(function* () {
      const sessions = yield* tempFolder
      const cwd = yield* workspace
      yield* Effect.gen(function* () {
        const demo = yield* provider
        const id = demo.sessionIdFor(freshId()) ?? ""
        const first = request({
          cwd,
          conversation: Provider.Conversation.New({ id }),
          model: "m-1",
          args: ["--pace", "150"]
        })
        const running = yield* demo.start(first)
        let finished = 0
        const events: Array<RunEvent.RunEvent> = []
        yield* Stream.runForEach(running.events, (event) => {
          events.push(event)
          if (event._tag === "ToolFinished" && ++finished === 3) return running.stop("shutdown", 0)
          return Effect.void
        })
        assert.strictEqual(only(events, "Succeeded").length, 0)
        const session = { id, assignedBy: "caller", seenAt: null, location: sessions } as const
        const seen = yield* demo.inspectSession(session, cwd)
        assert.strictEqual(seen.presence, "present")
        assert.include(seen.detail, "3 of 8 steps")
        assert.isNotNull(seen.lastRowAt)

        const conversation = Provider.Conversation.Continue({ id, location: sessions })
        const rest = yield* allOf(yield* demo.start(request({ cwd, conversation, args: fast })))
        assert.deepStrictEqual(
          toolNames(rest),
          steps.slice(3).map(({ name }) => name)
        )
        assert.strictEqual(only(rest, "SessionNamed")[0]?.id, id)
        assert.strictEqual(only(rest, "SettingsReported")[0]?.model, "m-1")
        assert.strictEqual(only(rest, "Succeeded").length, 1)

        // A prompt after the end begins the next survey; a fork leaves the old session as it is.
        const next = yield* allOf(yield* demo.start(request({ cwd, conversation, args: fast })))
        assert.strictEqual(toolNames(next).length, steps.length)
        const copy = demo.sessionIdFor("copy")
        const fork = Provider.Conversation.Fork({ from: id, location: sessions, id: copy })
        const forked = yield* allOf(yield* demo.start(request({ cwd, conversation: fork, args: fast })))
        assert.strictEqual(only(forked, "SessionNamed")[0]?.id, copy)
        assert.strictEqual((yield* Effect.promise(() => readdir(sessions))).length, 2)
      }).pipe(Effect.provide(demo(sessions)))
    })
  )

  it.scopedLive("says honestly that it has no such session, or that it is damaged", () =>
    Effect.gen(function* () {
      const sessions = yield* tempFolder
      const cwd = yield* workspace
      yield* Effect.gen(function* () {
        const demo = yield* provider
        const id = demo.sessionIdFor("never started") ?? ""
        const session = { id, assignedBy: "caller", seenAt: null, location: null } as const
        assert.strictEqual((yield* demo.inspectSession(session, cwd)).presence, "absent")
        const resume = request({
          cwd,
          conversation: Provider.Conversation.Continue({ id, location: null }),
          args: fast
        })
        const events = yield* allOf(yield* demo.start(resume))
        assert.strictEqual(only(events, "Failed")[0]?.failure.lostSession, "no_such_session")
        assert.strictEqual(only(events, "SessionNamed").length, 0)
        assert.deepStrictEqual(events.at(-1), RunEventExited(exitCodes.noSuchSession))
        assert.deepStrictEqual(yield* Effect.promise(() => readdir(sessions)), [])

        yield* Effect.promise(() => writeFile(join(sessions, `${id}.json`), '{"format":"allu'))
        assert.strictEqual((yield* demo.inspectSession(session, cwd)).presence, "damaged")
        const damaged = yield* allOf(yield* demo.start(resume))
        assert.isNull(only(damaged, "Failed")[0]?.failure.lostSession ?? null)
        assert.deepStrictEqual(damaged.at(-1), RunEventExited(exitCodes.sessionDamaged))
      }).pipe(Effect.provide(demo(sessions)))
    })
  )

  it.scopedLive("stops at once on a polite signal, without a success", () =>
    Effect.gen(function* () {
      const sessions = yield* tempFolder
      const cwd = yield* workspace
      yield* Effect.gen(function* () {
        const demo = yield* provider
        const asked = request({ cwd, conversation: Provider.Conversation.New({ id: demo.sessionIdFor("s") }) })
        const running = yield* demo.start(asked)
        const events = yield* Effect.fork(allOf(running))
        yield* Effect.sleep(700)
        const before = performance.now()
        yield* running.stop("cancel")
        assert.isBelow(performance.now() - before, 1000)
        const told = yield* Fiber.join(events)
        assert.strictEqual(only(told, "Succeeded").length, 0)
        const last = told.at(-1)
        assert.deepStrictEqual(last?._tag === "Exited" ? last.exit : null, { code: 130, signal: "SIGINT" })
      }).pipe(Effect.provide(demo(sessions)))
    })
  )

  it.live("ends when nobody reads its output any more", () =>
    Effect.promise(async () => {
      const folder = await mkdtemp(join(tmpdir(), "alluka-demo-"))
      const child = spawn(process.execPath, [agent, "demo-agent", "--sessions", folder, "--pace", "50"], {
        cwd: folder,
        stdio: ["ignore", "pipe", "ignore"]
      })
      await new Promise((resolve) => child.stdout.once("data", resolve))
      child.stdout.destroy()
      const code = await new Promise((resolve) => child.once("exit", resolve))
      assert.strictEqual(code, 141)
      await rm(folder, { recursive: true })
    })
  )

  it.live("is a program of its own too", () =>
    Effect.promise(async () => {
      const file = join(built, "main.mjs")
      await bundled(new URL("./main.ts", import.meta.url).pathname, file, "esm")
      const child = spawn(process.execPath, [file, "--bogus"], { stdio: ["ignore", "ignore", "pipe"] })
      const [stderr, code] = await Promise.all([
        text(child.stderr),
        new Promise((resolve) => child.once("exit", resolve))
      ])
      assert.strictEqual(code, exitCodes.usage)
      assert.include(stderr, "--bogus")
    })
  )

  it.scopedLive("refuses arguments that it does not know", () =>
    Effect.gen(function* () {
      const sessions = yield* tempFolder
      const events = yield* Effect.gen(function* () {
        const demo = yield* provider
        return yield* allOf(yield* demo.start(request({ cwd: sessions, args: ["--pace", "soon"] })))
      }).pipe(Effect.provide(demo(sessions)))
      const last = events.at(-1)
      assert.deepStrictEqual(last?._tag === "Exited" ? last.exit.code : null, exitCodes.usage)
      assert.include(last?._tag === "Exited" ? last.stderrTail : "", "soon")
    })
  )
})

const RunEventExited = (code: number) =>
  ({ _tag: "Exited", exit: { code, signal: null }, stderrTail: "" }) as unknown as RunEvent.RunEvent
