/** The commands of the tour, each a process of its own, as a person would start it. Ended with the tour. */
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Io } from "../output/Io.js"

export interface SpawnOptions {
  readonly io: Io
  readonly argv: ReadonlyArray<string>
  /** How long the demo agent takes for a step, ms. */
  readonly paceMs: number
  readonly stdout: "pipe" | "inherit"
}

/** How long a child has to end politely when the tour is broken off, ms. */
const politeMs = 5000

/** A child that lasts no longer than the scope. */
export const child = ({ argv, io, paceMs, stdout }: SpawnOptions) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [...process.execArgv, io.script, ...argv], {
        cwd: io.cwd,
        env: { ...io.env, ALLUKA_DEMO_PACE_MS: `${paceMs}` },
        stdio: ["ignore", stdout, "inherit"]
      })
    ),
    (process) =>
      Effect.gen(function* () {
        if (process.exitCode !== null || process.signalCode !== null) return
        process.kill("SIGTERM")
        yield* Effect.race(ended(process), Effect.sleep(politeMs)).pipe(Effect.interruptible)
        process.kill("SIGKILL")
      })
  )

/** Its exit code; `null` if a signal ended it. */
export const ended = (child: ChildProcess): Effect.Effect<number | null> =>
  Effect.async((resume) => {
    const done = (code: number | null): void => resume(Effect.succeed(code))
    if (child.exitCode !== null || child.signalCode !== null) done(child.exitCode)
    child.once("exit", done)
    child.once("error", () => done(null))
    return Effect.sync(() => child.off("exit", done))
  })

/** The lines of its stdout. */
export const lines = (child: ChildProcess): Stream.Stream<string> =>
  child.stdout === null
    ? Stream.empty
    : Stream.orDie(Stream.fromAsyncIterable(createInterface({ input: child.stdout }), (cause) => cause))
