/** `alluka resume`: says what a resume would do, asks where that needs a yes, and goes on. */
import { Checkpoints, type Decision, Documents, ExitCodes, type Facts, Resume, Scope, WaitForReset } from "@alluka/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type Setting, type Step, withApp } from "../app.js"
import { confirm } from "../ask.js"
import type { Command, Invocation } from "../Command.js"
import { followWithResets, waitForReset } from "../continueAtReset.js"
import { problem, usage } from "../errors.js"
import { type Followed, finish, watchRun } from "../follow.js"
import { findRun, sayLatest } from "../ids.js"
import type { Launch } from "../launch.js"
import { launchDetached } from "../launcher.js"
import { limitsOf } from "../limits.js"
import { renderDecision } from "../output/human/decision.js"
import { promptText } from "../prompt.js"
import { Refusal } from "../Refusal.js"
import { refuse } from "../refuse.js"
import { resumeAllSafe } from "../resumeAllSafe.js"
import { consentQuestion, flagsOf, resumeRequestOf } from "../resumeRequest.js"
import { answerLaunch } from "../started.js"

export const resume: Command = (invocation, io) =>
  withApp(invocation, io, { open: readsOnly(invocation) ? "inspect" : "reconcile" }, (setting) =>
    invocation.options.flag("allSafe") ? resumeAllSafe(invocation, setting) : resumeCommand(invocation, setting, null)
  )

/** A preview changes nothing. */
const readsOnly = ({ options }: Invocation): boolean => options.flag("preview") || options.flag("dryRun")

export const resumeCommand = (invocation: Invocation, setting: Setting, launch: Launch | null): Step<number> =>
  Effect.gen(function* () {
    const { options } = invocation
    const { io, output } = setting
    const service = yield* Resume.Resume
    const typed = invocation.args[0]
    if (typed === undefined) {
      return yield* new Refusal({
        problem: usage("which run? Name it by its id, the beginning of its id, or `latest`", [
          { argv: ["runs", "list", "--resumable"], why: "lists those that can go on" }
        ])
      })
    }
    const instruction = launch?.prompt ?? (yield* promptText({ argument: null, flag: options.text("prompt") }))
    const request = resumeRequestOf(options, io.cwd, instruction)
    const id = yield* namedRun(typed, setting)
    if (readsOnly(invocation)) return yield* preview(id, request, setting)

    const consented = output.interactive ? yield* askConsents(id, request, setting) : request
    if (consented === null) return refusedByPerson
    if (options.flag("detach") && launch === null) {
      return yield* answerLaunch(yield* launchDetached(io, [...io.argv, ...flagsOf(consented)], instruction), setting)
    }
    const limits = limitsOf(setting, invocation)
    const waits = options.flag("continueAtReset")
    if (waits) yield* waitIfLimited(id, consented, setting, launch)
    const resumed = yield* service.execute(Scope.operator, id, {
      request: consented,
      limits,
      ...(launch === null ? {} : { id: launch.id })
    })
    if (resumed._tag === "Refused") return yield* refuse(resumed.decision, setting, launch)
    if (launch !== null) yield* launch.started(resumed.run)
    if (waits) {
      const request = { ...consented, instruction: null }
      return yield* followWithResets(resumed.run, resumed.decision, { setting, limits, request })
    }
    const followed = yield* watchRun(resumed.run, resumed.decision, output)
    if (!isLoss(followed)) return yield* finish(followed, output)
    return yield* afterLoss(followed, id, { request: consented, limits }, setting)
  }).pipe(Effect.scoped)

/** Whether the provider answered that it does not have the conversation that was to go on. */
const isLoss = (followed: Followed): boolean =>
  followed._tag === "Ended" && followed.checkpoint.reason?.code === "provider_session_missing"

/**
 * The loss was learned only from the provider: the decision is made again with it, and a fresh start happens only after a
 * yes. The attempt that was turned away keeps its own end.
 */
