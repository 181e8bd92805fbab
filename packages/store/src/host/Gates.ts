/**
 * Gates on this machine: a command in a process group of its own, with the mark of its run in its environment, by which
 * everything that it starts is found and ended with it.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { type GateCommand, Gates, HostProcesses, type Ids } from "@alluka/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { make as makeProcesses } from "./HostProcesses.js"
import { headAndTail } from "./headAndTail.js"
import { here } from "./processTable.js"

/** Bytes kept of the beginning, and of the end, of what a gate prints. */
const keptBytes = 64 * 1024
/** How long the processes of a gate are given after TERM, ms. */
const graceMs = 2000
/** How long the output is waited for after everything that could write it was ended, ms. */
const drainMs = 1000

const shell = "/bin/sh"

interface Ended {
  readonly exitCode: number | null
  readonly signal: string | null
}

interface Started {
  readonly child: ChildProcess
  readonly output: ReturnType<typeof headAndTail>
  readonly exited: Promise<Ended>
  readonly closed: Promise<void>
}

const start = (
  checkpointId: Ids.CheckpointId,
  { argv, shell: inShell }: GateCommand.GateCommand,
  cwd: string
): Effect.Effect<Started, Gates.GateNotStarted> =>
  Effect.async<Started, Gates.GateNotStarted>((resume) => {
    const failed = (cause: unknown) => {
      resume(Effect.fail(new Gates.GateNotStarted({ command: argv.join(" "), cause })))
    }
    try {
      const [program = "", args] = inShell ? [shell, ["-c", argv.join(" ")]] : [argv[0], argv.slice(1)]
      const child = spawn(program, args, {
        cwd,
        env: { ...process.env, PWD: cwd, [HostProcesses.runMark]: checkpointId },
        stdio: ["ignore", "pipe", "pipe"],
        detached: true,
        shell: false
      })
      const output = headAndTail(keptBytes)
      for (const pipe of [child.stdout, child.stderr]) {
        pipe?.on("data", (chunk: Buffer) => output.push(chunk))
        pipe?.on("error", () => undefined)
      }
      const exited = new Promise<Ended>((done) => {
        child.once("exit", (exitCode, signal) => done({ exitCode, signal }))
      })
      const closed = new Promise<void>((done) => {
        child.once("close", () => done())
      })
      child.once("error", failed)
      child.once("spawn", () => resume(Effect.succeed({ child, output, exited, closed })))
    } catch (cause) {
      failed(cause)
    }
  })

/** To the whole group: where marks cannot be read, that at least is ours. */
const killGroup = (child: ChildProcess): Effect.Effect<void> =>
  Effect.sync(() => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    try {
      process.kill(-child.pid, "SIGKILL")
    } catch {
      // It has gone.
    }
  })

const processes = makeProcesses(here)

const endEverything = (checkpointId: Ids.CheckpointId, { child }: Started): Effect.Effect<void> =>
  Effect.zipRight(processes.endAll([checkpointId], graceMs), killGroup(child))

const after = (ms: number): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    const timer = setTimeout(() => resume(Effect.void), ms)
    return Effect.sync(() => clearTimeout(timer))
  })

const run: Gates.Gates["Type"]["run"] = (checkpointId, command, cwd) =>
  Effect.acquireUseRelease(
    start(checkpointId, command, cwd),
    (started) =>
      Effect.gen(function* () {
        const before = yield* Clock.currentTimeNanos
        const exited = Effect.promise(() => started.exited)
        const first = yield* Effect.raceFirst(exited, Effect.as(after(command.timeoutMs), null))
        // What the command left behind holds its output open, and has no business after it.
        yield* endEverything(checkpointId, started)
        yield* Effect.raceFirst(
          Effect.promise(() => started.closed),
          after(drainMs)
        )
        const end: Ended = first ?? { exitCode: null, signal: null }
        const run: Gates.GateRun = {
          ...end,
          timedOut: first === null,
          elapsedMs: Number(((yield* Clock.currentTimeNanos) - before) / 1_000_000n),
          ...started.output.read()
        }
        return run
      }),
    (started) =>
      Effect.zipRight(
        endEverything(checkpointId, started),
        Effect.sync(() => {
          started.child.stdout?.destroy()
          started.child.stderr?.destroy()
          started.child.unref()
        })
      )
  )

export const layer: Layer.Layer<Gates.Gates> = Layer.succeed(Gates.Gates, { run })
