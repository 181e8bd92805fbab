/** The built program on a real terminal, and what a person sees of it at the moment it is seen. */
import { spawn } from "@lydell/node-pty"
import xterm from "@xterm/headless"
import { bareEnvironment, program } from "../program.mjs"

/** How long anything may take before the bench gives up, ms. */
const patienceMs = 60_000

/**
 * Opens the monitor over the store of a data folder.
 *
 * Answers `pid`, `startedAt` (ms of `performance.now()`), `press(keys)`, `shows(fits)`: the time at which the rows of the
 * screen first fitted, `rows()` and `close()`, which quits it and waits for its end.
 */
export const openMonitor = (home, { columns = 120, rows: height = 36, nodeArgs = [] } = {}) => {
  const view = new xterm.Terminal({ cols: columns, rows: height, allowProposedApi: true, scrollback: 0 })
  const startedAt = performance.now()
  const pty = spawn(process.execPath, [...nodeArgs, program], {
    name: "xterm-256color",
    cols: columns,
    rows: height,
    cwd: home,
    env: { TERM: "xterm-256color", ...bareEnvironment(home) }
  })
  const waiting = new Set()
  let ended = false
  const rows = () => {
    const { active } = view.buffer
    return Array.from(
      { length: height },
      (_, row) => active.getLine(active.viewportY + row)?.translateToString(true) ?? ""
    )
  }
  const look = () => {
    if (waiting.size === 0) return
    const seen = rows()
    for (const one of waiting) if (one.fits(seen)) one.done()
  }
  // The view takes a write in a little later; the time that counts is that of its arrival.
  let at = startedAt
  pty.onData((data) => {
    const arrived = performance.now()
    view.write(data, () => {
      at = arrived
      look()
    })
  })
  const exit = new Promise((resolve) => {
    pty.onExit(() => {
      ended = true
      resolve()
    })
  })
  const shows = (fits, what = "what is waited for") =>
    new Promise((resolve, reject) => {
      if (fits(rows())) {
        resolve(at)
        return
      }
      const one = {
        fits,
        done: () => {
          clearTimeout(late)
          waiting.delete(one)
          resolve(at)
        }
      }
      const late = setTimeout(() => {
        waiting.delete(one)
        reject(new Error(`the monitor ${ended ? "ended" : "does not show"} (${what}):\n${rows().join("\n")}`))
      }, patienceMs)
      waiting.add(one)
    })
  return {
    pid: pty.pid,
    startedAt,
    press: (keys) => pty.write(keys),
    shows,
    rows,
    close: async () => {
      if (!ended) pty.write("q")
      const late = setTimeout(() => pty.kill("SIGKILL"), 10_000)
      await exit
      clearTimeout(late)
    }
  }
}

/** Whether some row has the text. */
export const has = (text) => (rows) => rows.some((row) => row.includes(text))

/** The row that is selected, from its mark on. */
export const selectedRow = (rows) => rows.find((row) => row.startsWith("› ")) ?? null