const afterLoss = (followed: Followed, id: string, options: Resume.ResumeOptions, { output }: Setting) =>
  Effect.gen(function* () {
    const service = yield* Resume.Resume
    const decision = yield* service.afterLoss(Scope.operator, id, options.request)
    const exitCode = yield* finish(followed, output, { decision, exitCode: ExitCodes.exitCodeOfDecision(decision) })
    if (!output.interactive || !decision.requires.includes("fresh")) return exitCode
    if (!(yield* confirm(consentQuestion.fresh, false))) return exitCode
    const request = { ...options.request, consents: new Set([...options.request.consents, "fresh" as const]) }
    const again = yield* service.execute(Scope.operator, id, { ...options, request, lost: true })
    if (again._tag === "Refused") return yield* refuse(again.decision, { output }, null)
    return yield* finish(yield* watchRun(again.run, again.decision, output), output)
  })

/** A person said no to what the resume needed. */
export const refusedByPerson = 5

const preview = (id: string, request: Facts.ResumeRequest, { output }: Setting) =>
  Effect.gen(function* () {
    const service = yield* Resume.Resume
    const decision = yield* service.preview(Scope.operator, id, request)
    yield* Effect.promise(async () => {
      if (output.json) return output.document(Documents.resumePreview(decision))
      await output.text(renderDecision(decision, output))
      if (decision.status === "refusing_to_resume") {
        await output.words(`${output.program}: a resume would start nothing (${decision.reason})`)
      }
    })
    return ExitCodes.exitCodeOfDecision(decision)
  })

/**
 * The id of the run that is meant. A text that fits nothing goes on as it is: the decision says so. `latest` is the newest
 * run that can go on.
 */
export const namedRun = (typed: string, { output }: Setting): Step<string> =>
  typed.trim().toLowerCase() === "latest"
    ? newestEligible(output)
    : findRun(typed, output).pipe(
        Effect.map(({ id }): string => id),
        Effect.catchTags({
          CheckpointNotFound: () => Effect.succeed(typed),
          RecordCorrupt: () => Effect.succeed(typed)
        })
      )

const newestEligible = (output: Setting["output"]) =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints.Checkpoints
    const page = yield* checkpoints.list(Scope.operator, {
      ...Checkpoints.everything,
      states: ["interrupted", "failed"],
      resumable: true,
      limit: 1
    })
    const [newest] = page.items
    if (newest === undefined) {
      return yield* new Refusal({
        problem: problem(
          3,
          "checkpoint_not_found",
          "no run was interrupted or has failed, so there is none to go on with",
          {
            hints: [{ argv: ["runs", "list"], why: "shows how they ended" }]
          }
        )
      })
    }
    yield* sayLatest(newest, output)
    return newest.id
  })

/** Asks for each consent that the decision lacks, until it starts or cannot be helped; `null`: the person said no. */
export const askConsents = (
  id: string,
  request: Facts.ResumeRequest,
  { output }: Setting
): Step<Facts.ResumeRequest | null> =>
  Effect.gen(function* () {
    const service = yield* Resume.Resume
    let asked = request
    // Each round adds a consent, and there are eight of them.
    for (let round = 0; round < 8; round++) {
      const decision: Decision.Decision = yield* service.preview(Scope.operator, id, asked)
      const [missing] = decision.requires
      if (decision.status !== "refusing_to_resume" || missing === undefined) return asked
      yield* Effect.promise(() => output.text(renderDecision(decision, output)))
      if (!(yield* confirm(consentQuestion[missing], false))) return null
      asked = { ...asked, consents: new Set([...asked.consents, missing]) }
    }
    return asked
  })

/** `--continue-at-reset` on a run that is at its limit still: the reset is waited for first. */
const waitIfLimited = (id: string, request: Facts.ResumeRequest, { output }: Setting, launch: Launch | null) =>
  Effect.gen(function* () {
    const service = yield* Resume.Resume
    const checkpoints = yield* Checkpoints.Checkpoints
    const decision = yield* service.preview(Scope.operator, id, request)
    if (decision.reason !== "usage_limit_not_reset") return
    const checkpoint = yield* checkpoints.find(Scope.operator, id)
    const until = WaitForReset.waitUntil(checkpoint, yield* Clock.currentTimeMillis)
    // Who launched this is answered now: the reset may be days away.
    if (launch !== null && until !== null) yield* launch.waiting(checkpoint.id, until)
    yield* waitForReset(checkpoint, output)
  })
