/** A command that only looks at runs, with no more services than that takes. */
import type * as Effect from "effect/Effect"
import type { Invocation } from "./Command.js"
import { type AppOptions, type Failures, runEdge, type Setting } from "./edge.js"
import type { Io } from "./output/Io.js"
import type { Signals } from "./signals.js"
import { type ViewServices, viewLayer } from "./viewLayer.js"

/** Runs a command's effect with the services of a view and answers the exit code. Never rejects. */
export const withView = (
  invocation: Invocation,
  io: Io,
  options: AppOptions,
  command: (setting: Setting) => Effect.Effect<number, Failures, ViewServices | Signals>
): Promise<number> => runEdge<ViewServices>(invocation, io, options, viewLayer, command, "leave")
