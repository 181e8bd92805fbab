/**
 * Starts a run that this process does not own: the program again, in a session of its own, with what to do on its stdin
 * (never on its command line, which everybody on the machine can read). It commits its checkpoint, says so in one line on
 * descriptor 3, and goes on alone.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { text as readAll } from "node:stream/consumers"
import { CheckpointStore, HostProcesses, Ids, RunLauncher } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Problem } from "./errors.js"
import { problem } from "./errors.js"
import { launchedName } from "./launchedName.js"
import { decodeAnswer, encodeOrder, type LaunchAnswer } from "./launchedProtocol.js"
import type { Io } from "./output/Io.js"
import { Refusal } from "./Refusal.js"

const operation = "launcher.launch"

/**
 * Launches `argv` (a `run` or `resume` command line; `--detach` in it is ignored) and waits until the process has
 * committed its checkpoint, decided against it, or failed. `Refusal`: nothing was started.
 */
export const launchDetached = (
  io: Io,
  argv: ReadonlyArray<string>,
  prompt: string | null
): Effect.Effect<RunLauncher.Launched, Refusal, Ids.Ids | CheckpointStore.CheckpointStore> =>
  Effect.gen(function* () {
    const ids = yield* Ids.Ids
    const store = yield* CheckpointStore.CheckpointStore
    const id = yield* ids.checkpoint
    const said = yield* Effect.tryPromise({
      try: () => spawnAndListen(io, encodeOrder({ argv, prompt, id })),
      catch: (cause) =>
        existsSync(io.cwd)
          ? failed(`alluka could not be started again: ${cause instanceof Error ? cause.message : String(cause)}`)
          : failed(`the folder ${io.cwd} is not there any more; start alluka in one that is`)
    })
    const answer = decodeAnswer(said)
    if (answer !== null) return yield* settled(answer)
    // It ended, or was killed, before it could say anything: the store knows whether it had begun.
    const found = yield* Effect.orElseSucceed(store.get(id), () => Option.none())
    return Option.isSome(found)
      ? RunLauncher.Launched.Started({ id })
      : yield* failed("the process that was to run it ended without a word; nothing was started")
  })

const settled = (answer: LaunchAnswer): Effect.Effect<RunLauncher.Launched, Refusal> => {
  switch (answer.type) {
    case "started":
      return Effect.succeed(RunLauncher.Launched.Started({ id: answer.id }))
    case "refused":
      return Effect.succeed(RunLauncher.Launched.Refused({ decision: answer.decision }))
    case "waiting":
      return Effect.succeed(RunLauncher.Launched.Waiting({ id: answer.id, until: answer.until }))
    case "failed":
      return Effect.fail(new Refusal({ problem: answer.problem }))
  }
}

const failed = (message: string): Refusal => new Refusal({ problem: problem(1, "launch_failed", message) })

/** What the child says on descriptor 3 until it closes it. */
const spawnAndListen = (io: Io, order: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { [HostProcesses.runMark]: _, ...env } = io.env
    const child: ChildProcess = spawn(process.execPath, [...process.execArgv, io.script, launchedName], {
      cwd: io.cwd,
      // A run that was started by an agent must outlive that agent's own run.
      env,
      detached: true,
      stdio: ["pipe", "ignore", "ignore", "pipe"]
    })
    child.once("error", reject)
    const answer = child.stdio[3]
    if (child.stdin === null || answer === null || answer === undefined || !("read" in answer)) {
      reject(new Error("no pipe to the new process"))
      return
    }
    // A child that dies at once closes its stdin; what it did not say tells that.
    child.stdin.on("error", () => undefined)
    child.stdin.end(order)
    readAll(answer).then(resolve, reject)
    child.unref()
  })

/** The launcher as core's port: what the monitor and other callers start runs through. */
export const launcherLayer = (
  io: Io
): Layer.Layer<RunLauncher.RunLauncher, never, Ids.Ids | CheckpointStore.CheckpointStore> =>
  Layer.effect(
    RunLauncher.RunLauncher,
    Effect.map(Effect.context<Ids.Ids | CheckpointStore.CheckpointStore>(), (context) =>
      RunLauncher.RunLauncher.of({
        launch: (argv, prompt) =>
          launchDetached(io, argv, prompt).pipe(
            Effect.provide(context),
            Effect.mapError((refusal) => launchFailed(refusal.problem))
          )
      })
    )
  )

const launchFailed = ({ code, detail, message }: Problem): RunLauncher.LaunchFailed =>
  new RunLauncher.LaunchFailed({ operation, code, detail: detail === null ? message : `${message} (${detail})` })
