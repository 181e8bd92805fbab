/** A command that only looks at runs, with no more services than that takes. */
import type * as Effect from "effect/Effect"
import type { Invocation } from "./Command.js"
import { stateHook } from "./config/stateHook.js"
import { type AppOptions, type Failures, type LayerOptions, runEdge, type Setting } from "./edge.js"
import type { Io } from "./output/Io.js"
import type { Signals } from "./signals.js"
import { type ViewServices, viewLayer } from "./viewLayer.js"

/**
 * What the build has noted of the built-in providers says nothing of those that the configuration describes; and a hook is
 * told of the runs that a look finds dead.
 */
const layerOf = (options: LayerOptions) =>
  options.config.described.size === 0 && stateHook(options.config) === null
    ? viewLayer(options)
    : import("./layers.js").then(({ appLayer }) => appLayer(options))

/** Runs a command's effect with the services of a view and answers the exit code. Never rejects. */
export const withView = (
  invocation: Invocation,
  io: Io,
  options: AppOptions,
  command: (setting: Setting) => Effect.Effect<number, Failures, ViewServices | Signals>
): Promise<number> => runEdge<ViewServices>(invocation, io, options, layerOf, command, "leave")
