/**
 * Where the monitor is entered. It is a program of its own beside this one (a screen library with top-level await cannot
 * be a part of this bundle), loaded only when it is opened.
 */
import { existsSync, realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Invocation } from "./Command.js"
import type { Io } from "./output/Io.js"

/** The starter's `import()`: a script that V8 was given with a code cache has none of its own. */
declare const importModule: (url: string) => Promise<unknown>

/** What `monitor.mjs` exports. */
export interface MonitorModule {
  readonly runMonitor: (invocation: Invocation, io: Io) => Promise<number>
}

/** Opens the monitor and answers its exit code; `null`: this installation has none. */
export const openMonitor = async (invocation: Invocation, io: Io): Promise<number | null> => {
  // An installed program is called through a link that stands elsewhere.
  const file = join(dirname(realpathSync(io.script)), "monitor.mjs")
  if (!existsSync(file)) return null
  const { runMonitor } = (await importModule(pathToFileURL(file).href)) as MonitorModule
  return runMonitor(invocation, io)
}
