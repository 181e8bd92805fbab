/** Another process that works on a store: one of this folder's programs, and the lines that it prints. */
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { eventually } from "../support/eventually.js"
import type { World } from "../support/world.js"

export interface Actor {
  readonly pid: number
  /** The complete lines so far. */
  readonly lines: () => ReadonlyArray<string>
  /** Waits for a line that begins so. */
  readonly line: (beginning: string, withinMs?: number) => Promise<string>
  readonly say: (text: string) => void
  readonly signal: (name: NodeJS.Signals) => void
  /** What it ended with, once all it printed was read. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  readonly complaints: () => string
}

/** `before`: a program and its arguments that start Node in another setting (`unshare ...`). */
export const startActor = (
  world: World,
  name: string,
  args: ReadonlyArray<string>,
  before: ReadonlyArray<string> = []
): Actor => {
  const script = fileURLToPath(new URL(`./${name}.mjs`, import.meta.url))
  const [command = process.execPath, ...rest] = [...before, process.execPath, script, ...args]
  const child: ChildProcess = spawn(command, rest, { env: world.env, stdio: ["pipe", "pipe", "pipe"] })
  let said = ""
  let complained = ""
  child.stdout?.on("data", (chunk: Buffer) => {
    said += chunk.toString("utf8")
  })
  child.stderr?.on("data", (chunk: Buffer) => {
    complained += chunk.toString("utf8")
  })
  // It may have been killed before it reads.
  child.stdin?.on("error", () => undefined)
  const lines = (): ReadonlyArray<string> =>
    said
      .slice(0, said.lastIndexOf("\n") + 1)
      .split("\n")
      .slice(0, -1)
  return {
    pid: child.pid ?? 0,
    lines,
    line: (beginning, withinMs = 180_000) =>
      eventually(() => lines().find((line) => line.startsWith(beginning)) ?? null, {
        withinMs,
        what: `a line "${beginning}" of ${name} (it said: ${said.slice(-500)} ${complained.slice(-500)})`
      }),
    say: (text) => {
      child.stdin?.write(`${text}\n`)
    },
    signal: (signal) => {
      child.kill(signal)
    },
    ended: new Promise((resolve) => child.once("close", (code, signal) => resolve({ code, signal }))),
    complaints: () => complained
  }
}
