/** Other processes for tests: programs of `support/children`, as built into `dist`, run by the same Node. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export interface Child {
  readonly pid: number
  readonly process: ChildProcess
  /** Waits for the next line that the child prints. */
  readonly line: Effect.Effect<string>
  /** Sends a line to the child's stdin. */
  readonly say: (text: string) => void
  /** Waits for the end; everything it printed, its exit code and signal. */
  readonly end: Effect.Effect<{ readonly stdout: string; readonly code: number | null; readonly signal: string | null }>
}

/** Where the built program is: tests run from `src` or, built, from `dist`. */
const programPath = (name: string): string =>
  fileURLToPath(new URL(`../../dist/support/children/${name}.js`, import.meta.url))

/** Starts `children/<name>.js`; it is killed when the scope closes. Its stderr is the test's. */
export const startChild = (
  name: string,
  args: ReadonlyArray<string>,
  options: SpawnOptions = {}
): Effect.Effect<Child, never, Scope.Scope> => startProgram(process.execPath, [programPath(name), ...args], options)

/** The same for any program. */
export const startProgram = (
  command: string,
  args: ReadonlyArray<string>,
  options: SpawnOptions = {}
): Effect.Effect<Child, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], ...options })
      let stdout = ""
      let taken = 0
      const lines: Array<string> = []
      const waiting: Array<(line: string) => void> = []
      const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
        child.once("close", (code, signal) => resolve({ code, signal }))
        child.once("error", () => resolve({ code: null, signal: "error" }))
      })
      child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
        stdout += chunk
        const complete = stdout.split("\n").slice(0, -1)
        for (const line of complete.slice(taken)) {
          const next = waiting.shift()
          if (next === undefined) lines.push(line)
          else next(line)
        }
        taken = complete.length
      })
      return {
        pid: child.pid ?? -1,
        process: child,
        line: Effect.async<string>((resume) => {
          const ready = lines.shift()
          if (ready === undefined) waiting.push((line) => resume(Effect.succeed(line)))
          else resume(Effect.succeed(ready))
        }),
        say: (text: string) => {
          child.stdin?.write(`${text}\n`)
        },
        end: Effect.map(
          Effect.promise(() => ended),
          (exit) => ({ stdout, ...exit })
        )
      }
    }),
    ({ process: child }) =>
      Effect.sync(() => {
        child.kill("SIGKILL")
      })
  )
