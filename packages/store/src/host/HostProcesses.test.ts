import { HostProcesses, Ids } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { startProgram } from "../support/child.js"
import { make } from "./HostProcesses.js"
import { linux } from "./processTable.js"

const processes = make(linux)
const id = (text: string) => Ids.CheckpointId.make(`ckpt_${text.padStart(12, "0")}`)
const [first, second] = [id("1"), id("2")]

const start = (mark: string, script: string) =>
  Effect.tap(
    startProgram("/bin/sh", ["-c", script], { env: { ...process.env, [HostProcesses.runMark]: mark }, detached: true }),
    (child) => child.line
  )

const sleeper = "echo up; exec sleep 60"
const stubborn = "trap '' TERM; echo up; while :; do sleep 0.1; done"

describe.skipIf(process.platform !== "linux")("the processes of runs", () => {
  it.live("are found by their mark, with all that carry it, and only while they live", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const child = yield* start(first, "setsid sleep 60 & echo up; wait")
        yield* start(second, sleeper)
        yield* start("ckpt_000000000001x", sleeper)
        const survivors = processes.survivors([first])
        const commands = Effect.map(survivors, (found) => found.map(({ command }) => command))
        // The one in a session of its own takes a moment to become what it was started as.
        yield* Effect.repeat(Effect.zipRight(Effect.sleep("20 millis"), commands), {
          until: (names) => names.includes("sleep")
        })
        const found = yield* survivors
        assert.isAtLeast(found.length, 2)
        assert.isTrue(found.every(({ checkpointId }) => checkpointId === first))
        assert.isTrue(found.some(({ pid }) => pid === child.pid))
        assert.isAtLeast((yield* processes.survivors([first, second])).length, 3)
        assert.deepStrictEqual(yield* processes.survivors([]), [])
        assert.deepStrictEqual(yield* processes.survivors([id("3")]), [])
        // Those that went on in a session of their own are ended too.
        assert.deepStrictEqual(yield* processes.endAll([first], 2000), [])
        assert.deepStrictEqual(yield* processes.survivors([first]), [])
        assert.isNotEmpty(yield* processes.survivors([second]))
        yield* processes.endAll([second], 2000)
      })
    )
  )

  it.live("that ignore a polite end are killed when the time is over", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const child = yield* start(first, stubborn)
        const [took, left] = yield* Effect.timed(processes.endAll([first], 300))
        assert.deepStrictEqual(left, [])
        assert.isAtLeast(Duration.toMillis(took), 300)
        assert.strictEqual((yield* child.end).signal, "SIGKILL")
      })
    )
  )

  it.live("that are frozen are ended too", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const child = yield* start(first, sleeper)
        process.kill(child.pid, "SIGSTOP")
        assert.deepStrictEqual(yield* processes.endAll([first], 200), [])
        assert.strictEqual((yield* child.end).signal, "SIGKILL")
      })
    )
  )

  it.live("are signalled only while they are the ones that were meant", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const child = yield* start(first, sleeper)
        const identity = Option.getOrThrow(yield* processes.identify(child.pid))
        assert.isFalse(yield* processes.signal({ ...identity, pidStart: "1" }, "SIGKILL"))
        assert.isFalse(yield* processes.signal({ ...identity, pidStart: null }, "SIGKILL"))
        assert.isTrue(yield* processes.signal(identity, "SIGKILL"))
        yield* child.end
        assert.isTrue(Option.isNone(yield* processes.identify(child.pid)))
        assert.isFalse(yield* processes.signal(identity, "SIGKILL"))
        yield* processes.endAll([first], 500)
      })
    )
  )

  it.live("that are dead and not yet buried count as none", () =>
    Effect.scoped(
      Effect.gen(function* () {
        // The shell's child ends; the shell, replaced by a sleep, never asks for it.
        const parent = yield* start(first, "sh -c 'echo $$; exit 0' & exec sleep 60")
        yield* Effect.sleep("200 millis")
        const survivors = yield* processes.survivors([first])
        assert.deepStrictEqual(
          survivors.map(({ pid }) => pid),
          [parent.pid]
        )
        yield* processes.endAll([first], 500)
      })
    )
  )

  it.live("never include the asking process and those above it", () =>
    Effect.sync(() => {
      const marked = make({
        ...linux,
        marked: () =>
          [process.pid, process.ppid].map((pid) => ({
            pid,
            parent: 0,
            pidStart: "1",
            command: "x",
            mark: `ALLUKA_RUN=${first}`
          }))
      })
      assert.deepStrictEqual(Effect.runSync(marked.survivors([first])), [])
    })
  )
})
