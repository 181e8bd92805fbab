/**
 * One provider's process, from its start to the last byte of its output, and the end of everything that it started.
 *
 * The child gets a process group of its own (Ctrl-C on our terminal reaches only us) and the mark of its run in its
 * environment, by which all its descendants are found, whatever group or session they moved to. Nothing here knows a
 * provider: lines come out as they are.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { stat } from "node:fs/promises"
import { type Checkpoint, HostProcesses, type Ids, Provider } from "@alluka/core"
import * as Chunk from "effect/Chunk"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type Budget, fullBudget, spend } from "./budget.js"
import { codeOf, isMissing } from "./errno.js"
import { withSignal } from "./exitSignal.js"
import { type LineItem, makeLineReader, maxLineBytes } from "./lines.js"
import { makeOutputQueue } from "./outputQueue.js"
import { makeTail } from "./tail.js"

export type ProcessEvent = Data.TaggedEnum<{
  Started: { readonly child: Checkpoint.ProcessIdentity }
  /** A line without its LF. */
  Line: { readonly from: "stdout" | "stderr"; readonly text: string }
  /** A line of stdout that was longer than the limit. */
  Oversize: { readonly bytes: number; readonly excerpt: string }
  /** Always the last: the process has ended, what it left behind was ended, and its output was read to the end. */
  Ended: { readonly exit: Checkpoint.ProviderExit; readonly stderrTail: string }
}>
export const ProcessEvent = Data.taggedEnum<ProcessEvent>()

export interface Limits {
  /** Longest line of stdout, in bytes. */
  readonly lineBytes: number
  /** How much unread output is held before the child is made to wait, in bytes. */
  readonly highWaterBytes: number
  /** How much of stderr's end is kept, in bytes. */
  readonly stderrTailBytes: number
  /** How long a polite signal is given before TERM, in ms, where `stop` is not told. */
  readonly graceMs: number
  /** How long TERM is given before KILL, in ms; never longer than the grace. */
  readonly termMs: number
  /** How long a killed process is waited for, in ms. */
  readonly killMs: number
  /** After the leader's end: how long a silent pipe that somebody still holds is waited for, in ms. */
  readonly quietMs: number
  /** After the leader's end: how long its pipes are waited for in all, in ms. */
  readonly drainMs: number
}

export const defaultLimits: Limits = {
  lineBytes: maxLineBytes,
  highWaterBytes: 1024 * 1024,
  stderrTailBytes: 16 * 1024,
  graceMs: 5000,
  termMs: 2000,
  killMs: 2000,
  quietMs: 500,
  drainMs: 5000
}

/** Longest line of stderr that is passed on whole, in bytes. */
const stderrLineBytes = 16 * 1024

/** What goes into the child's stdin. */
export type Input = Data.TaggedEnum<{
  // biome-ignore-start lint/complexity/noBannedTypes: a tagged case without fields
  /** Nothing: the null device. An open pipe that never ends makes several programs wait for ever. */
  None: {}
  /** Stays open for `Supervised.write`, for programs that are spoken to while they run. */
  Open: {}
  // biome-ignore-end lint/complexity/noBannedTypes: a tagged case without fields
  /** This text, and then the end. */
  Text: { readonly text: string }
}>
export const Input = Data.taggedEnum<Input>()

export interface Spec {
  /** The provider's id and how to install it, for errors. */
  readonly provider: string
  readonly install: string
  readonly checkpointId: Ids.CheckpointId
  /** Path of the program; run without a shell. */
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  /** The whole environment but the mark and PWD, which are added here. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly input: Input
  readonly politeSignal: (cause: Provider.StopCause) => HostProcesses.Signal
  readonly limits?: Partial<Limits>
}

export interface Supervised {
  /** To be run once; it ends after `Ended`. */
  readonly events: Stream.Stream<ProcessEvent>
  readonly stop: Provider.RunningProvider["stop"]
  /** Writes to an open stdin; false where it is closed, or the process is gone. */
  readonly write: (text: string) => Effect.Effect<boolean>
  /** Ends an open stdin: for programs that end by themselves when nobody speaks to them any more. */
  readonly closeInput: Effect.Effect<void>
}

/**
 * Starts a program and watches over it until the scope closes. Closing the scope ends the program and every process that
 * carries its mark, as `stop("shutdown")` does. `ProviderNotFound`: the program is not there (any more);
 * `ProviderStartFailed`: anything else that kept it from starting.
 */
export const supervise = (
  spec: Spec
): Effect.Effect<
  Supervised,
  Provider.ProviderNotFound | Provider.ProviderStartFailed,
  Scope.Scope | HostProcesses.HostProcesses
