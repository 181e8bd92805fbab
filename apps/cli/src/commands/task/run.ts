/** `alluka task run one|loop|resume`: works through a folder's tasks in the foreground. */
import { resolve } from "node:path"
import {
  type Blocked,
  type Decision,
  Documents,
  ExitCodes,
  LoopRequest,
  Redactor,
  Scope,
  TaskRuns,
  type TaskSequel,
  Tasks
} from "@alluka/core"
import * as Effect from "effect/Effect"
import { type Setting, type Step, withApp } from "../../app.js"
import { ask, confirm } from "../../ask.js"
import type { Command, Invocation } from "../../Command.js"
import { textSetting } from "../../config/merge.js"
import { type Problem, problem, problemOf, usage } from "../../errors.js"
import { finish, watchRun } from "../../follow.js"
import type { Launch } from "../../launch.js"
import { limitsOf } from "../../limits.js"
import { renderDecision } from "../../output/human/decision.js"
import { renderEvent } from "../../output/human/event.js"
import { line } from "../../output/human/safe.js"
import { renderBlocked, renderLoopEnd } from "../../output/human/task.js"
import { Refusal } from "../../Refusal.js"
import { consentQuestion, consentsOf } from "../../resumeRequest.js"
import { Signals, type StopSignal, signalExitCode } from "../../signals.js"
import { configuredRevert, defaultsOf } from "../../tasks/plan.js"
import { providerOf } from "../run.js"

export const one: Command = (invocation, io) => start(invocation, io, "one")
export const loop: Command = (invocation, io) => start(invocation, io, "loop")
/** The same as `loop --resume --max-tasks all`. */
export const resume: Command = (invocation, io) => start(invocation, io, "resume")

type Kind = "one" | "loop" | "resume"

const start = (invocation: Invocation, io: Setting["io"], kind: Kind): Promise<number> =>
  withApp(invocation, io, { open: "reconcile" }, (setting) => taskRun(invocation, setting, kind, null))

/** `launch`: this process was started by another, which is told of the first run, or why there is none. */
export const taskRun = (invocation: Invocation, setting: Setting, kind: Kind, launch: Launch | null): Step<number> =>
  Effect.gen(function* () {
    const runs = yield* TaskRuns.TaskRuns
    const request = yield* requestOf(invocation, setting, kind)
    const state: Followed = { problem: null, signal: null }
    const context = yield* Effect.context<Effect.Effect.Context<Step<unknown>>>()
    const hands = yield* handsOf(invocation, setting, state, launch)
    const end = yield* runs.run(Scope.operator, request, {
      ...hands,
      provider: Effect.provide(hands.provider, context),
      follow: (live, decision) => Effect.provide(hands.follow(live, decision), context)
    })
    const exitCode = exitCodeOf(end, state)
    if (launch !== null && end.runs.length === 0) return yield* nothingStarted(end, exitCode)
    const here = inFolder(invocation)
    yield* tellEnd({ ...end, blocked: end.blocked === null ? null : here.blocked(end.blocked) }, exitCode, setting)
    return exitCode
  }).pipe(
    Effect.scoped,
    // The last line of a stream is its summary, whatever happened.
    Effect.onInterrupt(() => summaryOfInterruption(setting))
  )

const summaryOfInterruption = ({ output }: Setting): Effect.Effect<void, never, Signals> =>
  Effect.gen(function* () {
    const signal = yield* (yield* Signals).received
    if (output.json) {
      yield* Effect.promise(() =>
        output.document(Documents.refusalSummary(null, signal === null ? 130 : signalExitCode[signal]))
      )
    }
  })

// ---------------------------------------------------------------- what is asked for

/** The request that a command line makes; `config show` asks the same for its preview. */
export const requestOf = (
  { options }: Pick<Invocation, "options">,
  setting: Pick<Setting, "config" | "io">,
  kind: Kind
): Step<LoopRequest.LoopRequest> =>
  Effect.gen(function* () {
    const { config, io } = setting
    const named = options.text("id")
    const tasks = yield* Tasks.Tasks
    return {
      cwd: resolve(io.cwd, options.text("cd") ?? "."),
      agent: options.text("agent") ?? textSetting(config, "run.agent") ?? "default",
      kind: kind === "one" ? "one" : "loop",
      taskId: named === null ? null : (yield* tasks.find(named)).id,
      maxTasks: kind === "loop" ? yield* maxTasksOf(options.text("maxTasks")) : null,
      resume: kind === "resume" || options.flag("resume") ? "yes" : options.refused("resume") ? "no" : "ask",
      consents: consentsOf(options),
      onLostSession:
        (options.text("onLostSession") ?? textSetting(config, "task.on_lost_session")) === "fresh" ? "fresh" : "refuse",
      stopOnFailure: options.flag("stopOnFailure"),
      continueAtReset: options.flag("continueAtReset"),
      revert: (options.text("revert") as LoopRequest.RevertMode | null) ?? configuredRevert(config),
      defaults: yield* defaultsOf(options, config),
      limits: limitsOf(setting as Setting, { options } as Invocation)
    }
  })

