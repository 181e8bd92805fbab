import * as Fs from "node:fs"
import * as Path from "node:path"
import { type GateCommand, Gates, HostProcesses, Ids } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as fc from "fast-check"
import { temporaryFolder } from "../support/fixtures.js"
import { layer } from "./Gates.js"
import { layer as processes } from "./HostProcesses.js"
import { headAndTail } from "./headAndTail.js"

const gate = (
  argv: ReadonlyArray<string>,
  changes: Partial<GateCommand.GateCommand> = {}
): GateCommand.GateCommand => ({
  argv: argv as [string, ...Array<string>],
  shell: false,
  timeoutMs: 20_000,
  ...changes
})

const run = (command: GateCommand.GateCommand, changes: { readonly cwd?: string } = {}) =>
  Effect.gen(function* () {
    const gates = yield* Gates.Gates
    const id = yield* (yield* Ids.Ids).checkpoint
    const result = yield* gates.run(id, command, changes.cwd ?? "/tmp")
    const left = yield* Effect.flatMap(HostProcesses.HostProcesses, (host) => host.survivors([id]))
    return { ...result, left, id }
  })

const provided = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(Effect.provide(layer), Effect.provide(processes), Effect.provide(Ids.layer))

const sh = (text: string, changes: Partial<GateCommand.GateCommand> = {}) => gate([text], { shell: true, ...changes })

describe("a gate", () => {
  it.live("is run as it is written, without a shell", () =>
    provided(
      Effect.gen(function* () {
        const told = yield* run(gate(["printf", "%s|", "a b", "$HOME", ";"]))
        assert.deepInclude(told, { exitCode: 0, signal: null, timedOut: false, head: "a b|$HOME|;|", tail: "" })
      })
    )
  )

  it.live("tells its exit code and both of its streams, and where it runs", () =>
    provided(
      Effect.gen(function* () {
        const told = yield* run(sh("pwd; echo bad >&2; exit 3"))
        assert.deepInclude(told, { exitCode: 3, omittedBytes: 0 })
        assert.include(told.head, "/tmp\n")
        assert.include(told.head, "bad\n")
      })
    )
  )

  it.live("that cannot be started says so", () =>
    provided(
      Effect.gen(function* () {
        const failure = yield* Effect.flip(run(gate(["/no/such/program"])))
        assert.strictEqual(failure._tag, "GateNotStarted")
        assert.include(failure.message, "/no/such/program")
        const folder = yield* Effect.flip(run(gate(["true"]), { cwd: "/no/such/folder" }))
        assert.strictEqual(folder._tag, "GateNotStarted")
      })
    )
  )

  it.live("that takes too long is ended with everything that it started", () =>
    provided(
      Effect.gen(function* () {
        const told = yield* run(sh("echo begun; (setsid sleep 300 &) ; sleep 300", { timeoutMs: 400 }))
        assert.deepInclude(told, { timedOut: true, exitCode: null, head: "begun\n" })
        assert.isBelow(told.elapsedMs, 5000)
        assert.deepStrictEqual(told.left, [])
      })
    )
  )

  it.live("leaves no process behind, whatever group it went to, and does not wait for the pipes they hold", () =>
    provided(
      Effect.gen(function* () {
        const told = yield* run(sh("setsid sleep 300 & echo done"))
        assert.deepInclude(told, { exitCode: 0, head: "done\n" })
        assert.isBelow(told.elapsedMs, 5000)
        assert.deepStrictEqual(told.left, [])
      })
    )
  )

  it.live("is ended when the run is stopped meanwhile", () =>
    provided(
      Effect.gen(function* () {
        const gates = yield* Gates.Gates
        const host = yield* HostProcesses.HostProcesses
        const id = yield* (yield* Ids.Ids).checkpoint
        const fiber = yield* Effect.fork(gates.run(id, sh("sleep 300; true"), "/tmp"))
        yield* Effect.repeat(Effect.delay(host.survivors([id]), 20), { until: (found) => found.length > 0 })
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(yield* host.survivors([id]), [])
      })
    )
  )

  it.scopedLive("keeps the beginning and the end of an endless output", () =>
    provided(
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const script = Path.join(folder, "talk.mjs")
        Fs.writeFileSync(
          script,
          "for (let i = 0; i < 200000; i++) process.stdout.write('line ' + i + String.fromCharCode(10))"
        )
        const told = yield* run(gate([process.execPath, script]))
        assert.isTrue(told.head.startsWith("line 0\nline 1\n"))
        assert.match(told.head, /line \d+\n$/)
        assert.match(told.tail, /^line \d+\n/)
        assert.isTrue(told.tail.endsWith("line 199999\n"))
        assert.isAbove(told.omittedBytes, 1_000_000)
      })
    )
  )
})

describe("the beginning and the end", () => {
  it("of a short output are all of it; of a long one they are whole lines of it, however it came", () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-zé]{0,12}$/), { maxLength: 40 }),
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 8, max: 64 }),
        (lines, cuts, limit) => {
          const text = lines.map((line) => `${line}\n`).join("")
          const bytes = Buffer.from(text)
          const kept = headAndTail(limit)
          for (let from = 0, n = 0; from < bytes.length; n++) {
            const size = cuts[n % cuts.length] ?? 1
            kept.push(bytes.subarray(from, from + size))
            from += size
          }
          const { head, omittedBytes, tail } = kept.read()
          if (omittedBytes === 0) return head + tail === text
          return (
            text.startsWith(head) &&
            text.endsWith(tail) &&
            (head === "" || head.endsWith("\n")) &&
            (tail === "" || text.endsWith(`\n${tail}`)) &&
            Buffer.byteLength(head) <= limit &&
            Buffer.byteLength(tail) <= limit &&
            Buffer.byteLength(head) + Buffer.byteLength(tail) + omittedBytes === bytes.length
          )
        }
      )
    )
  })
})