> =>
  Effect.gen(function* () {
    const host = yield* HostProcesses.HostProcesses
    const limits: Limits = { ...defaultLimits, ...spec.limits }
    yield* folderExists(spec)
    const { child, watched } = yield* Effect.acquireRelease(spawned(spec, limits, host), ({ child, watched }) =>
      Effect.zipRight(
        watched.end,
        Effect.sync(() => letGo(child))
      )
    )
    const pid = child.pid
    const found = pid === undefined ? Option.none() : yield* host.identify(pid)
    // A process that has already ended has no start time left to read.
    const identity = Option.getOrElse(found, () => ({ pid: pid ?? 0, pidStart: null }))
    return {
      events: Stream.concat(Stream.make(ProcessEvent.Started({ child: identity })), watched.output),
      stop: watched.stop,
      write: (text) => writeTo(child, text),
      closeInput: Effect.sync(() => child.stdin?.end())
    }
  })

/** `spawn` answers a missing folder with the same ENOENT as a missing program: the folder is looked at first. */
const folderExists = (spec: Spec): Effect.Effect<void, Provider.ProviderStartFailed> =>
  Effect.tryPromise({
    try: () => stat(spec.cwd),
    catch: (cause) => startFailed(spec, "look at the folder", cause)
  }).pipe(
    Effect.filterOrFail(
      (found) => found.isDirectory(),
      () => startFailed(spec, "look at the folder", new Error(`${spec.cwd} is not a folder`))
    ),
    Effect.asVoid
  )

const startFailed = (spec: Spec, operation: string, cause: unknown): Provider.ProviderStartFailed =>
  new Provider.ProviderStartFailed({ provider: spec.provider, operation: `supervisor: ${operation}`, cause })

interface Spawned {
  readonly child: ChildProcess
  readonly watched: Watched
}

const spawned = (
  spec: Spec,
  limits: Limits,
  host: HostProcesses.HostProcesses["Type"]
): Effect.Effect<Spawned, Provider.ProviderNotFound | Provider.ProviderStartFailed> =>
  Effect.async<Spawned, unknown>((done) => {
    try {
      const child = spawn(spec.program, spec.args, {
        cwd: spec.cwd,
        env: { ...spec.env, PWD: spec.cwd, [HostProcesses.runMark]: spec.checkpointId },
        stdio: [spec.input._tag === "None" ? "ignore" : "pipe", "pipe", "pipe"],
        detached: true,
        shell: false
      })
      // At once: a process may have ended before this fiber runs again.
      const watched = watch(child, spec, limits, host)
      child.once("error", (cause) => done(Effect.fail(cause)))
      child.once("spawn", () => done(Effect.succeed({ child, watched })))
    } catch (cause) {
      // Thrown for what no program can be given: a NUL in an argument, too long a list of them.
      done(Effect.fail(cause))
    }
  }).pipe(
    // The program's file is still open for writing somewhere: an update that is just being finished.
    Effect.retry({ schedule: Schedule.spaced("50 millis"), times: 10, while: (cause) => codeOf(cause) === "ETXTBSY" }),
    Effect.mapError((cause) =>
      isMissing(cause)
        ? new Provider.ProviderNotFound({ provider: spec.provider, command: spec.program, install: spec.install })
        : startFailed(spec, "start the program", cause)
    )
  )

const writeTo = (child: ChildProcess, text: string): Effect.Effect<boolean> =>
  Effect.async<boolean>((done) => {
    const { stdin } = child
    if (stdin === null || stdin.destroyed || stdin.writableEnded) return done(Effect.succeed(false))
    stdin.write(text, (error) => done(Effect.succeed(error == null)))
  })

/** Drops the pipes, so that a process that could not be ended does not keep ours alive. */
const letGo = (child: ChildProcess): void => {
  child.stdin?.destroy()
  child.stdout?.destroy()
  child.stderr?.destroy()
  child.unref()
}

interface Watched {
  readonly output: Stream.Stream<ProcessEvent>
  readonly stop: Supervised["stop"]
  /** What the scope's end does: nothing if everything has ended already. */
  readonly end: Effect.Effect<void>
}

