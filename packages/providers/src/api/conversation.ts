/**
 * One run with a server: the prompt is stored, the conversation is sent, the answer is told as it comes and stored when it
 * is whole. What came of an answer that was cut off is stored too, marked as cut.
 */
import { type Failure, type Provider, RunEvent } from "@alluka/core"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Mailbox from "effect/Mailbox"
import type * as Scope from "effect/Scope"
import { failure } from "../failures.js"
import { ask } from "./client.js"
import { type Completion, faultOf, isAnswer, nothingYet } from "./completion.js"
import type { ApiConfig } from "./config.js"
import { classify, waitOf } from "./failures.js"
import { bodyOf, messagesOf } from "./messages.js"
import { makeReader, type Reader } from "./reader.js"
import { entryOf, openSession, type Session, store } from "./session.js"
import type { TranscriptFailed } from "./transcript.js"

type Event = RunEvent.RunEvent
const { RunEvent: event } = RunEvent

export interface Talk {
  readonly config: ApiConfig
  readonly request: Provider.StartRequest
  readonly redact: (text: string) => string
  /** Where new transcripts go. */
  readonly folder: string
  /** `null`: the server gets none. */
  readonly key: string | null
}

/** The run cannot go on; told as `Failed`. */
class Stopped extends Data.TaggedError("Stopped")<{ readonly failure: Failure.ProviderFailure }> {}

/** How often a request that failed before its answer began is made again. */
const retries = 3
/** A longer wait than this is not waited for, ms. */
const longestWaitMs = 60_000

/** Starts to talk; the scope's end, or `stop`, ends it. */
export const converse = (talk: Talk): Effect.Effect<Provider.RunningProvider, never, Scope.Scope> =>
  Effect.gen(function* () {
    // Unbounded: what waits is a part of one answer, and that is bounded.
    const told = yield* Mailbox.make<Event>()
    const tell = (...events: ReadonlyArray<Event>): Effect.Effect<void> => Effect.asVoid(told.offerAll(events))
    const fiber = yield* turn(talk, tell).pipe(
      Effect.catchTags({
        Stopped: (stopped) => Effect.as(tell(event.Failed({ failure: stopped.failure })), false),
        NoSuchTranscript: ({ message }) =>
          Effect.as(
            tell(
              event.Failed({
                failure: failure("provider_session_missing", message, { lostSession: "no_such_session" })
              })
            ),
            false
          ),
        TranscriptDamaged: ({ message }) => Effect.as(tell(broken(message)), false),
        TranscriptFailed: ({ message }) => Effect.as(tell(broken(message)), false)
      }),
      Effect.onExit((exit) => {
        const code = Exit.isSuccess(exit) && exit.value ? 0 : 1
        return Effect.zipRight(tell(event.Exited({ exit: { code, signal: null }, stderrTail: "" })), told.end)
      }),
      Effect.forkScoped
    )
    return { events: Mailbox.toStream(told), stop: () => Effect.asVoid(Fiber.interrupt(fiber)) }
  })

const broken = (message: string): Event => event.Failed({ failure: failure("provider_error", message) })

