/** The monitor on a terminal of its own. */
import { EventEmitter } from "node:events"
import { homedir } from "node:os"
import type { ReadStream, WriteStream } from "node:tty"
import type * as Runtime from "effect/Runtime"
import { render } from "ink"
import isUnicodeSupported from "is-unicode-supported"
import { Keys } from "./components/Keys.js"
import type { ImportAs } from "./feed/importing.js"
import type { MonitorServices } from "./feed/services.js"
import { openSession } from "./feed/session.js"
import { frameOf } from "./layout/frame.js"
import { painted } from "./layout/Line.js"
import { Monitor } from "./Monitor.js"
import type { Model, Settings, Size } from "./model/Model.js"
import { loadPreferences } from "./terminal/preferences.js"
import { makeTerminal } from "./terminal/terminal.js"
import { glyphsOf, sayIn } from "./theme/glyphs.js"
import { type ThemeName, themeOf } from "./theme/theme.js"

export interface MonitorOptions {
  readonly stdin: ReadStream
  readonly stdout: WriteStream
  readonly stderr: NodeJS.WritableStream
  readonly env: Readonly<Record<string, string | undefined>>
  /** How a person would call the program. */
  readonly program: string
  /** Where the runs are kept, for the first screen. */
  readonly store: string
  readonly cwd: string
  /** The same without symbolic links. */
  readonly realCwd: string
  /** What the ids of new tasks begin with. */
  readonly taskPrefix: string
  readonly filter: string
  /** `null`: as the terminal and the environment say. */
  readonly ascii: boolean | null
  readonly theme: ThemeName | null
  readonly screenReader: boolean
  readonly reducedMotion: boolean
  readonly colour: boolean
  readonly preferencesFile: string | null
  /** Put behind the arguments of every run that is launched, and of every command that borrows the terminal. */
  readonly launchArgs: ReadonlyArray<string>
  /** What conversations from outside are brought in as. */
  readonly importAs: ImportAs
  /** Runs another command of the program with the terminal; answers its exit code. */
  readonly foreground: (argv: ReadonlyArray<string>) => number
}

const on = (value: string | undefined): boolean => value !== undefined && value !== "" && value !== "0"

/** The signals that end the monitor, with the shell's code for each. */
const endings = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** `ALLUKA_NOW` stops the clock, for pictures that must not change. */
const clockOf = (env: MonitorOptions["env"]): (() => number) => {
  const fixed = Date.parse(env.ALLUKA_NOW ?? "")
  return Number.isNaN(fixed) ? () => Date.now() : () => fixed
}

const sizeOf = ({ columns, rows }: WriteStream): Size => ({
  columns: columns > 0 ? columns : 80,
  rows: rows > 0 ? rows : 24
})

/** `alluka · 3 need you`: the window's title. */
export const titleOf = ({ counts, settings }: Model): string => {
  if (counts === null) return "alluka"
  const need = counts.interrupted + counts.failed
  const what = need > 0 ? `${need} need you` : counts.running > 0 ? `${counts.running} live` : null
  return what === null ? "alluka" : sayIn(glyphsOf(settings.ascii), `alluka · ${what}`)
}

/** Where Ink writes, which has nothing to show here: it reads the keys, and the painter shows the frames. */
const nowhere = (size: () => Size): WriteStream => {
  const sink = new EventEmitter() as EventEmitter & Partial<WriteStream>
  Object.defineProperties(sink, {
    columns: { get: () => size().columns },
    rows: { get: () => size().rows },
    isTTY: { value: true },
    writable: { value: true },
    write: { value: () => true }
  })
  return sink as WriteStream
}

/**
 * Runs the monitor until the person leaves it. Answers the exit code: 0, or that of the signal that ended it. Quitting ends
 * no run. The terminal is given back on every way out; a bug is thrown after that.
 */