const watch = (child: ChildProcess, spec: Spec, limits: Limits, host: HostProcesses.HostProcesses["Type"]): Watched => {
  const marks = [spec.checkpointId]
  const stdout = makeLineReader(limits.lineBytes)
  const stderr = makeLineReader(stderrLineBytes)
  const tail = makeTail(limits.stderrTailBytes)
  const queue = makeOutputQueue<ProcessEvent>({
    highWater: limits.highWaterBytes,
    pause: () => child.stdout?.pause(),
    resume: () => child.stdout?.resume()
  })

  let exit: Checkpoint.ProviderExit | null = null
  const onExit = new Set<() => void>()
  let closed = false
  let flushed = false
  let swept = false
  let finished = false
  let budget: Budget = fullBudget(performance.now())

  const offerStdout = (item: LineItem): void =>
    item._tag === "Line"
      ? queue.offer(ProcessEvent.Line({ from: "stdout", text: item.text }), item.bytes)
      : queue.offer(ProcessEvent.Oversize({ bytes: item.bytes, excerpt: item.excerpt }), item.excerpt.length)

  const offerStderr = (item: LineItem): void => {
    const text = item._tag === "Line" ? item.text : `${item.excerpt} … (a line of ${item.bytes} bytes)`
    const asked = spend(budget, performance.now(), text.length)
    // A reader that lags behind gets no more than the high-water mark from stderr either.
    const pass = asked.pass && !queue.isFull()
    budget = pass ? asked.budget : { ...budget, heldBack: budget.heldBack + 1 }
    if (!pass) return
    if (asked.missed > 0) {
      queue.offer(ProcessEvent.Line({ from: "stderr", text: `[${asked.missed} lines of stderr not recorded]` }), 64)
    }
    queue.offer(ProcessEvent.Line({ from: "stderr", text }), text.length)
  }

  child.stdout?.on("data", (chunk: Buffer) => stdout.push(chunk).forEach(offerStdout))
  child.stderr?.on("data", (chunk: Buffer) => {
    tail.push(chunk)
    stderr.push(chunk).forEach(offerStderr)
  })
  // A pipe's own errors change nothing: its end is told by "close", and the process's by "exit".
  for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.on("error", () => undefined)
  child.on("error", () => undefined)
  child.once("exit", (code, signal) => {
    exit = withSignal({ code, signal })
    for (const waiter of onExit) waiter()
    queue.wake()
  })
  child.once("close", () => {
    closed = true
    queue.wake()
  })
  if (spec.input._tag === "Text") child.stdin?.end(spec.input.text)

  /** True once the leader has ended, false after `ms`. Real time, and deaf to interruption: finalizers use it. */
  const exitWithin = (ms: number): Effect.Effect<boolean> =>
    Effect.async<boolean>((done) => {
      if (exit !== null) return done(Effect.succeed(true))
      const finish = (ended: boolean): void => {
        clearTimeout(timer)
        onExit.delete(waiter)
        done(Effect.succeed(ended))
      }
      const waiter = (): void => finish(true)
      const timer = setTimeout(() => finish(false), ms)
      onExit.add(waiter)
    })

  /** To the leader's group, as a terminal does it: launchers that swallow signals have their worker in the same group. */
  const signalGroup = (signal: HostProcesses.Signal): Effect.Effect<void> =>
    Effect.sync(() => {
      if (exit !== null || child.pid === undefined) return
      try {
        process.kill(-child.pid, signal)
      } catch {
        // The group is gone: its "exit" is on the way.
      }
    })

  /** Ends what the leader left behind. */
  const sweep = (graceMs: number): Effect.Effect<void> =>
    Effect.gen(function* () {
      const ended = exit !== null
      yield* host.endAll(marks, graceMs)
      if (ended) swept = true
    })

  const stop: Supervised["stop"] = (cause, grace = limits.graceMs) =>
    Effect.gen(function* () {
      if (exit === null) {
        yield* signalGroup(spec.politeSignal(cause))
        yield* exitWithin(grace)
      }
      yield* sweep(Math.min(grace, limits.termMs))
      // Where marks cannot be read, the group at least is ours.
      if (exit === null) {
        yield* signalGroup("SIGKILL")
        if (yield* exitWithin(limits.killMs)) yield* sweep(0)
      }
    }).pipe(Effect.uninterruptible)

  const flush = (): void => {
    if (flushed) return
    flushed = true
    stdout.end().forEach(offerStdout)
    stderr.end().forEach(offerStderr)
  }

  let quiet = 0
  let drained = 0

  const pull: Effect.Effect<Chunk.Chunk<ProcessEvent>, Option.Option<never>> = Effect.gen(function* () {
    for (;;) {
      const events = queue.takeAll()
      if (events.length > 0) {
        quiet = 0
        return Chunk.unsafeFromArray(events)
      }
      if (finished) return yield* Effect.fail(Option.none())
      if (exit === null) {
        yield* queue.awaitChange(null)
      } else if (!closed) {
        // Somebody still holds the pipes. The queue is empty here, so the time that goes by is the holder's, not ours.
        if (quiet >= limits.quietMs || drained >= limits.drainMs) {
          quiet = 0
          drained = 0
          if (swept) {
            letGo(child)
            closed = true
          } else {
            yield* sweep(limits.termMs)
          }
          continue
        }
        const before = performance.now()
        yield* queue.awaitChange(Math.max(1, limits.quietMs - quiet))
        const waited = performance.now() - before
        quiet += waited
        drained += waited
      } else if (!flushed) {
        flush()
      } else {
        if (!swept) yield* sweep(limits.termMs)
        finished = true
        return Chunk.of(ProcessEvent.Ended({ exit, stderrTail: tail.text() }))
      }
    }
  })

  return {
    output: Stream.repeatEffectChunkOption(pull),
    stop,
    end: Effect.suspend(() => (exit !== null && swept ? Effect.void : stop("shutdown")))
  }
}
