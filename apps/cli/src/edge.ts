/** The edge between a command and the services that it needs: one runtime, one main fiber, every outcome an exit code. */
import {
  type BeginRun,
  type CheckpointStore,
  type Checkpoints,
  type OwnerIdentity,
  type Provider,
  Recovery,
  type RunLauncher,
  type TaskRuns,
  type TaskStore,
  type Tasks,
  type Workspaces
} from "@alluka/core"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { Invocation } from "./Command.js"
import { tellFaults } from "./config/fault.js"
import { type Loaded, loadConfig } from "./config/load.js"
import { stateHook } from "./config/stateHook.js"
import { bugProblem } from "./crash.js"
import { type Problem, problemOf, withHelp } from "./errors.js"
import type { Io } from "./output/Io.js"
import { type Output, outputOf } from "./output/Output.js"
import { accountHome, type Paths, resolvePaths } from "./paths.js"
import type { Refusal } from "./Refusal.js"
import { Signals, signalExitCode, terminalAttached, watchSignals } from "./signals.js"

/** Everything that a command may fail with. */
export type Failures =
  | Refusal
  | CheckpointStore.StoreFailure
  | CheckpointStore.RecordCorrupt
  | CheckpointStore.Fenced
  | CheckpointStore.Conflict
  | CheckpointStore.InvalidCursor
  | Checkpoints.CheckpointNotFound
  | Checkpoints.AmbiguousId
  | Checkpoints.ClaimLost
  | OwnerIdentity.OwnerLockFailed
  | Provider.ProviderNotFound
  | BeginRun.ProviderUnknown
  | BeginRun.SettingUnsupported
  | Workspaces.WorkspaceUnusable
  | RunLauncher.LaunchFailed
  | TaskStore.TaskNotFound
  | TaskStore.TaskBusy
  | TaskRuns.LoopFailure
  | Tasks.TaskInvalid

/** What a command knows besides the services. */
export interface Setting {
  readonly io: Io
  readonly output: Output
  readonly config: Loaded
  readonly paths: Paths
  /** The data folder. */
  readonly home: string
}

/** How a command leaves its services. */
export type Leaving =
  /** Closes them: what holds a run, a lock or a process. */
  | "close"
  /** Leaves them to the end of the process, which ends a connection that only reads as well and sooner. */
  | "leave"

export interface AppOptions {
  /**
   * What happens to runs whose owner died: stored (`reconcile`), told without writing (`inspect`, for previews), or
   * neither (`nothing`, for what does not look at runs).
   */
  readonly open: "reconcile" | "inspect" | "nothing"
  /** Told of what ends the command without an answer; stderr is, where this is left out. */
  readonly onProblem?: (problem: Problem) => Promise<void>
}

/** How long the services may take to close, ms; a hook's own limit is added. */
const closeMs = 5000

/** What services are made from. */
export interface LayerOptions {
  readonly home: string
  readonly config: Loaded
  readonly io: Io
  readonly debug: boolean
  readonly output: Output
}

/** What the edge itself asks of a command's services. */
export type EdgeServices = Recovery.Recovery

/** Runs a command's effect with services and answers the exit code. Never rejects. */
export const runEdge = async <Services>(
  invocation: Invocation,
  io: Io,
  options: AppOptions,
  layerOf: (
    options: LayerOptions
  ) =>
    | Layer.Layer<Services | EdgeServices, CheckpointStore.StoreFailure>
    | Promise<Layer.Layer<Services | EdgeServices, CheckpointStore.StoreFailure>>,
  command: (setting: Setting) => Effect.Effect<number, Failures, Services | Signals>,
  leaving: Leaving = "close"
): Promise<number> => {
  const output = outputOf(io, invocation.options)
  const paths = resolvePaths({
    env: io.env,
    cwd: io.cwd,
    homeFlag: invocation.options.text("home"),
    accountHome,
    platform: process.platform
  })
  const tell = options.onProblem ?? output.problem
  const fail = async (what: Problem): Promise<number> => {
    await tell(withHelp(what, invocation.path))
    return what.exitCode
  }
  if ("code" in paths) return fail(paths)
  const config = await loadConfig({ userConfig: paths.userConfig, cwd: io.cwd, env: io.env })
  if ("code" in config) return fail(config)
  await noteFaults(await tellFaults(config.faults), output)
  if (config.project !== null && !config.project.trusted && starts(invocation)) {
    await output.note(
      `alluka: ${config.project.path} is not trusted and does not count; ${output.command(["trust"])} lets it`
    )
  }

  const setting: Setting = { io, output, config, paths, home: paths.home }
  const runtime = ManagedRuntime.make(
    await layerOf({ home: paths.home, config, io, debug: invocation.options.flag("debug"), output })
  )
  let main: Fiber.RuntimeFiber<number, Failures> | null = null
  const signals = watchSignals({
    terminal: terminalAttached(),
    run: (effect) => {
      runtime.runFork(effect)
    },
    interrupt: () => {
      if (main !== null) Effect.runFork(Fiber.interruptFork(main))
    },
    exit: (code) => process.exit(code)
  })
  main = runtime.runFork(
    Effect.zipRight(openStore(options.open, output), command(setting)).pipe(
      Effect.provide(Layer.succeed(Signals, signals.service))
    )
  )
  const exit = await Effect.runPromise(Fiber.await(main))
  const hook = stateHook(config)
  if (leaving === "close" || hook !== null) {
    const late = new Promise((resolve) => setTimeout(resolve, closeMs + (hook?.limitMs ?? 0)).unref())
    await Promise.race([runtime.dispose().catch(() => undefined), late])
  }
  signals.close()
  return Exit.match(exit, {
    onSuccess: (code) => Promise.resolve(code),
    onFailure: async (cause) => {
      const failure = Cause.failureOption(cause)
      if (failure._tag === "Some") return fail(problemOf(failure.value))
      const signal = signals.received()
      if (Cause.isInterruptedOnly(cause)) return signal === null ? 130 : signalExitCode[signal]
      return fail(bugProblem(Cause.squash(cause), Cause.pretty(cause), paths.home, io.env))
    }
  })
}

/** Tells what of the configuration cannot be used, and where to see what counts in its place. */
export const noteFaults = async (faults: ReadonlyArray<string>, output: Output): Promise<void> => {
  for (const fault of faults) await output.note(`alluka: ${fault}`)
  if (faults.length > 0) await output.note(`  ${output.command(["config", "show", "--origin"])}  (shows what counts)`)
}

/** Whether a command starts runs, for which a configuration that does not count makes a difference. */
const starts = ({ path }: Invocation): boolean => ["run", "resume", "task"].includes(path[0] ?? "")

/** Nothing is shown as running that is not: looks after the runs whose owners died. */
const openStore = (open: AppOptions["open"], output: Output) =>
  Effect.gen(function* () {
    if (open === "nothing") return
    const recovery = yield* Recovery.Recovery
    const found = yield* open === "reconcile" ? recovery.reconcile : recovery.inspect
    if (found.unsaved !== null) {
      yield* Effect.promise(() =>
        output.note(`alluka: the end of runs whose process died could not be stored yet: ${found.unsaved?.message}`)
      )
    }
  })
