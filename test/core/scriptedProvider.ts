/** A provider without a program: a test plays its events, and sees how it was started and stopped. */
import { Provider, RunEvent } from "@alluka/core"
import { sampleCapabilities } from "@alluka/core/testing"
import * as Effect from "effect/Effect"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"

export interface Started {
  readonly request: Provider.StartRequest
  readonly say: (...events: ReadonlyArray<RunEvent.RunEvent>) => Effect.Effect<void>
  readonly stops: ReadonlyArray<Provider.StopCause>
}

export interface Scripted {
  readonly provider: Provider.Provider
  readonly providers: typeof Provider.Providers.Service
  /** Every start so far. */
  readonly started: ReadonlyArray<Started>
  /** The next start that has not been taken yet, waiting for it. */
  readonly next: Effect.Effect<Started>
}

export interface ScriptOptions {
  readonly capabilities?: Partial<typeof sampleCapabilities>
  readonly inspect?: Provider.SessionInspection
  /** What the provider does when it is told to stop; by default it ends, killed by SIGTERM. */
  readonly onStop?: (started: Started) => Effect.Effect<void>
  readonly chooses?: boolean
}

export const exited = (code: number | null, signal: string | null = null, stderrTail = "") =>
  RunEvent.RunEvent.Exited({ exit: { code, signal }, stderrTail })

export const named = (id: string) => RunEvent.RunEvent.SessionNamed({ id, location: null, confirms: true })

export const said = (text: string) => RunEvent.RunEvent.Message({ role: "assistant", id: null, text })

export const scripted = (options: ScriptOptions = {}): Scripted => {
  const started: Array<Started> = []
  let taken = 0
  const provider: Provider.Provider = {
    id: "claude",
    title: "Scripted",
    install: "It is always there.",
    capabilities: { ...sampleCapabilities, ...options.capabilities },
    detect: Effect.succeed(Provider.Availability.Installed({ command: "scripted", version: "1" })),
    auth: Effect.succeed("unknown"),
    sessionIdFor: (seed) => (options.chooses === false ? null : `id-of-${seed}`),
    isSessionId: (text) => !text.includes(" "),
    location: Effect.succeed(null),
    inspectSession: () =>
      Effect.succeed(
        options.inspect ?? { presence: "unknown", path: null, detail: null, lastRowAt: null, tailDamaged: false }
      ),
    start: (request) =>
      Effect.gen(function* () {
        const mailbox = yield* Mailbox.make<RunEvent.RunEvent>()
        const stops: Array<Provider.StopCause> = []
        const self: Started = {
          request,
          stops,
          say: (...events) =>
            Effect.gen(function* () {
              yield* mailbox.offerAll(events)
              if (events.some((event) => event._tag === "Exited")) yield* mailbox.end
            })
        }
        started.push(self)
        return {
          events: Mailbox.toStream(mailbox),
          stop: (cause) =>
            Effect.gen(function* () {
              stops.push(cause)
              yield* options.onStop === undefined ? self.say(exited(null, "SIGTERM")) : options.onStop(self)
            })
        }
      })
  }
  const next: Effect.Effect<Started> = Effect.suspend(() => {
    const found = started[taken]
    if (found === undefined) return Effect.zipRight(Effect.sleep(5), next)
    taken += 1
    return Effect.succeed(found)
  })
  return {
    provider,
    started,
    next,
    providers: { all: [provider], find: (id) => (id === provider.id ? Option.some(provider) : Option.none()) }
  }
}
