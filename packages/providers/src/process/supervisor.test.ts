import { open, readFile } from "node:fs/promises"
import { join } from "node:path"
import { HostProcesses, type Provider } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { layer } from "../testing/linuxHost.js"
import { freshId, script, tempFolder } from "../testing/support.js"
import { Input, type ProcessEvent, type Spec, type Supervised, supervise } from "./supervisor.js"

const spec = (program: string, more: Partial<Spec> = {}): Spec => ({
  provider: "stub",
  install: "Install it.",
  checkpointId: freshId(),
  program,
  args: [],
  cwd: "/",
  env: process.env,
  input: Input.None(),
  politeSignal: () => "SIGTERM",
  ...more,
  limits: { graceMs: 300, termMs: 300, killMs: 1000, quietMs: 200, drainMs: 1000, ...more.limits }
})

const all = (supervised: Supervised): Effect.Effect<ReadonlyArray<ProcessEvent>> =>
  Effect.map(Stream.runCollect(supervised.events), Chunk.toReadonlyArray)

const endOf = (events: ReadonlyArray<ProcessEvent>): Extract<ProcessEvent, { _tag: "Ended" }> => {
  const last = events.at(-1)
  if (last?._tag !== "Ended") throw new Error("the events did not end with Ended")
  return last
}

const linesOf = (events: ReadonlyArray<ProcessEvent>, from: "stdout" | "stderr"): ReadonlyArray<string> =>
  events.flatMap((event) => (event._tag === "Line" && event.from === from ? [event.text] : []))

const left = (id: Provider.StartRequest["checkpointId"]) =>
  Effect.flatMap(HostProcesses.HostProcesses, (host) => host.survivors([id]))