export const runMonitor = async (
  runtime: Runtime.Runtime<MonitorServices>,
  options: MonitorOptions
): Promise<number> => {
  const { env, stdin, stdout } = options
  const screenReader = options.screenReader || env.INK_SCREEN_READER === "true"
  const settings: Settings = {
    ascii: options.ascii ?? (on(env.ALLUKA_ASCII) || !isUnicodeSupported()),
    reducedMotion: options.reducedMotion || on(env.ALLUKA_REDUCED_MOTION) || screenReader,
    screenReader,
    program: options.program,
    store: options.store,
    home: env.HOME ?? homedir(),
    cwd: options.cwd,
    realCwd: options.realCwd,
    taskPrefix: options.taskPrefix
  }
  const loaded = loadPreferences(options.preferencesFile)
  const preferences = options.theme === null ? loaded : { ...loaded, theme: options.theme }

  let finish: (ending: { readonly code: number } | { readonly bug: unknown }) => void = () => undefined
  const finished = new Promise<{ readonly code: number } | { readonly bug: unknown }>((resolve) => {
    finish = resolve
  })
  const terminal = makeTerminal(
    {
      stdin,
      stdout,
      stderr: options.stderr,
      env,
      platform: process.platform,
      fullScreen: !screenReader,
      preferencesFile: options.preferencesFile,
      foreground: options.foreground
    },
    () => finish({ code: 0 })
  )
  const session = openSession(runtime, {
    settings,
    preferences,
    size: sizeOf(stdout),
    filter: options.filter,
    launchArgs: options.launchArgs,
    importAs: options.importAs,
    host: terminal.host,
    clock: clockOf(env)
  })
  const { store } = session

  const resized = (): void => store.dispatch({ _tag: "Resized", size: sizeOf(stdout) })
  const signalled = (signal: keyof typeof endings) => (): void => {
    if (!terminal.lent()) finish({ code: endings[signal] })
  }
  const signals = (Object.keys(endings) as Array<keyof typeof endings>).map((name) => [name, signalled(name)] as const)
  const bug = (cause: unknown): void => {
    // Whoever else is told of it prints on a terminal that is as it was.
    terminal.leave()
    finish({ bug: cause })
  }
  const gone = (): void => finish({ code: endings.SIGHUP })

  terminal.enter()
  process.prependListener("uncaughtException", bug)
  process.prependListener("unhandledRejection", bug)
  process.once("exit", terminal.leave)
  for (const [name, listener] of signals) process.on(name, listener)
  stdout.on("resize", resized)
  stdout.on("error", gone)

  const show = (): void => {
    const model = store.get()
    terminal.title(titleOf(model))
    if (screenReader) return
    const theme = themeOf(model.preferences.theme, options.colour)
    terminal.painter.paint(frameOf(model).map((line) => painted(line, theme)))
  }
  const unwatch = store.subscribe(show)
  show()
  const ink = render(
    screenReader ? <Monitor session={session} colour={options.colour} /> : <Keys session={session} />,
    {
      stdin,
      stdout: screenReader ? stdout : nowhere(() => store.get().size),
      isScreenReaderEnabled: screenReader,
      exitOnCtrlC: false,
      patchConsole: false,
      incrementalRendering: false,
      maxFps: 30
    }
  )
  // A fault inside Ink unmounts it; the monitor must not go on without a screen.
  ink.waitUntilExit().then(() => finish({ code: 0 }), bug)
  session.start()

  const ending = await finished
  unwatch()
  const left = store.current()
  ink.unmount()
  terminal.leave()
  stdout.off("resize", resized)
  stdout.off("error", gone)
  for (const [name, listener] of signals) process.off(name, listener)
  process.off("exit", terminal.leave)
  await session.stop()
  process.off("uncaughtException", bug)
  process.off("unhandledRejection", bug)
  if ("bug" in ending) throw ending.bug
  const running = left.counts?.running ?? 0
  if (ending.code === 0 && running > 0) {
    options.stderr.write(
      `${running} run${running === 1 ? "" : "s"} keep${running === 1 ? "s" : ""} going: ${options.program} runs list --state running\n`
    )
  }
  return ending.code
}
