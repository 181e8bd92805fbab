/**
 * The signals that end a foreground command. A run hears them first and ends as they say; everything else is simply
 * interrupted, with its clean-up. A second one is more urgent, a third ends the process where it stands.
 */
import { fstatSync, statSync } from "node:fs"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP"

/**
 * Whether a terminal is attached: one of the standard streams is a device, and not the null one. (Node's own answer loads
 * half of its network code, and it cannot be asked later: a terminal that is gone is none any more.)
 */
export const terminalAttached = (): boolean => {
  const nothing = statSync("/dev/null", { throwIfNoEntry: false })?.rdev
  return [0, 1, 2].some((descriptor) => {
    try {
      const stat = fstatSync(descriptor)
      return stat.isCharacterDevice() && stat.rdev !== nothing
    } catch {
      return false
    }
  })
}

/** The shell's code for a process that a signal ended. */
export const signalExitCode: Readonly<Record<StopSignal, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }

/** `count`: how many signals have come by now, from 1. */
export type StopHandler = (signal: StopSignal, count: number) => Effect.Effect<void>

export class Signals extends Context.Tag("alluka/Signals")<
  Signals,
  {
    /** Lets a handler, besides others, answer the signals while the scope is open, in place of the interruption of everything. */
    readonly handle: (handler: StopHandler) => Effect.Effect<void, never, Scope.Scope>
    /** Leaves a signal to whoever else gets it while the scope is open: it is as if it had not come. */
    readonly ignore: (signal: StopSignal) => Effect.Effect<void, never, Scope.Scope>
    /** The first signal that came. */
    readonly received: Effect.Effect<StopSignal | null>
  }
>() {}

export interface SignalWatch {
  readonly service: Signals["Type"]
  readonly received: () => StopSignal | null
  /** Stops listening. */
  readonly close: () => void
}

/**
 * Listens from now on. `interrupt`: ends the main fiber. `terminal`: one was attached at the start; without one SIGHUP is
 * ignored, since it was meant to be (Node forgets that nohup said so).
 */
export const watchSignals = (options: {
  readonly terminal: boolean
  readonly run: (effect: Effect.Effect<void>) => void
  readonly interrupt: () => void
  readonly exit: (code: number) => void
}): SignalWatch => {
  let first: StopSignal | null = null
  let count = 0
  const handlers = new Set<StopHandler>()
  const ignored = new Set<StopSignal>()
  const hear = (signal: StopSignal) => (): void => {
    if ((signal === "SIGHUP" && !options.terminal) || ignored.has(signal)) return
    first ??= signal
    count += 1
    if (count > 2) options.exit(signalExitCode[signal])
    else if (handlers.size > 0) for (const handler of handlers) options.run(handler(signal, count))
    else if (count > 1) options.exit(signalExitCode[signal])
    else options.interrupt()
  }
  const listeners = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) => [signal, hear(signal)] as const)
  for (const [signal, listener] of listeners) process.on(signal, listener)
  return {
    service: {
      handle: (next) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            handlers.add(next)
          }),
          () =>
            Effect.sync(() => {
              handlers.delete(next)
            })
        ),
      ignore: (signal) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            ignored.add(signal)
          }),
          () =>
            Effect.sync(() => {
              ignored.delete(signal)
            })
        ),
      received: Effect.sync(() => first)
    },
    received: () => first,
    close: () => {
      for (const [signal, listener] of listeners) process.off(signal, listener)
    }
  }
}