/** Whether the turn succeeded. */
const turn = (talk: Talk, tell: (...events: ReadonlyArray<Event>) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const { config, redact, request } = talk
    const model = request.model ?? config.model
    if (model === null) {
      return yield* new Stopped({
        failure: failure("invalid_request", "no model was named: use --model, or set one for the provider")
      })
    }
    const session = yield* openSession(request, talk.folder)
    yield* tell(
      event.SessionNamed({ id: session.id, location: session.folder, confirms: true }),
      ...session.notices.map((text) => event.Notice({ text })),
      event.SettingsReported({ model, thinking: request.thinking, permission: "no tools" })
    )
    const prompt = entryOf("user", request.prompt, redact)
    const last = session.entries.at(-1)
    // A prompt that was stored and never answered is not said twice.
    const asked = last?.role === "user" && last.content === prompt.content
    const before = asked ? session.entries.slice(0, -1) : session.entries
    if (!asked) yield* store(session, before.length + 1, prompt)
    yield* tell(event.TurnStarted())

    const clock = yield* Effect.clock
    // Called from the stream's callbacks.
    const say = (...events: ReadonlyArray<Event>): void => Effect.runSync(tell(...events))
    const reader = makeReader(() => clock.unsafeCurrentTimeMillis(), say)
    const messages = messagesOf(config.instructions, [...before, { role: "user", content: request.prompt }])
    const keep = (cut: boolean) => keepAnswer(session, before.length + 2, reader.completion(), redact, cut)

    yield* askPatiently(talk, model, messages, reader, tell).pipe(
      Effect.tapError(() => Effect.zipRight(tell(...reader.rest()), quietly(keep(true), tell))),
      Effect.onInterrupt(() => Effect.zipRight(tell(...reader.rest()), quietly(keep(true), tell)))
    )
    const completion = reader.completion()
    const fault = faultOf(completion)
    yield* tell(...reader.rest())
    yield* keep(fault !== null)
    if (completion.usage !== null) yield* tell(event.UsageReported({ usage: completion.usage, cumulative: false }))
    if (fault !== null) return yield* new Stopped({ failure: fault })
    if (!isAnswer(completion)) return false
    yield* tell(event.Succeeded({ text: completion.text }))
    return true
  })

/** Stores what there is of an answer. */
const keepAnswer = (
  session: Session,
  n: number,
  { text }: Completion,
  redact: (text: string) => string,
  cut: boolean
): Effect.Effect<void, TranscriptFailed> =>
  text.trim() === "" ? Effect.void : store(session, n, entryOf("assistant", text, redact, cut))

/** Where the run has failed already, a failure to store its last words is only told. */
const quietly = (
  work: Effect.Effect<void, TranscriptFailed>,
  tell: (...events: ReadonlyArray<Event>) => Effect.Effect<void>
): Effect.Effect<void> => Effect.catchAll(work, ({ message }) => tell(event.Notice({ text: message })))

// ---------------------------------------------------------------- the request

/** Asks; a request that failed before its answer began, for a reason that passes, is made again. */
const askPatiently = (
  { config, key, request }: Talk,
  model: string,
  messages: ReturnType<typeof messagesOf>,
  reader: Reader,
  tell: (...events: ReadonlyArray<Event>) => Effect.Effect<void>
): Effect.Effect<void, Stopped> => {
  const attempt = (left: number, usage: boolean): Effect.Effect<void, Stopped> =>
    ask({
      baseUrl: config.baseUrl,
      key,
      body: bodyOf({ model, thinking: request.thinking, messages, usage }),
      onPiece: reader.take,
      onSign: reader.sign
    }).pipe(
      Effect.catchTag("ServerFault", (fault) =>
        Effect.gen(function* () {
          if (usage && (fault.status === 400 || fault.status === 422) && /stream_options/.test(fault.message)) {
            return yield* attempt(left, false)
          }
          const now = yield* Clock.currentTimeMillis
          const failed = classify({ ...fault, message: fault.message, baseUrl: config.baseUrl, now })
          const passes = failed.code === "network_lost" || failed.code === "provider_overloaded"
          const wait = waitOf(fault.retryAfter, now) ?? 1000 * 2 ** (retries - left)
          if (!passes || left === 0 || wait > longestWaitMs || reader.completion() !== nothingYet) {
            return yield* new Stopped({ failure: failed })
          }
          yield* tell(
            event.Retrying({
              text: `${failed.text}: attempt ${retries - left + 2} of ${retries + 1}`,
              until: now + wait
            })
          )
          yield* Effect.sleep(wait)
          return yield* attempt(left - 1, usage)
        })
      )
    )
  return attempt(retries, true)
}
