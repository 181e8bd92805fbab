/** Our own store, as an app uses it: through the public `Checkpoints` service. */
import { Checkpoints, Ids, Recovery, Redactor, RunSpec, Scope } from "@alluka/core"
import { layer } from "@alluka/store"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { reasonOf } from "../../support/draft.mjs"
import { moment, progressCommits, said } from "./work.mjs"

/** The services that an app builds on, over the store of a data folder. */
export const services = (home) =>
  Checkpoints.layer.pipe(
    Layer.provideMerge(Recovery.layer),
    Layer.provideMerge(layer({ home })),
    Layer.provideMerge(Ids.layer),
    Layer.provideMerge(Layer.succeed(Redactor.Redactor, { redact: Redactor.fromEnvironment({}).redact }))
  )

/** A run as an app asks for it. */
export const spec = {
  agent: "default",
  sessionId: null,
  taskId: null,
  key: null,
  labels: {},
  title: "Fix the login form",
  origin: "api",
  prompt: "Fix the login form. Keep the change small, run the tests, and say what you did and why.",
  instruction: null,
  provider: "claude",
  providerArgs: [],
  permission: "edit",
  addDirs: [],
  workspace: { cwd: "/nowhere", realPath: "/nowhere", gitHead: null, gitBranch: null },
  phases: [
    { name: "run", provider: "claude", model: "large", thinking: null, providerSession: null, cumulativeUsage: null }
  ],
  phase: 0,
  loop: null,
  knownDamage: 0,
  lineage: RunSpec.root
}

const reason = reasonOf({ code: "owner_lost", message: "the process of this run is gone" })

/** An event of progress. */
export const told = (message) => ({ kind: "message", timestamp: Date.now(), phase: 0, message, payload: {} })

/** The same as `doRuns`, as an effect: what an app does in its own loop. */
const runs = (count) =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints.Checkpoints
    const progressMs = []
    const begun = moment()
    for (let index = 0; index < count; index += 1) {
      const owned = yield* checkpoints.start(Scope.operator, spec)
      const { progress } = owned.checkpoint
      const at = (turn) => ({ ...progress, position: { ...progress.position, turn, lastActivityAt: Date.now() } })
      for (let step = 1; step <= progressCommits; step += 1) {
        const before = moment()
        yield* owned.advance({ progress: at(step), events: [told(said(step))], durability: "normal", confirmed: false })
        progressMs.push(moment() - before)
      }
      yield* owned.end({ state: "completed", reason: null, progress: at(progressCommits), events: [] })
    }
    return { runMs: (moment() - begun) / count, progressMs }
  })

/** Runs that ended in the middle. */
const interrupted = (count) =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints.Checkpoints
    for (let index = 0; index < count; index += 1) {
      const owned = yield* checkpoints.start(Scope.operator, spec)
      yield* owned.end({ state: "interrupted", reason, progress: owned.checkpoint.progress, events: [] })
    }
  })

export const openOurs = (home) => {
  const runtime = ManagedRuntime.make(services(home))
  return {
    doRuns: (count) => runtime.runPromise(runs(count)),
    interrupt: (count) => runtime.runPromise(interrupted(count)),
    close: () => runtime.dispose()
  }
}
