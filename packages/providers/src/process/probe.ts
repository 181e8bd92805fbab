/** A short look at a program: what `--version` or `auth status` print, bounded in time and size. */
import { spawn } from "node:child_process"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

export interface ProbeAnswer {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const limitBytes = 64 * 1024
const defaultTimeoutMs = 5000

/**
 * Runs a program to its end with nothing on stdin, in `cwd` or in our own folder. None if it could not be started, was
 * killed by the time limit (ms) or by its own hand, or flooded its output: a probe that failed says nothing.
 */
export const probe = (
  program: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string | undefined>>,
  timeoutMs: number = defaultTimeoutMs,
  cwd?: string
): Effect.Effect<Option.Option<ProbeAnswer>> =>
  Effect.async<Option.Option<ProbeAnswer>>((done) => {
    const child = spawn(program, args, {
      env: cwd === undefined ? env : { ...env, PWD: cwd },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
      shell: false,
      ...(cwd === undefined ? {} : { cwd })
    })
    const read: Record<"stdout" | "stderr", Array<Buffer>> = { stdout: [], stderr: [] }
    let size = 0

    const giveUp = (): void => {
      clearTimeout(timer)
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
      } catch {
        // It has ended by itself.
      }
      child.stdout.destroy()
      child.stderr.destroy()
      child.unref()
      done(Effect.succeed(Option.none()))
    }
    const timer = setTimeout(giveUp, timeoutMs)

    for (const name of ["stdout", "stderr"] as const) {
      child[name].on("error", () => undefined)
      child[name].on("data", (chunk: Buffer) => {
        size += chunk.length
        if (size > limitBytes) giveUp()
        else read[name].push(chunk)
      })
    }
    child.once("error", giveUp)
    child.once("close", (code) => {
      clearTimeout(timer)
      const answer = {
        code,
        stdout: Buffer.concat(read.stdout).toString("utf8"),
        stderr: Buffer.concat(read.stderr).toString("utf8")
      }
      done(Effect.succeed(code === null ? Option.none() : Option.some(answer)))
    })
    return Effect.sync(giveUp)
  })

/** How long a program may take to tell its version, ms: gemini 0.61.0 loads all of itself first, and takes 5 s on a busy machine. */
export const versionMs = 20_000

/** The version in what a program prints for `--version`, such as `2.1.332 (Claude Code)` or `codex-cli 0.171.0`. */
export const versionIn = (text: string): string | null => /\d+\.\d+[\w.+-]*/.exec(text)?.[0] ?? null

/** The version in an answer to `--version`; pi 0.73.1 prints it on stderr. */
export const versionOf = ({ code, stderr, stdout }: ProbeAnswer): string | null =>
  code === 0 ? (versionIn(stdout) ?? versionIn(stderr)) : null
