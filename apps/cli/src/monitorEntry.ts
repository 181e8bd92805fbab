/** The monitor's own program: the same services as the commands', and the screen over them. `monitor.ts` loads it. */
import { spawnSync } from "node:child_process"
import { realpathSync } from "node:fs"
import { join, resolve } from "node:path"
import { Task } from "@alluka/core"
import { type MonitorServices, runMonitor as showMonitor, type ThemeName, themeNames } from "@alluka/tui"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { withApp } from "./app.js"
import type { Invocation } from "./Command.js"
import { permissionSetting, textSetting } from "./config/merge.js"
import { usage } from "./errors.js"
import type { MonitorModule } from "./monitor.js"
import { wantsColor } from "./output/color.js"
import type { Io } from "./output/Io.js"
import { Refusal } from "./Refusal.js"
import { Signals } from "./signals.js"

const themeOf = ({ options }: Invocation): Effect.Effect<ThemeName | null, Refusal> => {
  const name = options.text("theme")
  const theme = themeNames.find((one) => one === name)
  return name === null || theme !== undefined
    ? Effect.succeed(theme ?? null)
    : Effect.fail(new Refusal({ problem: usage(`there is no theme "${name}"; there are ${themeNames.join(", ")}`) }))
}

const realPath = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    // The folder is gone; its name still tells which runs belong to it.
    return path
  }
}

/**
 * Runs one of the program's other commands with this terminal. What a command says that did not go well would be gone with the
 * next frame: it stays until it was read.
 */
const foreground =
  (io: Io) =>
  (argv: ReadonlyArray<string>): number => {
    const { status } = spawnSync(process.execPath, [...process.execArgv, io.script, ...argv], {
      stdio: "inherit",
      cwd: io.cwd
    })
    if (status !== 0) {
      const wait = 'printf "\\nenter goes back to the monitor "; read -r _'
      spawnSync("/bin/sh", ["-c", wait], { stdio: "inherit" })
    }
    return status ?? 1
  }

export const runMonitor: MonitorModule["runMonitor"] = (invocation, io) =>
  withApp(invocation, io, { open: "nothing" }, ({ config, home, output }) =>
    Effect.gen(function* () {
      const { options } = invocation
      const theme = yield* themeOf(invocation)
      // The monitor answers the signals itself: it has a terminal to give back first.
      const signals = yield* Signals
      yield* signals.handle(() => Effect.void)
      const runtime = yield* Effect.runtime<MonitorServices>()
      const named = options.text("home")
      return yield* Effect.promise(() =>
        showMonitor(runtime, {
          stdin: process.stdin,
          stdout: process.stdout,
          stderr: process.stderr,
          env: io.env,
          program: io.program,
          store: home,
          cwd: io.cwd,
          realCwd: realPath(io.cwd),
          taskPrefix: textSetting(config, "task.prefix") ?? Task.defaultPrefix,
          filter: options.text("filter") ?? "",
          ascii: output.ascii ? true : null,
          theme,
          screenReader: options.flag("screenReader"),
          reducedMotion: options.flag("reducedMotion"),
          colour: wantsColor({ flag: options.text("color"), env: io.env, terminal: true }),
          preferencesFile: join(home, "state.json"),
          launchArgs: named === null ? [] : ["--home", resolve(io.cwd, named)],
          importAs: {
            agent: textSetting(config, "run.agent") ?? "default",
            permission: permissionSetting(config, "run.permission")
          },
          foreground: foreground(io)
        })
      )
    }).pipe(Effect.scoped, Logger.withMinimumLogLevel(LogLevel.None))
  )
