/**
 * Asking git about a folder: never trusted with more than a moment and a bounded answer, never writing, and never running
 * what the folder's own configuration would have it run.
 */
import { execFile } from "node:child_process"
import * as Effect from "effect/Effect"

export interface Limits {
  readonly timeoutMs: number
  readonly maxBytes: number
}

/** For a question that git answers from a few small files. */
export const quick: Limits = { timeoutMs: 2000, maxBytes: 1024 * 1024 }
/** For one that may look at every file of the folder. */
export const thorough: Limits = { timeoutMs: 10_000, maxBytes: 16 * 1024 * 1024 }

/** Set when we are started from one of git's own hooks, and then about another repository. */
const ofAnotherRepository = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_NAMESPACE",
  "GIT_PREFIX"
]

const environment = (): NodeJS.ProcessEnv => {
  const inherited = Object.entries(process.env).filter(([name]) => !ofAnotherRepository.includes(name))
  return { ...Object.fromEntries(inherited), GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" }
}

export interface Answer {
  /** git ended by itself with success, in time. */
  readonly ok: boolean
  readonly stdout: string
  readonly stderr: string
}

/** Runs `git -C folder ...args` to its end, or to the end of its time. `env`: variables besides ours. */
export const run = (
  folder: string,
  args: ReadonlyArray<string>,
  limits: Limits,
  env: Readonly<Record<string, string>> = {}
): Effect.Effect<Answer> =>
  Effect.async<Answer>((resume) => {
    const child = execFile(
      "git",
      ["-C", folder, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", ...args],
      {
        encoding: "utf8",
        env: { ...environment(), ...env },
        timeout: limits.timeoutMs,
        maxBuffer: limits.maxBytes,
        killSignal: "SIGKILL",
        windowsHide: true
      },
      (error, stdout, stderr) => resume(Effect.succeed({ ok: error === null, stdout, stderr }))
    )
    child.stdin?.end()
    return Effect.sync(() => {
      child.kill("SIGKILL")
    })
  })

/**
 * The output of `git -C folder ...args`; `null` if git is not installed, the folder is in no repository, git failed, or it
 * took too long or said too much.
 */
export const git = (folder: string, args: ReadonlyArray<string>, limits: Limits): Effect.Effect<string | null> =>
  Effect.map(run(folder, args, limits), ({ ok, stdout }) => (ok ? stdout : null))

/** The commit a folder is at; `null` outside git and before the first commit. */
export const head = (folder: string): Effect.Effect<string | null> =>
  Effect.map(git(folder, ["rev-parse", "--verify", "--quiet", "HEAD"], quick), (output) => output?.trim() || null)

/** The branch a folder is on; `null` outside git and on a detached head. */
export const branch = (folder: string): Effect.Effect<string | null> =>
  Effect.map(git(folder, ["symbolic-ref", "--short", "--quiet", "HEAD"], quick), (output) => output?.trim() || null)

/** Parses `git status --porcelain=v1 -z`: the paths, a renamed file under its new name. Pure. */
export const parseStatus = (output: string): ReadonlyArray<string> => {
  const paths: Array<string> = []
  const fields = output.split("\0")
  for (let index = 0; index < fields.length; index++) {
    const field = fields[index] ?? ""
    if (field.length < 4) continue
    paths.push(field.slice(3))
    // A rename or copy is followed by the name it had.
    if (field[0] === "R" || field[0] === "C" || field[1] === "R" || field[1] === "C") index++
  }
  return paths
}

export interface Numbers {
  readonly files: number
  readonly insertions: number
  readonly deletions: number
}

/** Parses `git diff --numstat -z --no-renames`; a binary file counts as a file without lines. Pure. */
export const parseNumstat = (output: string): Numbers =>
  output.split("\0").reduce(
    (sum, field) => {
      const [, added, removed] = /^(\d+|-)\t(\d+|-)\t/.exec(field) ?? []
      if (added === undefined || removed === undefined) return sum
      return {
        files: sum.files + 1,
        insertions: sum.insertions + (added === "-" ? 0 : Number(added)),
        deletions: sum.deletions + (removed === "-" ? 0 : Number(removed))
      }
    },
    { files: 0, insertions: 0, deletions: 0 }
  )
