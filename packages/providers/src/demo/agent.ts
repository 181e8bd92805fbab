/**
 * The demo agent: a small program that surveys the folder it is started in, step by step, and prints what it does as
 * JSON lines. No model is behind it. It keeps a session file, goes on where a session stopped, refuses a session that it
 * does not have, and ends when nobody reads its output any more: everything that a real agent should do, on any machine.
 */
import { randomUUID } from "node:crypto"
import { text as readAll } from "node:stream/consumers"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { type Orders, parseOrders } from "./argv.js"
import {
  fingerprint,
  type NoSuchSession,
  readSession,
  type Session,
  type SessionDamaged,
  type SessionFileFailed,
  writeSession
} from "./sessionFile.js"
import { steps, survey } from "./survey.js"

/** Exit codes of the demo agent; a signal adds its number to 128, as shells do. */
export const exitCodes = { done: 0, failed: 1, usage: 2, noSuchSession: 44, sessionDamaged: 45 } as const

const signalNumbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const
type StopSignal = keyof typeof signalNumbers

/** What a program that writes into a closed pipe ends with. */
const outputClosed = 141

type Say = (event: Readonly<Record<string, unknown>>) => Effect.Effect<void>

const isoNow: Effect.Effect<string> = Effect.map(Clock.currentTimeMillis, (ms) => new Date(ms).toISOString())

/** The session that the orders ask for, as it is before this run's first step. */
const opened = (
  orders: Orders,
  prompt: string
): Effect.Effect<Session, NoSuchSession | SessionDamaged | SessionFileFailed> =>
  Effect.gen(function* () {
    const now = yield* isoNow
    const settings = (before: Session | null) => ({
      model: orders.model ?? before?.model ?? null,
      thinking: orders.thinking ?? before?.thinking ?? null,
      updatedAt: now,
      ...fingerprint(prompt)
    })
    const from = orders.resume ?? orders.fork
    if (from === null) {
      const cwd = process.cwd()
      const id = orders.sessionId ?? randomUUID()
      const empty = { format: "alluka-demo-session", version: 1, round: 1, done: [] } as const
      return { ...empty, id, cwd, createdAt: now, ...settings(null) }
    }
    const before = yield* readSession(orders.sessions, from)
    const finished = before.done.length >= steps.length
    return {
      ...before,
      id: orders.fork === null ? before.id : (orders.sessionId ?? randomUUID()),
      ...settings(before),
      ...(finished ? { round: before.round + 1, done: [] } : {})
    }
  })

const work = (
  orders: Orders,
  prompt: string,
  say: Say
): Effect.Effect<void, NoSuchSession | SessionDamaged | SessionFileFailed> =>
  Effect.gen(function* () {
    let session = yield* opened(orders, prompt)
    // On disk before it is announced: an id that was seen can always be resumed.
    yield* writeSession(orders.sessions, session)
    const message = (part: string, text: string) =>
      say({ type: "message", id: `r${session.round}-${part}`, text: `[demo] ${text}` })
    const next = session.done.length
    yield* say({
      type: "session",
      agent: "demo",
      session_id: session.id,
      resumed: orders.resume !== null,
      model: session.model ?? "none",
      thinking: session.thinking ?? "none",
      permission: "read-only",
      round: session.round,
      next_step: next + 1,
      steps: steps.length
    })
    yield* message(
      "begin",
      next > 0
        ? `Going on with the survey at step ${next + 1} of ${steps.length}; ${next} were done before.`
        : `Surveying ${process.cwd()} in ${steps.length} steps. This is a script, there is no model.`
    )
    for (const [index, step] of steps.entries()) {
      if (index < next) continue
      const id = `r${session.round}-${step.name}`
      yield* say({ type: "step_started", id, name: step.name, summary: step.title })
      yield* Effect.sleep(orders.paceMs)
      const summary = yield* survey(process.cwd(), step)
      const at = yield* isoNow
      session = { ...session, updatedAt: at, done: [...session.done, { step: step.name, at, summary }] }
      yield* writeSession(orders.sessions, session)
      yield* say({ type: "step_finished", id, ok: true, summary })
      yield* message(step.name, `${step.title}: ${summary}`)
    }
    const found = session.done.map(({ step, summary }) => `${step}: ${summary}`).join("; ")
    yield* say({ type: "result", status: "done", text: `[demo] Survey ${session.round} is complete. ${found}` })
  })

/**
 * Runs the demo agent in this process: its arguments, the prompt on stdin, JSON lines on stdout. Answers the exit code,
 * which the caller sets; a started process needs nothing else.
 */
export const runDemoAgent = async (argv: ReadonlyArray<string>): Promise<number> => {
  const write = (line: string): void => {
    process.stdout.write(`${line}\n`)
  }
  const say: Say = (event) => Effect.sync(() => write(JSON.stringify(event)))
  const failed = (code: string, error: { readonly message: string }, exit: number): Effect.Effect<number> =>
    Effect.as(say({ type: "error", code, message: error.message }), exit)

  const orders = parseOrders(argv, process.env.ALLUKA_DEMO_PACE_MS)
  if (typeof orders === "string") {
    process.stderr.write(`demo: ${orders}\n`)
    return exitCodes.usage
  }

  const run = Effect.promise(() => readAll(process.stdin)).pipe(
    Effect.flatMap((prompt) => work(orders, prompt, say)),
    Effect.as(exitCodes.done as number),
    Effect.catchTags({
      NoSuchSession: (error) => failed("no_such_session", error, exitCodes.noSuchSession),
      SessionDamaged: (error) => failed("session_damaged", error, exitCodes.sessionDamaged),
      SessionFileFailed: (error) => failed("session_file", error, exitCodes.failed)
    })
  )

  const fiber = Effect.runFork(run)
  let stopped = exitCodes.failed as number
  const stop = (code: number): void => {
    stopped = code
    fiber.unsafeInterruptAsFork(fiber.id())
  }
  const onSignal = (signal: StopSignal): void => {
    write(JSON.stringify({ type: "stopped", signal }))
    stop(128 + signalNumbers[signal])
  }
  const onClosed = (): void => stop(outputClosed)
  const signals = Object.keys(signalNumbers) as ReadonlyArray<StopSignal>
  process.stdout.on("error", onClosed)
  for (const signal of signals) process.on(signal, onSignal)
  const exit = await Effect.runPromise(Fiber.await(fiber))
  for (const signal of signals) process.off(signal, onSignal)
  process.stdout.off("error", onClosed)
  process.stdin.destroy()
  return Exit.isSuccess(exit) ? exit.value : stopped
}
