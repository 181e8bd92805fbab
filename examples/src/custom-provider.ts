/**
 * Runs the notes agent inside a checkpoint, and says something more in the same conversation.
 *
 *   node examples/dist/custom-provider.js "water the garden" "and the balcony"
 */
import { BeginRun, Facts, HostProcesses, Provider, Resume, type Runs, Scope } from "@alluka/core"
import { ProcessProvider } from "@alluka/providers"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { notesAgent } from "./notes-provider.js"
import { services } from "./services.js"

const [task = "water the garden", more = "and the balcony"] = process.argv.slice(2)
const limits = { timeoutMs: null, idleMs: null }
const me = Scope.agent("notes")

const providers = Layer.effect(
  Provider.Providers,
  Effect.map(HostProcesses.HostProcesses, (host) => {
    const provider = ProcessProvider.makeProcessProvider(notesAgent, { env: process.env, host })
    return { all: [provider], find: (id) => (id === provider.id ? Option.some(provider) : Option.none()) }
  })
)

const watch = (run: Runs.LiveRun) =>
  Effect.gen(function* () {
    yield* Stream.runForEach(run.events, ({ kind, message }) => Effect.sync(() => console.log(`${kind}: ${message}`)))
    return yield* run.outcome
  })

const program = Effect.gen(function* () {
  const first = yield* BeginRun.beginRun(me, {
    ...{
      agent: "notes",
      provider: "notes",
      prompt: task,
      permission: "read",
      cwd: process.cwd(),
      origin: "api",
      limits
    },
    ...{ sessionId: null, key: null, labels: {}, title: null, providerArgs: [], model: null, thinking: null },
    ...{ addDirs: [], id: null }
  })
  const { sessionId } = yield* watch(first)
  const resume = yield* Resume.Resume
  const next = yield* resume.followUp(
    me,
    sessionId,
    { prompt: more, title: null, labels: {}, key: null },
    { request: Facts.plainRequest, limits }
  )
  console.log(next.decision.message)
  if (next._tag === "Started") yield* watch(next.run)
}).pipe(Effect.scoped, Effect.provide(services(providers)))

Effect.runPromise(program).catch((cause: unknown) => {
  console.error(cause)
  process.exitCode = 1
})
