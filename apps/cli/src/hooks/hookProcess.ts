/** One call of a hook: a program of the user's, with a line on its stdin and a time limit. */
import { spawn } from "node:child_process"
import { HostProcesses } from "@alluka/core"
import * as Effect from "effect/Effect"

export interface HookCall {
  /** The program and its arguments; never a shell's text. */
  readonly argv: ReadonlyArray<string>
  /** What it reads on stdin. */
  readonly input: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly limitMs: number
}

/**
 * Runs it to its end, and answers in what way it failed, in words that go on "the hook ..."; `null`: it did not. Its output
 * goes nowhere: stdout belongs to the command's answer. When its time is over its whole process group is killed.
 */
export const callHook = ({ argv, cwd, env, input, limitMs }: HookCall): Effect.Effect<string | null> =>
  Effect.async<string | null>((resume) => {
    // A run's processes are known by this mark; a hook is none of them, and may itself start runs.
    const { [HostProcesses.runMark]: _, ...clean } = env
    const child = spawn(argv[0] ?? "", argv.slice(1), {
      cwd,
      env: clean,
      stdio: ["pipe", "ignore", "ignore"],
      detached: true
    })
    const kill = (): void => {
      if (child.pid === undefined) return
      try {
        process.kill(-child.pid, "SIGKILL")
      } catch {
        // It has gone.
      }
    }
    const timer = setTimeout(() => {
      kill()
      resume(Effect.succeed(`took longer than ${limitMs / 1000} s and was killed`))
    }, limitMs)
    child.once("error", (cause) => resume(Effect.succeed(`could not be started: ${cause.message}`)))
    child.once("exit", (code, signal) =>
      resume(
        Effect.succeed(
          code === 0 ? null : signal === null ? `ended with exit code ${code}` : `was ended by the signal ${signal}`
        )
      )
    )
    child.once("close", () => clearTimeout(timer))
    // A hook that does not read what it is told has still been called.
    child.stdin.on("error", () => undefined)
    child.stdin.end(input)
    return Effect.sync(() => {
      clearTimeout(timer)
      kill()
    })
  })
