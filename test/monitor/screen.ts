/** A terminal as a person looks at it: its screen, cell by cell, after everything the program has written. */
import { setTimeout as delay } from "node:timers/promises"
import xterm from "@xterm/headless"
import { eventually } from "../support/eventually.js"
import { openTerminalWith, type Terminal, type TerminalOptions } from "../support/terminal.js"
import { program, type World } from "../support/world.js"

/** The sizes that everything must work at. */
export const sizes = [
  [120, 36],
  [80, 24],
  [60, 20]
] as const

/** Nothing moves that no key and no run has moved. */
export const quiet = { ALLUKA_REDUCED_MOTION: "1" }

export interface Screen {
  readonly terminal: Terminal
  /** The rows of the screen, without spaces at their ends. */
  readonly rows: () => Promise<ReadonlyArray<string>>
  readonly text: () => Promise<string>
  /** Waits until the screen shows it. */
  readonly shows: (wanted: string | RegExp, withinMs?: number) => Promise<void>
  /** Waits until the screen does not show it. */
  readonly hides: (unwanted: string | RegExp, withinMs?: number) => Promise<void>
  /** Sends keys one after the other, each in a write of its own. */
  readonly keys: (...keys: ReadonlyArray<string>) => Promise<void>
  readonly resize: (columns: number, rows: number) => Promise<void>
  /** Waits until what is shown was laid out for this size. */
  readonly fits: (columns: number, rows: number) => Promise<void>
  /** Whether the alternate screen is shown. */
  readonly alternate: () => Promise<boolean>
  /** The row that is shown inverted. */
  readonly inverse: () => Promise<ReadonlyArray<string>>
  /** Everything written to the clipboard by the program (OSC 52), decoded. */
  readonly clipboard: () => ReadonlyArray<string>
  readonly title: () => string
}

const fits = (text: string, wanted: string | RegExp): boolean =>
  typeof wanted === "string" ? text.includes(wanted) : wanted.test(text)

/** Keys by the bytes a terminal sends for them. */
export const key = {
  enter: "\r",
  escape: "\u001b",
  tab: "\t",
  up: "\u001b[A",
  down: "\u001b[B",
  pageDown: "\u001b[6~",
  backspace: "\u007f",
  altEnter: "\u001b\r",
  ctrlC: "\u0003",
  ctrlL: "\u000c",
  ctrlZ: "\u001a"
} as const

/** What a terminal sends for a paste to a program that asked for brackets. */
export const paste = (text: string): string => `\u001b[200~${text.replaceAll("\n", "\r")}\u001b[201~`

/** The whole frames in what was written, each as its lines without colours: those that were painted. */
export const framesIn = (written: string): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from(written.matchAll(/\u001b\[\?2026h(.*?)\u001b\[\?2026l/gs), ([, frame = ""]) =>
    frame.split(/\u001b\[\d+;1H/).map((line) => line.replace(/\u001b\[[0-9;?]*[a-zA-Z]/g, ""))
  )

export const openScreen = (
  world: World,
  args: ReadonlyArray<string> = [],
  options: TerminalOptions & { readonly command?: ReadonlyArray<string> } = {}
): Screen => {
  const size = { cols: options.columns ?? 120, rows: options.rows ?? 36 }
  const terminal = openTerminalWith(world, options.command ?? [process.execPath, program, ...args], {
    ...options,
    columns: size.cols,
    rows: size.rows
  })
  const view = new xterm.Terminal({ ...size, allowProposedApi: true, scrollback: 200 })
  const copied: Array<string> = []
  let title = ""
  view.parser.registerOscHandler(52, (data) => {
    copied.push(Buffer.from(data.split(";")[1] ?? "", "base64").toString("utf8"))
    return true
  })
  view.onTitleChange((next) => {
    title = next
  })
  let read = 0
  let resizedAt = 0
  /** Brings the view up to what was written by now. */
  const current = async (): Promise<void> => {
    const output = terminal.output()
    const news = output.slice(read)
    read = output.length
    await new Promise<void>((resolve) => view.write(news, resolve))
  }
  let last: { readonly at: string; readonly rows: ReadonlyArray<string> } = { at: "", rows: [] }
  const rows: Screen["rows"] = async () => {
    await current()
    const at = `${read} ${view.cols} ${view.rows}`
    if (last.at !== at) last = { at, rows: drawn() }
    return last.rows
  }
  const drawn = (): ReadonlyArray<string> => {
    const { active } = view.buffer
    return Array.from(
      { length: view.rows },
      // A line keeps what stood beyond the edge before the terminal became narrower.
      (_, row) =>
        active
          .getLine(active.viewportY + row)
          ?.translateToString(true, 0, view.cols)
          .trimEnd() ?? ""
    )
  }
  const text = async (): Promise<string> => (await rows()).join("\n")
  const until = (wanted: string | RegExp, there: boolean, withinMs = 15_000): Promise<unknown> =>
    eventually(
      async () => {
        const seen = await text()
        if (fits(seen, wanted) === there) return true
        throw new Error(`\n${seen}\n(written: ${JSON.stringify(terminal.output().slice(-200))})`)
      },
      { withinMs, what: `the screen ${there ? "showing" : "without"} ${wanted}` }
    )
  return {
    terminal,
    rows,
    text,
    shows: async (wanted, withinMs) => {
      await until(wanted, true, withinMs)
    },
    hides: async (unwanted, withinMs) => {
      await until(unwanted, false, withinMs)
    },
    keys: async (...keys) => {
      for (const one of keys) {
        // A person's keys come one at a time; what comes at once is for the tests of that. Nearly every key paints something.
        const before = terminal.output().length
        terminal.write(one)
        const deadline = Date.now() + 1500
        while (terminal.output().length === before && Date.now() < deadline) await delay(10)
        await delay(40)
      }
    },
    resize: async (columns, rowCount) => {
      await current()
      view.resize(columns, rowCount)
      resizedAt = terminal.output().length
      terminal.resize(columns, rowCount)
    },
    fits: async (columns, rowCount) => {
      const small = columns < 40 || rowCount < 12
      const said = `Terminal ${columns}x${rowCount} is too small (need 40x12)`.slice(0, Math.max(1, columns - 1))
      const rule = new RegExp(`^[─┬┴+-]{${columns}}$`, "u")
      await eventually(
        () => {
          // What stood there before may fit by chance: only what was written since counts.
          const lines = framesIn(terminal.output().slice(resizedAt)).flat()
          if (
            lines.some((line) => (small ? line.startsWith(said) || (columns === 1 && line === "…") : rule.test(line)))
          )
            return true
          throw new Error(lines.slice(-40).join("\n"))
        },
        { withinMs: 15_000, what: `the screen laid out for ${columns}x${rowCount}` }
      )
    },
    alternate: async () => {
      await current()
      return view.buffer.active.type === "alternate"
    },
    inverse: async () => {
      await current()
      const { active } = view.buffer
      return Array.from({ length: view.rows }, (_, row) => active.getLine(active.viewportY + row)).flatMap((line) =>
        line?.getCell(0)?.isInverse() ? [line.translateToString(true)] : []
      )
    },
    clipboard: () => copied,
    title: () => title
  }
}

/** The screen when it has stopped changing. */
export const settledScreen = async (screen: Screen): Promise<string> => {
  let last = ""
  let same = 0
  return eventually(
    async () => {
      const now = await screen.text()
      same = now === last ? same + 1 : 0
      last = now
      return same >= 10 ? now : null
    },
    { withinMs: 15_000, what: "the screen standing still" }
  )
}
