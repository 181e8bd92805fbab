/**
 * The terminal while the monitor has it: alternate screen, raw keys, signals, suspension, programs that borrow it; and given
 * back as it was on every way out that can be caught.
 */
import type { ReadStream, WriteStream } from "node:tty"
import type { Preferences } from "../model/Model.js"
import { clipboardSequence, enterScreen, escapes, leaveScreen, notificationSequence, titleSequence } from "./escapes.js"
import type { Host } from "./Host.js"
import { holdWrites } from "./heldWrites.js"
import { makePainter, type Painter } from "./painter.js"
import { savePreferences } from "./preferences.js"
import { editText, nativeCopy, pageText } from "./programs.js"

export interface TerminalOptions {
  readonly stdin: ReadStream
  readonly stdout: WriteStream
  readonly stderr: NodeJS.WritableStream
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  /** Without it the ordinary screen is used and nothing is painted: a screen reader reads what Ink writes. */
  readonly fullScreen: boolean
  readonly preferencesFile: string | null
  /** Runs another command of the program with the terminal; answers its exit code. */
  readonly foreground: (argv: ReadonlyArray<string>) => number
}

export interface Terminal {
  readonly host: Host
  readonly painter: Painter
  readonly title: (title: string) => void
  readonly enter: () => void
  /** Gives everything back. Any number of calls is one. */
  readonly leave: () => void
  /** Whether signals meant for a program that has the terminal are to be let pass. */
  readonly lent: () => boolean
}

/** A signal for a borrowing program reaches us too; its handler runs a little later than the program's end. */
const lentGraceMs = 200

export const makeTerminal = (options: TerminalOptions, quit: () => void): Terminal => {
  const { env, fullScreen, platform, stdin, stdout } = options
  let entered = false
  let release: (() => void) | null = null
  let lentUntil = 0
  let mouse = false
  let title = ""
  const write = (bytes: string): void => {
    if (!stdout.destroyed && stdout.writable) stdout.write(bytes)
  }
  const painter = makePainter(write)
  const raw = (on: boolean): void => {
    try {
      if (stdin.isTTY) stdin.setRawMode(on)
    } catch {
      // The terminal is gone: there is nothing to give back.
    }
  }
  const enter = (): void => {
    if (entered) return
    entered = true
    // Before anything is shown: a key that is typed at the first sight of the screen must not be echoed onto it.
    raw(true)
    if (!fullScreen) return
    release = holdWrites(options.stderr)
    write(`${enterScreen}${mouse ? escapes.mouse : ""}${title === "" ? "" : titleSequence(title)}`)
  }
  const leave = (): void => {
    if (!entered) return
    entered = false
    painter.stop()
    if (fullScreen) write(leaveScreen)
    raw(false)
    release?.()
    release = null
  }
  const back = (): void => {
    enter()
    painter.resume()
  }
  /** Gives the terminal away while `use` runs, which blocks: nothing of ours reads or writes meanwhile. */
  const lend = <Value>(use: () => Value): Value => {
    lentUntil = Number.POSITIVE_INFINITY
    leave()
    try {
      return use()
    } finally {
      lentUntil = Date.now() + lentGraceMs
      back()
    }
  }
  const suspend = (): void => {
    if (platform === "win32") return
    leave()
    process.once("SIGCONT", back)
    // The whole group: the shell waits for the process it started, which may be a parent of ours.
    process.kill(0, "SIGTSTP")
  }
  const inTmux = (env.TMUX ?? "") !== ""
  const host: Host = {
    copy: async (text) => {
      write(clipboardSequence(Buffer.from(text, "utf8").toString("base64")))
      const tool = nativeCopy(text, env, platform)
      return tool === null ? "by the terminal" : `with ${tool}`
    },
    edit: (text) => lend(() => editText(text, env)),
    page: (text) => lend(() => pageText(text, env)),
    foreground: (argv) => lend(() => options.foreground(argv)),
    savePreferences: (preferences: Preferences) => savePreferences(options.preferencesFile, preferences),
    notify: (text) => write(`${escapes.bell}${notificationSequence(`alluka: ${text}`, inTmux)}`),
    mouse: (on) => {
      mouse = on
      write(on ? escapes.mouse : escapes.noMouse)
    },
    repaint: painter.repaint,
    suspend,
    quit
  }
  return {
    host,
    painter,
    title: (next) => {
      if (next === title) return
      title = next
      if (entered && fullScreen) write(titleSequence(next))
    },
    enter,
    leave,
    lent: () => Date.now() < lentUntil
  }
}
