/**
 * `alluka providers test ID`: a tiny conversation in a temporary folder, gone on with by the ordinary services, and what
 * of it really held. Two short requests to the provider's model.
 */
import { randomBytes } from "node:crypto"
import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { BeginRun, Checkpoints, Documents, ExitCodes, Facts, Resume, type Runs, Scope, type State } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Setting, type Step, withApp } from "../app.js"
import type { Command, Invocation } from "../Command.js"
import { lookAt, namedProvider } from "../foundProvider.js"
import { limitsOf } from "../limits.js"
import { renderProviderTest } from "../output/human/providers.js"
import { checksOf, prompts, type Trial } from "../providerTrial.js"
import { Signals } from "../signals.js"

/** How long each of the two runs may take where nothing else is said, ms. */
const usualTimeoutMs = 180_000

export const providersTest: Command = (invocation, io) =>
  withApp(invocation, io, { open: "reconcile" }, (setting) => test(invocation, setting))

const test = (invocation: Invocation, setting: Setting): Step<number> =>
  Effect.gen(function* () {
    const { output } = setting
    const provider = yield* namedProvider(invocation.args[0] ?? "")
    if (provider.id !== "demo") {
      yield* Effect.promise(() => output.note(`${provider.title} makes two short requests to its model.`))
    }
    const trial = yield* tried(provider.id, invocation, setting)
    const { version } = yield* lookAt(provider, { auth: false })
    const checks = checksOf(trial)
    const runs = [trial.first, ...(trial.second === null ? [] : [trial.second])]
    const report = Documents.providerTestDocument(
      { provider, version },
      checks,
      runs.map(({ id }) => id)
    )
    // What went well is no news for a list of runs; it can still be looked at.
    if (report.ok) {
      const checkpoints = yield* Checkpoints.Checkpoints
      yield* Effect.forEach(runs, ({ id }) => checkpoints.dismiss(Scope.operator, id))
    }
    yield* Effect.promise(() =>
      output.json ? output.document(report) : output.text(renderProviderTest(report, provider, output))
    )
    const failed = runs.find(({ state }) => state !== "completed")
    if (failed !== undefined) {
      const signals = yield* Signals
      return ExitCodes.exitCodeOfRun(failed, yield* signals.received)
    }
    return report.ok ? 0 : 1
  }).pipe(Effect.scoped)

/** The conversation: a word to remember, and the question for it. */
const tried = (id: string, invocation: Invocation, setting: Setting) =>
  Effect.gen(function* () {
    const { options } = invocation
    const resume = yield* Resume.Resume
    const provider = yield* namedProvider(id)
    const { capabilities } = provider
    const asked = limitsOf(setting, invocation)
    const limits = { ...asked, timeoutMs: asked.timeoutMs ?? usualTimeoutMs }
    const cwd = yield* temporaryFolder
    const word = `alluka-${randomBytes(3).toString("hex")}`
    const shared = { key: null, labels: { test: "provider" }, title: `providers test: ${id}` }
    const able = (["read", "edit", "full"] as const).find((level) => capabilities.permissions[level] !== null)
    const begun = yield* BeginRun.beginRun(Scope.operator, {
      ...shared,
      agent: "default",
      sessionId: null,
      origin: "automation",
      prompt: prompts.begin(word),
      provider: id,
      providerArgs: invocation.passThrough,
      model: options.text("model"),
      thinking: options.text("thinking"),
      permission: (options.text("permission") as State.Permission | null) ?? able ?? "read",
      addDirs: [],
      cwd,
      limits,
      id: null
    })
    const { checkpoint: first } = yield* toItsEnd(begun)
    const nothing: Trial = { capabilities, first, second: null, decision: null, word, answer: "" }
    if (first.state !== "completed" || capabilities.continuation === "none") return nothing
    const gone = yield* resume.followUp(
      Scope.operator,
      first.sessionId,
      { ...shared, prompt: prompts.goOn },
      { request: { ...Facts.plainRequest, scope: "continue_session" }, limits }
    )
    if (gone._tag === "Refused") return { ...nothing, decision: gone.decision }
    const { answer, checkpoint: second } = yield* toItsEnd(gone.run)
    return { ...nothing, second, decision: gone.decision, answer }
  })

/** Waits for a run's end; with what the agent said last. A signal ends it. */
const toItsEnd = (live: Runs.LiveRun) =>
  Effect.gen(function* () {
    const signals = yield* Signals
    yield* signals.handle(() => live.stop("interrupt"))
    let answer = ""
    yield* Stream.runForEach(live.events, ({ kind, payload }) =>
      Effect.sync(() => {
        if (kind === "message" && payload.role === "assistant" && typeof payload.text === "string")
          answer = payload.text
      })
    )
    return { checkpoint: yield* live.outcome, answer }
  }).pipe(Effect.scoped)

const temporaryFolder = Effect.acquireRelease(
  Effect.promise(async () => realpath(await mkdtemp(join(tmpdir(), "alluka-provider-test-")))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)