describe("a supervised process", () => {
  it.scopedLive("says what it prints, and how it ended", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const path = yield* script(folder, "stub", `console.log("one"); console.error("two"); process.exitCode = 3`)
      const events = yield* all(yield* supervise(spec(path)))
      const first = events[0]
      assert(first?._tag === "Started")
      assert.isAbove(first.child.pid, 0)
      assert.isNotNull(first.child.pidStart)
      assert.deepStrictEqual(linesOf(events, "stdout"), ["one"])
      assert.deepStrictEqual(linesOf(events, "stderr"), ["two"])
      assert.deepStrictEqual(endOf(events).exit, { code: 3, signal: null })
      assert.strictEqual(endOf(events).stderrTail, "two\n")
    }).pipe(Effect.provide(layer))
  )

  it.scopedLive("may end well and say nothing", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const events = yield* all(yield* supervise(spec(yield* script(folder, "stub", ""))))
      assert.deepStrictEqual(
        events.map((event) => event._tag),
        ["Started", "Ended"]
      )
      assert.deepStrictEqual(endOf(events), { _tag: "Ended", exit: { code: 0, signal: null }, stderrTail: "" })
    }).pipe(Effect.provide(layer))
  )

  it.scopedLive("is told apart by the signal that killed it, also behind a shell's exit code", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const killed = yield* script(
        folder,
        "killed",
        `process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000)`
      )
      assert.deepStrictEqual(endOf(yield* all(yield* supervise(spec(killed)))).exit, { code: null, signal: "SIGKILL" })
      const caught = yield* script(folder, "caught", "process.exit(143)")
      assert.deepStrictEqual(endOf(yield* all(yield* supervise(spec(caught)))).exit, { code: 143, signal: "SIGTERM" })
    }).pipe(Effect.provide(layer))
  )

  it.scopedLive("gets the prompt on stdin and then the end, the mark, and its folder in PWD", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const path = yield* script(
        folder,
        "stub",
        `let read = ""; process.stdin.on("data", (d) => { read += d }).on("end", () => {
           console.log(JSON.stringify({ read, mark: process.env.ALLUKA_RUN, pwd: process.env.PWD, cwd: process.cwd(), args: process.argv.slice(2) })) })`
      )
      const prompt = "Grüße\n$(touch /tmp/never) `x` 'y' \u2028"
      const asked = spec(path, { input: Input.Text({ text: prompt }), cwd: folder, args: ["$HOME", "a b", ""] })
      const events = yield* all(yield* supervise(asked))
      assert.deepStrictEqual(JSON.parse(linesOf(events, "stdout")[0] ?? ""), {
        read: prompt,
        mark: asked.checkpointId,
        pwd: folder,
        cwd: folder,
        args: ["$HOME", "a b", ""]
      })
    }).pipe(Effect.provide(layer))
  )

  it.scopedLive("may close its stdin without reading a large prompt", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const path = yield* script(folder, "stub", `process.stdin.destroy(); setTimeout(() => console.log("done"), 50)`)
      const input = Input.Text({ text: "x".repeat(5_000_000) })
      assert.deepStrictEqual(linesOf(yield* all(yield* supervise(spec(path, { input }))), "stdout"), ["done"])
    }).pipe(Effect.provide(layer))
  )

  it.scopedLive("can be spoken to while it runs", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const path = yield* script(
        folder,
        "stub",
        `process.stdin.on("data", (d) => {
           for (const line of String(d).trim().split("\\n")) console.log("got " + line)
           if (String(d).includes("bye")) process.exit(0) })`
      )
      const running = yield* supervise(spec(path, { input: Input.Open() }))
      const events = yield* Effect.fork(all(running))
      assert.isTrue(yield* running.write("hello\n"))
      yield* Effect.sleep(100)
      assert.isTrue(yield* running.write("bye\n"))
      assert.deepStrictEqual(linesOf(yield* Fiber.join(events), "stdout"), ["got hello", "got bye"])
      assert.isFalse(yield* running.write("too late\n"))
    }).pipe(Effect.provide(layer))
  )

  it.scopedLive("is ended although it ignores every polite signal", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const path = yield* script(
        folder,
        "stub",
        `for (const s of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(s, () => console.log(s)); console.log("up"); setInterval(() => {}, 1000)`
      )
      const asked = spec(path, { politeSignal: (cause) => (cause === "cancel" ? "SIGINT" : "SIGTERM") })
      const running = yield* supervise(asked)
      const events = yield* Effect.fork(all(running))
      yield* Effect.sleep(300)
      const before = performance.now()
      yield* running.stop("cancel")
      assert.isBelow(performance.now() - before, 2000)
      assert.deepStrictEqual(yield* left(asked.checkpointId), [])
      const told = yield* Fiber.join(events)
      assert.deepStrictEqual(linesOf(told, "stdout"), ["up", "SIGINT", "SIGTERM"])
      assert.deepStrictEqual(endOf(told).exit, { code: null, signal: "SIGKILL" })
    }).pipe(Effect.provide(layer))
  )

  it.scopedLive("is ended at once where no grace is given", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const path = yield* script(folder, "stub", `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)`)
      const asked = spec(path, { limits: { graceMs: 60_000, termMs: 60_000 } })
      const running = yield* supervise(asked)
      yield* Effect.sleep(200)
      const before = performance.now()
      yield* running.stop("cancel", 0)
      assert.isBelow(performance.now() - before, 1500)
      assert.deepStrictEqual(yield* left(asked.checkpointId), [])
    }).pipe(Effect.provide(layer))
  )

  it.scopedLive("takes with it a grandchild that moved to a session of its own, however it ends", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const pidFile = join(folder, "pid")
      const path = yield* script(
        folder,
        "stub",
        `const { spawn } = require("node:child_process")
         const c = spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], { detached: true, stdio: ["ignore", "inherit", "inherit"] })
         c.unref(); require("node:fs").writeFileSync(${JSON.stringify(pidFile)}, String(c.pid))
         console.log("bye"); setTimeout(() => process.exit(0), 100)`
      )
      const asked = spec(path)
      const before = performance.now()
      // The grandchild holds stdout open: the end must not wait for it.
      const events = yield* all(yield* supervise(asked))
      assert.isBelow(performance.now() - before, 4000)
      assert.deepStrictEqual(linesOf(events, "stdout"), ["bye"])
      assert.deepStrictEqual(endOf(events).exit, { code: 0, signal: null })
      assert.deepStrictEqual(yield* left(asked.checkpointId), [])
      const pid = Number(yield* Effect.promise(() => readFile(pidFile, "utf8")))
      // A zombie that its new parent has not collected counts as none.
      assert.isTrue(Option.isNone(yield* (yield* HostProcesses.HostProcesses).identify(pid)))
    }).pipe(Effect.provide(layer))
  )

  it.live("is ended with everything it started when the scope closes", () =>
    Effect.gen(function* () {
      const asked = yield* Effect.scoped(
        Effect.gen(function* () {
          const folder = yield* tempFolder
          const path = yield* script(
            folder,
            "stub",
            `require("node:child_process").spawn("sleep", ["600"], { detached: true, stdio: "ignore" }); process.on("SIGTERM", () => {}); console.log("up"); setInterval(() => {}, 1000)`
          )
          const asked = spec(path)
          const running = yield* supervise(asked)
          yield* Stream.runDrain(Stream.takeUntil(running.events, (event) => event._tag === "Line"))
          assert.strictEqual((yield* left(asked.checkpointId)).length, 2)
          return asked
        })
      )
      assert.deepStrictEqual(yield* left(asked.checkpointId), [])
    }).pipe(Effect.provide(layer))
  )

  it.scopedLive("is ended too when the fiber that reads it is interrupted, within the bounds", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const path = yield* script(folder, "stub", `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)`)
      const asked = spec(path)
      const fiber = yield* Effect.fork(Effect.scoped(Effect.flatMap(supervise(asked), all)))
      yield* Effect.sleep(300)
      assert.strictEqual((yield* left(asked.checkpointId)).length, 1)
      const before = performance.now()
      yield* Fiber.interrupt(fiber)
      assert.isBelow(performance.now() - before, 2000)
      assert.deepStrictEqual(yield* left(asked.checkpointId), [])
    }).pipe(Effect.provide(layer))
  )

  it.scopedLive("may close its stdout early and still be waited for", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const path = yield* script(
        folder,
        "stub",
        `console.log("last words"); require("node:fs").closeSync(1); setTimeout(() => { console.error("and after"); process.exit(7) }, 200)`
      )
      const events = yield* all(yield* supervise(spec(path)))
      assert.deepStrictEqual(linesOf(events, "stdout"), ["last words"])
      assert.deepStrictEqual(linesOf(events, "stderr"), ["and after"])
      assert.strictEqual(endOf(events).exit.code, 7)
    }).pipe(Effect.provide(layer))
  )

  it.scopedLive("loses nothing of a large output to a slow reader", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const path = yield* script(
        folder,
        "stub",
        `let out = ""; for (let i = 0; i < 200000; i++) out += i + " ".repeat(40) + "\\n"; process.stdout.write(out)`
      )
      const running = yield* supervise(spec(path, { limits: { highWaterBytes: 64 * 1024 } }))
      const slow = Stream.tap(Stream.chunks(running.events), () => Effect.sleep(2))
      const lines = yield* Stream.runFold(slow, 0, (sum, chunk) => {
        for (const event of chunk) if (event._tag === "Line") sum++
        return sum
      })
      assert.strictEqual(lines, 200_000)
    }).pipe(Effect.provide(layer))
  )

  it.scopedLive("drops a line of 300 MB in bounded memory and reads on", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const path = yield* script(
        folder,
        "stub",
        `const mb = "x".repeat(1 << 20); let n = 0
         const next = () => { while (n++ < 300) if (!process.stdout.write(mb)) return process.stdout.once("drain", next); process.stdout.write("\\nafter\\n") }
         next()`
      )
      const before = process.memoryUsage.rss()
      let peak = before
      yield* Effect.forkScoped(
        Effect.forever(
          Effect.delay(
            Effect.sync(() => {
              peak = Math.max(peak, process.memoryUsage.rss())
            }),
            20
          )
        )
      )
      const events = yield* all(yield* supervise(spec(path)))
      assert.deepStrictEqual(linesOf(events, "stdout"), ["after"])
      const over = events.filter((event) => event._tag === "Oversize")
      assert.deepStrictEqual(over, [
        { _tag: "Oversize", bytes: 300 * 1024 * 1024, excerpt: "x".repeat(200) }
      ] as typeof over)
      assert.isBelow(peak - before, 150 * 1024 * 1024)
    }).pipe(Effect.provide(layer))
  )

  it.scopedLive("keeps the end of a flooded stderr, not all of it", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const path = yield* script(
        folder,
        "stub",
        `const line = "e".repeat(1023) + "\\n"; let n = 0
         const next = () => { while (n++ < 200000) if (!process.stderr.write(line)) return process.stderr.once("drain", next); process.stderr.write("the cause\\n"); console.log("done") }
         next()`
      )
      const before = process.memoryUsage.rss()
      const events = yield* all(yield* supervise(spec(path)))
      assert.deepStrictEqual(linesOf(events, "stdout"), ["done"])
      const stderr = linesOf(events, "stderr")
      assert.isBelow(stderr.join("").length, 2 * 1024 * 1024)
      assert.isAbove(stderr.length, 100)
      const { stderrTail } = endOf(events)
      assert.isAtMost(stderrTail.length, 16 * 1024)
      assert.isTrue(stderrTail.endsWith("the cause\n"))
      assert.isBelow(process.memoryUsage.rss() - before, 150 * 1024 * 1024)
    }).pipe(Effect.provide(layer))
  )

  it.scopedLive("is started once its file is no longer written to", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const path = yield* script(folder, "stub", `console.log("new version")`)
      const file = yield* Effect.promise(() => open(path, "r+"))
      yield* Effect.fork(
        Effect.delay(
          Effect.promise(() => file.close()),
          150
        )
      )
      assert.deepStrictEqual(linesOf(yield* all(yield* supervise(spec(path))), "stdout"), ["new version"])
    }).pipe(Effect.provide(layer))
  )

  it.scopedLive("cuts a last line without its end where it stands", () =>
    Effect.gen(function* () {
      const folder = yield* tempFolder
      const path = yield* script(
        folder,
        "stub",
        `process.stdout.write('{"a":1}\\n{"b":'); process.stderr.write("half")`
      )
      const events = yield* all(yield* supervise(spec(path)))
      assert.deepStrictEqual(linesOf(events, "stdout"), ['{"a":1}', '{"b":'])
      assert.deepStrictEqual(linesOf(events, "stderr"), ["half"])
    }).pipe(Effect.provide(layer))
  )
})

