/** One invocation of a program under test: its output as it comes, its end, and the lines of its JSON stream. */
import { type ChildProcess, spawn } from "node:child_process"
import { type Document, parseDocument, parseLines } from "./documents.js"
import { eventually, GiveUp } from "./eventually.js"
import { signal } from "./processes.js"

export interface Ended {
  readonly args: ReadonlyArray<string>
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  /** From the start of the process to its end. */
  readonly elapsedMs: number
  /** stdout as the one JSON document it must be. */
  readonly document: <Shape extends Document>() => Shape
  /** stdout as the stream of JSON lines it must be. */
  readonly lines: () => ReadonlyArray<Document>
  /** The last line of the stream with this kind. */
  readonly last: <Shape extends Document>(kind: string) => Shape
  /** stderr's line that is the error document. */
  readonly error: <Shape extends Document>() => Shape
}

export interface Running {
  readonly pid: number
  readonly stdout: () => string
  readonly stderr: () => string
  /** The first complete JSON line of stdout that fits. */
  readonly line: <Shape extends Document>(fits: (line: Document) => boolean, withinMs?: number) => Promise<Shape>
  /** The first line of that kind. */
  readonly event: <Shape extends Document>(kind: string, withinMs?: number) => Promise<Shape>
  readonly ended: (withinMs?: number) => Promise<Ended>
  readonly kill: (name: NodeJS.Signals) => void
  /** Closes our end of its stdout, as a reader that went away. */
  readonly closeStdout: () => void
}

export interface CommandOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Written to stdin, which is then closed; without it stdin is /dev/null. */
  readonly input?: string
  /** Numeric id of the user (and group) to run as. */
  readonly asUser?: number
}

const stackTrace = /^\s+at .+[(:]\d+:\d+\)?$/m

const explain = (ended: Omit<Ended, "document" | "lines" | "last" | "error">): string =>
  [
    `alluka ${ended.args.join(" ")}`,
    `ended with ${ended.signal ?? ended.code} after ${ended.elapsedMs} ms`,
    `stdout: ${ended.stdout.slice(-3000)}`,
    `stderr: ${ended.stderr.slice(-3000)}`
  ].join("\n")

const endedOf = (facts: Omit<Ended, "document" | "lines" | "last" | "error">): Ended => {
  const orExplain = <Value>(read: () => Value): Value => {
    try {
      return read()
    } catch (cause) {
      throw new Error(`${cause instanceof Error ? cause.message : String(cause)}\n${explain(facts)}`)
    }
  }
  return {
    ...facts,
    document: <Shape extends Document>() => orExplain(() => parseDocument(facts.stdout) as Shape),
    lines: () => orExplain(() => parseLines(facts.stdout)),
    last: <Shape extends Document>(kind: string) =>
      orExplain(() => {
        const found = parseLines(facts.stdout).findLast((line) => line.kind === kind)
        if (found === undefined) throw new Error(`no line of kind ${kind}`)
        return found as Shape
      }),
    error: <Shape extends Document>() =>
      orExplain(() => {
        const found = facts.stderr.split("\n").find((line) => line.startsWith('{"') && line.includes('"error"'))
        if (found === undefined) throw new Error("no error document on stderr")
        return parseDocument(found) as Shape
      })
  }
}

/** Starts a program; `args` are those after the program's own name, for messages. */
export const startCommand = (
  program: string,
  programArgs: ReadonlyArray<string>,
  args: ReadonlyArray<string>,
  options: CommandOptions
): Running => {
  const startedAt = performance.now()
  const child: ChildProcess = spawn(program, [...programArgs, ...args], {
    cwd: options.cwd,
    env: options.env,
    ...(options.asUser === undefined ? {} : { uid: options.asUser, gid: options.asUser }),
    stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"]
  })
  const out: Array<Buffer> = []
  const err: Array<Buffer> = []
  child.stdout?.on("data", (chunk: Buffer) => out.push(chunk))
  child.stderr?.on("data", (chunk: Buffer) => err.push(chunk))
  // A program that ends before it has read its input closes the pipe: its exit code tells, not our EPIPE.
  child.stdin?.on("error", () => undefined)
  if (options.input !== undefined) child.stdin?.end(options.input)
  const stdout = (): string => Buffer.concat(out).toString("utf8")
  const stderr = (): string => Buffer.concat(err).toString("utf8")

  const end = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (code, endSignal) => {
      const facts = {
        args,
        code,
        signal: endSignal,
        stdout: stdout(),
        stderr: stderr(),
        elapsedMs: Math.round(performance.now() - startedAt)
      }
      if (stackTrace.test(facts.stdout) || stackTrace.test(facts.stderr)) {
        reject(new Error(`a stack trace was shown\n${explain(facts)}`))
      } else resolve(endedOf(facts))
    })
  })
  // Awaited later, or never where a test ends the world first.
  end.catch(() => undefined)

  const pid = child.pid
  if (pid === undefined) throw new Error(`${program} could not be started`)

  const line = <Shape extends Document>(fits: (one: Document) => boolean, withinMs = 40_000): Promise<Shape> =>
    eventually(
      () => {
        const complete = stdout()
        const found = parseLines(complete.slice(0, complete.lastIndexOf("\n") + 1)).find(fits)
        if (found === undefined && child.exitCode !== null) {
          throw new GiveUp(
            `alluka ${args.join(" ")} ended with ${child.exitCode} before the line that was waited for\nstdout: ${stdout().slice(-2000)}\nstderr: ${stderr().slice(-2000)}`
          )
        }
        return (found ?? null) as Shape | null
      },
      { withinMs, what: `a line of alluka ${args.join(" ")}` }
    ) as Promise<Shape>

  return {
    pid,
    stdout,
    stderr,
    line,
    event: (kind, withinMs) => line((one) => one.kind === kind, withinMs),
    ended: (withinMs = 60_000) => {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          reject(
            new Error(
              `alluka ${args.join(" ")} still runs after ${withinMs} ms\nstdout: ${stdout().slice(-2000)}\nstderr: ${stderr().slice(-2000)}`
            )
          )
        }, withinMs)
      })
      return Promise.race([end, late]).finally(() => clearTimeout(timer))
    },
    kill: (name) => signal(pid, name),
    closeStdout: () => child.stdout?.destroy()
  }
}

/** What a failed expectation about an ended command should show. */
export const describeEnd = (ended: Ended): string => explain(ended)