/** A number from 1 up, or `all`. */
const maxTasksOf = (text: string | null): Effect.Effect<number | null, Refusal> => {
  if (text === null || text.toLowerCase() === "all") return Effect.succeed(null)
  return /^[1-9]\d{0,8}$/.test(text)
    ? Effect.succeed(Number(text))
    : Effect.fail(new Refusal({ problem: usage(`--max-tasks is a number from 1 up, or all; not "${text}"`) }))
}

// ---------------------------------------------------------------- what is lent to the loop

interface Followed {
  problem: Problem | null
  signal: StopSignal | null
}

/** Why a launched task run began no run; a decision was told already. */
const nothingStarted = ({ blocked }: LoopRequest.LoopEnd, exitCode: number): Effect.Effect<never, Refusal> =>
  Effect.fail(
    new Refusal({
      problem: problem(
        exitCode || 3,
        blocked?.reason ?? "no_task",
        blocked?.message ?? "there is no task to do in this folder",
        { detail: blocked?.detail ?? null }
      )
    })
  )

const handsOf = (invocation: Invocation, setting: Setting, state: Followed, launch: Launch | null) =>
  Effect.gen(function* () {
    const { output } = setting
    const { redact } = yield* Redactor.Redactor
    const words = { ...output, redact }
    const here = inFolder(invocation)
    return {
      ask: output.interactive ? asking(setting, here) : null,
      gateGaveUp: output.interactive ? whatNow(setting) : null,
      provider: providerOf(invocation, setting),
      follow: (
        live: Parameters<LoopRequest.LoopHands<never>["follow"]>[0],
        decision: LoopRequest.LoopEnd["decision"]
      ) =>
        Effect.gen(function* () {
          if (launch !== null) yield* launch.started(live)
          const followed = yield* watchRun(live, decision, output)
          if (followed._tag === "Lost") {
            state.problem = problemOf(followed.failure)
            yield* Effect.promise(() => output.problem(problemOf(followed.failure)))
          } else if (!output.json) yield* finish(followed, output)
          state.signal = followed.signal
          return {
            checkpoint: followed._tag === "Ended" ? followed.checkpoint : null,
            signalled: followed.signal !== null
          }
        }),
      tell: (event: LoopRequest.LoopEvent) =>
        Effect.promise(async () => {
          if (output.json) return output.document(lineOf(here.event(event)))
          // Said once more, and better, at the end.
          if (event.kind === "blocked") return
          const text = renderEvent(event as Parameters<typeof renderEvent>[0], words)
          if (text !== null && text !== "") await output.text(text)
        }),
      decided: (decided: Decision.Decision) => {
        const decision = here.decision(decided)
        if (launch !== null && decision.status === "refusing_to_resume") return launch.refused(decision)
        return Effect.promise(() => {
          if (output.json) return output.document(Documents.decisionLine(decision))
          return decision.status === "refusing_to_resume"
            ? output.words(renderDecision(decision, { ...output, paint: output.errPaint }))
            : output.text(renderDecision(decision, output))
        })
      }
    }
  })

/** Commands that go on in the folder that was named, wherever they are typed. */
const inFolder = ({ options }: Pick<Invocation, "options">) => {
  const folder = options.text("cd")
  const there = <Step extends { readonly argv: ReadonlyArray<string> }>(step: Step): Step =>
    folder === null || step.argv[0] !== "task" || step.argv[1] !== "run"
      ? step
      : { ...step, argv: [...step.argv, "--cd", folder] }
  return {
    blocked: (blocked: Blocked.Blocked): Blocked.Blocked => ({ ...blocked, next: blocked.next.map(there) }),
    decision: (decision: Decision.Decision): Decision.Decision => ({
      ...decision,
      alternatives: decision.alternatives.map(there)
    }),
    event: (event: LoopRequest.LoopEvent): LoopRequest.LoopEvent => {
      const { next } = event.payload as { readonly next?: ReadonlyArray<Blocked.NextStep> }
      return next === undefined ? event : { ...event, payload: { ...event.payload, next: next.map(there) } }
    }
  }
}

const lineOf = (event: LoopRequest.LoopEvent): object => ({
  kind: event.kind,
  version: 1,
  seq: event.seq,
  timestamp: new Date(event.timestamp).toISOString(),
  checkpoint_id: event.checkpointId,
  task_id: event.taskId,
  phase: event.phase,
  message: event.message,
  payload: event.payload
})

