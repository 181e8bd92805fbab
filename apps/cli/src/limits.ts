/** How long a run may last and be silent: the command line over the configuration. */
import { Watchdog } from "@alluka/core"
import type { Setting } from "./app.js"
import type { Invocation } from "./Command.js"
import { numberSetting } from "./config/merge.js"

export const limitsOf = ({ config }: Setting, { options }: Invocation): Watchdog.WatchLimits => {
  const timeoutMs = options.number("timeout") ?? numberSetting(config, "run.timeout", 0)
  return {
    timeoutMs: timeoutMs === 0 ? null : timeoutMs,
    idleMs: options.number("idleTimeout") ?? numberSetting(config, "run.idle_timeout", Watchdog.defaultIdleMs)
  }
}
