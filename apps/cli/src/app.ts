/** A command with every service of the program. */
import type * as Effect from "effect/Effect"
import type { Invocation } from "./Command.js"
import { type AppOptions, type Failures, runEdge, type Setting } from "./edge.js"
import { type AppServices, appLayer } from "./layers.js"
import type { Io } from "./output/Io.js"
import type { Signals } from "./signals.js"

export type { AppOptions, Failures, Setting } from "./edge.js"

/** A part of a command. */
export type Step<A> = Effect.Effect<A, Failures, AppServices | Signals>

/** Runs a command's effect with all services and answers the exit code. Never rejects. */
export const withApp = (
  invocation: Invocation,
  io: Io,
  options: AppOptions,
  command: (setting: Setting) => Step<number>
): Promise<number> => runEdge<AppServices>(invocation, io, options, appLayer, command)