/** Asks for the yes that a decision lacks. A saved session simply goes on; everything else is no unless it is said. */
const asking =
  ({ output }: Setting, here: ReturnType<typeof inFolder>): NonNullable<LoopRequest.LoopHands<never>["ask"]> =>
  (decision) =>
    Effect.gen(function* () {
      yield* Effect.promise(() => output.text(renderDecision(here.decision(decision), output)))
      const [consent] = decision.requires
      if (consent !== undefined) return yield* confirm(consentQuestion[consent], false)
      if (output.yes) return true
      return yield* confirm(`Go on with the saved session of ${decision.taskId ?? decision.checkpointId}?`, true)
    })

/** What is to become of the work when the check was given up. */
const whatNow =
  ({ output }: Setting): NonNullable<LoopRequest.LoopHands<never>["gateGaveUp"]> =>
  ({ failures, result }) =>
    Effect.gen(function* () {
      yield* Effect.promise(() =>
        output.text(`The check failed ${failures} times.\n${line(result.excerpt.split("\n").at(-1) ?? "")}`)
      )
      const answer = (yield* ask("Keep the work, revert it (it is saved as a branch), or go on with a hint? [K/r/g]"))
        .toLowerCase()
        .trim()
      if (answer === "r" || answer === "revert") return "revert"
      if (answer !== "g" && answer !== "go on") return "keep"
      const hint = yield* ask("What should the agent try?")
      return hint === "" ? ("keep" as TaskSequel.GateAnswer) : { goOn: hint }
    })

// ---------------------------------------------------------------- how it came out

const exitCodeOf = (end: LoopRequest.LoopEnd, { problem, signal }: Followed): number => {
  if (signal !== null) {
    const last = end.runs.at(-1)
    return last === undefined ? signalExitCode[signal] : ExitCodes.exitCodeOfRun(last, signal) || signalExitCode[signal]
  }
  switch (end.outcome) {
    case "refused":
      return end.decision === null ? 1 : ExitCodes.exitCodeOfDecision(end.decision)
    case "blocked":
      return end.blocked?.exitCode ?? 1
    case "unknown":
      return problem?.exitCode ?? 1
    default:
      return Math.max(0, ...LoopRequest.latestRuns(end.runs).map((run) => ExitCodes.exitCodeOfRun(run, null)))
  }
}

const tellEnd = (end: LoopRequest.LoopEnd, exitCode: number, { output }: Setting): Effect.Effect<void> =>
  Effect.promise(async () => {
    if (output.json) return output.document(summaryOf(end, exitCode))
    const text = renderLoopEnd(end)
    if (text !== "") await output.text(text)
    if (end.blocked !== null) await output.words(renderBlocked(end.blocked, { ...output, paint: output.errPaint }))
  })

/** The summary of the last run, with the figures of all of them, and what became of the loop. */
const summaryOf = (end: LoopRequest.LoopEnd, exitCode: number): object => {
  const last = end.runs.at(-1)
  const ended = end.outcome !== "unknown"
  const base =
    last === undefined || end.outcome === "refused"
      ? Documents.refusalSummary(end.outcome === "refused" ? end.decision : null, exitCode)
      : Documents.runSummary({ checkpoint: last, ended, exitCode })
  const costs = end.runs.flatMap(({ progress }) => (progress.usage.costUsd === null ? [] : [progress.usage.costUsd]))
  const sum = (of: (run: (typeof end.runs)[number]) => number): number =>
    end.runs.reduce((all, run) => all + of(run), 0)
  return {
    ...base,
    ...(last === undefined
      ? {}
      : {
          usage: {
            input_tokens: sum(({ progress }) => progress.usage.inputTokens),
            output_tokens: sum(({ progress }) => progress.usage.outputTokens),
            cost_usd: costs.length === 0 ? null : costs.reduce((all, cost) => all + cost, 0)
          },
          denied: sum(({ progress }) => progress.denied),
          elapsed_ms: sum(({ progress }) => progress.elapsedMs)
        }),
    outcome: end.outcome,
    loop:
      end.loop === null
        ? null
        : {
            id: end.loop.id,
            max_tasks: end.loop.maxTasks,
            tasks_completed: end.loop.tasksCompleted,
            iterations_planned: end.loop.iterationsPlanned,
            iterations_completed: end.loop.iterationsCompleted
          },
    blocked:
      end.blocked === null
        ? null
        : {
            reason: end.blocked.reason,
            message: end.blocked.message,
            detail: end.blocked.detail,
            task_id: end.blocked.taskId,
            checkpoint_id: end.blocked.checkpointId,
            next: end.blocked.next.map(({ argv, title }) => ({ title, argv }))
          }
  }
}
