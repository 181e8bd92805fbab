/**
 * A program in its own screen, on the terminal of this process: it gets our streams as they are and is in our process group,
 * so keys, resizes and Ctrl-C are its own affair. Nothing of what it shows is read; when it ends, the take-over is over.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { type Checkpoint, HostProcesses, type Ids, Provider, RunEvent } from "@alluka/core"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { failure } from "../failures.js"

type Event = RunEvent.RunEvent
const { RunEvent: event } = RunEvent

/** A screen that lasts so long has opened its conversation, ms; programs that do not have it are gone sooner. */
const settledMs = 3000
/** How long the program is given to leave the screen in order before it is killed, ms. */
const graceMs = 5000

export interface Screen {
  readonly provider: string
  readonly title: string
  readonly checkpointId: Ids.CheckpointId
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The conversation that is opened. */
  readonly session: Pick<Checkpoint.ProviderSession, "id" | "location">
}

/** Opens the screen. The scope's end closes it. */
export const openScreen = (
  screen: Screen,
  host: HostProcesses.HostProcesses["Type"]
): Effect.Effect<Provider.RunningProvider, Provider.ProviderStartFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const { checkpointId, session, title } = screen
    const child = yield* Effect.acquireRelease(spawned(screen), (each) => ended(each, checkpointId, host))
    const told = yield* Mailbox.make<Event>()
    const over = yield* Deferred.make<Checkpoint.ProviderExit>()
    child.once("exit", (code, signal) => Effect.runFork(Deferred.succeed(over, { code, signal })))
    if (child.exitCode !== null) yield* Deferred.succeed(over, { code: child.exitCode, signal: child.signalCode })

    const identity = child.pid === undefined ? Option.none() : yield* host.identify(child.pid)
    if (Option.isSome(identity)) yield* told.offer(event.Spawned({ child: identity.value }))
    const named = event.SessionNamed({ ...session, confirms: true })

    yield* Effect.gen(function* () {
      const early = yield* Effect.timeoutOption(Deferred.await(over), settledMs)
      const opened = Option.isNone(early) || early.value.code === 0
      if (opened) yield* told.offer(named)
      const exit = yield* Deferred.await(over)
      if (!opened && exit.code !== null) {
        const said = `the screen of ${title} ended at once with ${exit.code}; what it printed tells why`
        yield* told.offer(event.Failed({ failure: failure("provider_error", said) }))
      } else if (exit.code !== null || (opened && exit.signal === "SIGINT")) {
        // A second Ctrl-C may come when the screen has given the terminal back, and ends it as a signal (opencode 1.18.33).
        const said = `the screen of ${title} was closed`
        yield* told.offer(event.Failed({ failure: failure("interactive_ended", said) }))
      }
      yield* told.offer(event.Exited({ exit, stderrTail: "" }))
      yield* told.end
    }).pipe(Effect.forkScoped)

    return { events: Mailbox.toStream(told), stop: () => ended(child, checkpointId, host) }
  })

const spawned = ({ args, checkpointId, cwd, env, program, provider }: Screen) =>
  Effect.async<ChildProcess, Provider.ProviderStartFailed>((resume) => {
    const marked = { ...env, [HostProcesses.runMark]: checkpointId }
    const child = spawn(program, [...args], { cwd, env: marked, stdio: "inherit" })
    child.once("spawn", () => resume(Effect.succeed(child)))
    child.once("error", (cause) =>
      resume(new Provider.ProviderStartFailed({ provider, operation: "open its screen", cause }))
    )
  })

/** Ends the program and what it started, politely first. */
const ended = (child: ChildProcess, id: Ids.CheckpointId, host: HostProcesses.HostProcesses["Type"]) =>
  Effect.suspend(() => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM")
    return Effect.asVoid(host.endAll([id], graceMs))
  })
