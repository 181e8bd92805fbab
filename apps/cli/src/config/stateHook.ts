/** The hook that is told of every end of a run. */
import { argvSetting, type Config, numberSetting } from "./merge.js"

export interface StateHook {
  readonly argv: readonly [string, ...string[]]
  readonly limitMs: number
}

/** As it is configured; `null`: there is none. */
export const stateHook = (config: Config): StateHook | null => {
  const argv = argvSetting(config, "hooks.on_state")
  return argv === null ? null : { argv, limitMs: numberSetting(config, "hooks.timeout", 10_000) }
}
