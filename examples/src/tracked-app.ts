/**
 * An app with an agent loop of its own. Every run leaves a checkpoint; one that was killed goes on at the step where it
 * stopped.
 *
 *   node examples/dist/tracked-app.js start     kill it in the middle, even with kill -9
 *   node examples/dist/tracked-app.js resume    goes on with the newest run that can
 *
 * The loop keeps its own state, saved after each step under the key of its conversation: the id of the first checkpoint.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { AppProvider, Checkpoints, Facts, Recovery, Resume, Scope, Track } from "@alluka/core"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { home, only, services } from "./services.js"

const app = "counter"
const steps = 10

const fileOf = (key: string): string => join(home, app, `${key}.json`)

const saved = (key: string): number => {
  try {
    return Number(JSON.parse(readFileSync(fileOf(key), "utf8")))
  } catch {
    return 0
  }
}

/** The agent: says a number at each step, and saves how far it came. */
const count = <E>(key: string, say: (text: string) => Effect.Effect<void, E>) =>
  Effect.gen(function* () {
    mkdirSync(join(home, app), { recursive: true })
    for (let step = saved(key) + 1; step <= steps; step++) {
      yield* Effect.sleep(Number(process.env.STEP_MS ?? 500))
      writeFileSync(fileOf(key), JSON.stringify(step))
      yield* say(`step ${step} of ${steps}`)
      console.log(`step ${step} of ${steps}`)
    }
  })

const start = Track.track(
  Scope.agent(app),
  { app, agent: app, title: "Count to ten", prompt: "count to ten", cwd: process.cwd() },
  ({ checkpoint, message }) => count(checkpoint.id, message)
)

const resume = Effect.gen(function* () {
  const checkpoints = yield* Checkpoints.Checkpoints
  const resumes = yield* Resume.Resume
  const { items } = yield* checkpoints.list(Scope.agent(app), { ...Checkpoints.everything, resumable: true, limit: 1 })
  const source = items[0]
  if (source === undefined) return console.log("Nothing was interrupted.")
  const resumed = yield* resumes.execute(Scope.agent(app), source.id, {
    request: Facts.plainRequest,
    limits: { timeoutMs: null, idleMs: null }
  })
  console.log(resumed.decision.message)
  if (resumed._tag === "Started") console.log((yield* resumed.run.outcome).state)
}).pipe(Effect.scoped)

const counter = AppProvider.appProvider({ app, resume: ({ key }, { message }) => count(key, message) })

const program = Effect.gen(function* () {
  // Runs whose process died are found here, and end as interrupted.
  const recovery = yield* Recovery.Recovery
  yield* recovery.reconcile
  yield* process.argv[2] === "resume" ? resume : start
}).pipe(Effect.provide(services(only(counter))))

const main = Effect.runFork(program)
process.once("SIGINT", () => Effect.runFork(Fiber.interrupt(main)))
main.addObserver((exit) => {
  if (exit._tag === "Failure" && process.exitCode === undefined) process.exitCode = 1
})