describe("a process that cannot be started", () => {
  it.scopedLive("is not found, and says how to install it", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(supervise(spec("/nowhere/agent")))
      assert.strictEqual(error._tag, "ProviderNotFound")
      assert.include(error.message, "/nowhere/agent")
      assert.include(error.message, "Install it.")
    }).pipe(Effect.provide(layer))
  )

  it.scopedLive("is not blamed for a folder that is not there, or is a file", () =>
    Effect.gen(function* () {
      const missing = yield* Effect.flip(supervise(spec(process.execPath, { cwd: "/nowhere/at/all" })))
      assert.strictEqual(missing._tag, "ProviderStartFailed")
      assert.include(missing.message, "/nowhere/at/all")
      const file = yield* Effect.flip(supervise(spec(process.execPath, { cwd: process.execPath })))
      assert.strictEqual(file._tag, "ProviderStartFailed")
      assert.include(file.message, "is not a folder")
    }).pipe(Effect.provide(layer))
  )

  it.scopedLive("fails with a reason for a file that is no program, and for an argument with a NUL", () =>
    Effect.gen(function* () {
      const denied = yield* Effect.flip(supervise(spec("/etc/passwd")))
      assert.strictEqual(denied._tag, "ProviderStartFailed")
      const nul = yield* Effect.flip(supervise(spec(process.execPath, { args: ["a\0b"] })))
      assert.strictEqual(nul._tag, "ProviderStartFailed")
    }).pipe(Effect.provide(layer))
  )
})
