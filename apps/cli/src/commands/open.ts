/**
 * `alluka open`: takes a run's conversation over in the agent's own screen. The decision, the claim and the record are those
 * of a resume; the screen has the terminal until it is closed, and the run can then go on without it.
 */
import { Checkpoint, Decision, Resume, Scope } from "@alluka/core"
import * as Effect from "effect/Effect"
import { type Setting, type Step, withApp } from "../app.js"
import type { Command, Invocation } from "../Command.js"
import { problem, usage } from "../errors.js"
import { type Followed, finish } from "../follow.js"
import { namedProvider } from "../foundProvider.js"
import { findRun } from "../ids.js"
import { renderDecision } from "../output/human/decision.js"
import { Refusal } from "../Refusal.js"
import { refuse } from "../refuse.js"
import { resumeRequestOf } from "../resumeRequest.js"
import { Signals } from "../signals.js"
import { askConsents, namedRun, refusedByPerson } from "./resume.js"

export const open: Command = (invocation, io) =>
  withApp(invocation, io, { open: "reconcile" }, (setting) => takeOver(invocation, setting))

/** A screen is open for as long as a person wants. */
const noLimits = { timeoutMs: null, idleMs: 0 }

const takeOver = (invocation: Invocation, setting: Setting): Step<number> =>
  Effect.gen(function* () {
    const { io, output } = setting
    const service = yield* Resume.Resume
    if (!output.interactive) {
      return yield* new Refusal({
        problem: usage("an agent's own screen needs a terminal, and questions must be allowed", [
          { argv: ["resume", invocation.args[0] ?? "ID"], why: "goes on without a screen" }
        ])
      })
    }
    const request = resumeRequestOf(invocation.options, io.cwd, null)
    const id = yield* namedRun(invocation.args[0] ?? "", setting)
    yield* hasScreen(id, setting)
    const consented = yield* askConsents(id, request, setting)
    if (consented === null) return refusedByPerson
    // A fresh start has no conversation to take over.
    if (consented.consents.has("fresh")) return yield* nothingToOpen(id)
    const opened = yield* service.execute(Scope.operator, id, { request: consented, limits: noLimits, screen: true })
    if (opened._tag === "Refused") return yield* refuse(opened.decision, setting, null)
    yield* Effect.promise(() => output.words(renderDecision(opened.decision, { ...output, paint: output.errPaint })))

    const signals = yield* Signals
    // Ctrl-C is the screen's own affair: it reaches it, too.
    yield* signals.ignore("SIGINT")
    yield* signals.handle((signal) => opened.run.stop(signal === "SIGTERM" ? "shutdown" : "terminal_closed"))
    const outcome = yield* Effect.either(opened.run.outcome)
    const signal = yield* signals.received
    const followed: Followed =
      outcome._tag === "Right"
        ? { _tag: "Ended", checkpoint: outcome.right, signal }
        : { _tag: "Lost", checkpoint: opened.run.checkpoint, failure: outcome.left, signal }
    const code = yield* finish(followed, output)
    // To close the screen is how this command is done.
    return followed.checkpoint.reason?.code === "interactive_ended" ? 0 : code
  }).pipe(Effect.scoped)

/** Refuses early where the run's provider has no screen. A run that is not there is told of by the decision. */
const hasScreen = (id: string, { output }: Setting): Step<void> =>
  Effect.gen(function* () {
    const checkpoint = yield* findRun(id, output).pipe(
      Effect.catchTags({
        CheckpointNotFound: () => Effect.succeed(null),
        RecordCorrupt: () => Effect.succeed(null)
      })
    )
    if (checkpoint === null) return
    const known = yield* namedProvider(Checkpoint.currentPhase(checkpoint.progress).provider).pipe(
      Effect.catchTag("ProviderUnknown", () => Effect.succeed(null))
    )
    if (known === null || known.takeOver !== undefined) return
    return yield* new Refusal({
      problem: problem(2, "no_screen", `${known.title} has no screen of its own that could take a conversation over`, {
        hints: [{ argv: ["resume", checkpoint.id], why: "goes on without one" }]
      })
    })
  })

const nothingToOpen = (id: string): Step<never> =>
  Effect.fail(
    new Refusal({
      problem: problem(
        10,
        "fresh_start_requires_confirmation",
        "the conversation cannot go on, so there is none to open",
        {
          hints: [{ argv: ["resume", id, Decision.consentFlag.fresh], why: "starts a new one about the same task" }]
        }
      )
    })
  )
