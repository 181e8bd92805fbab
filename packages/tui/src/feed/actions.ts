/** What the monitor does to runs: each is one of the program's commands, done through the same services. */
import { Checkpoints, Facts, Ids, OutputLog, Provider, Redactor, Resume, RunLauncher, Scope } from "@alluka/core"
import * as Schema from "@alluka/core/Schema"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { Ask } from "../model/Command.js"
import type { Message } from "../model/Message.js"
import type { RawLine } from "../model/Model.js"
import { redacted, toRaw } from "./read.js"

const operator = Scope.operator

const idsOf = (ids: ReadonlyArray<string>): ReadonlyArray<Ids.CheckpointId> =>
  ids.flatMap((id) => Option.toArray(Schema.decodeUnknownOption(Ids.CheckpointId)(id)))

const said = (text: string, tone: "good" | "bad" | "warn"): Message => ({ _tag: "Told", text, tone })

/** The request that a resume's command line with the same flags makes. */
export const requestOf = (ask: Ask): Facts.ResumeRequest => ({
  ...Facts.plainRequest,
  consents: new Set(ask.consents),
  fresh: ask.consents.includes("fresh"),
  instruction: ask.instruction,
  model: ask.model,
  cd: ask.cd
})

export const decide = (
  token: number,
  id: string,
  ask: Ask
): Effect.Effect<Message, never, Resume.Resume | Redactor.Redactor> =>
  Effect.gen(function* () {
    const resume = yield* Resume.Resume
    const { redact } = yield* Redactor.Redactor
    return yield* resume.preview(operator, id, requestOf(ask)).pipe(
      Effect.map((decision): Message => ({ _tag: "Decided", token, decision: redacted(decision, redact) })),
      Effect.catchAll((failure) =>
        Effect.succeed<Message>({ _tag: "DecideFailed", token, why: redact(failure.message) })
      )
    )
  })

export const launch = (
  argv: ReadonlyArray<string>,
  input: string | null,
  from: string | null,
  twin: string
): Effect.Effect<Message, never, RunLauncher.RunLauncher | Redactor.Redactor> =>
  Effect.gen(function* () {
    const launcher = yield* RunLauncher.RunLauncher
    const { redact } = yield* Redactor.Redactor
    return yield* launcher.launch(argv, input).pipe(
      Effect.map(
        (answer): Message => ({
          _tag: "Launched",
          from,
          twin,
          answer: answer._tag === "Refused" ? { ...answer, decision: redacted(answer.decision, redact) } : answer
        })
      ),
      Effect.catchAll((failure) =>
        Effect.succeed<Message>({ _tag: "LaunchFailed", from, why: redact(failure.message) })
      )
    )
  })

/** Resumes several, one after the other, each only if it can go on without anybody's word. */
export const launchMany = (
  ids: ReadonlyArray<string>,
  extra: ReadonlyArray<string>
): Effect.Effect<Message, never, RunLauncher.RunLauncher> =>
  Effect.gen(function* () {
    const launcher = yield* RunLauncher.RunLauncher
    const started: Array<string> = []
    const refused: Array<string> = []
    for (const id of ids) {
      const answer = yield* Effect.either(launcher.launch(["resume", id, ...extra], null))
      if (answer._tag === "Left") refused.push(`${id} (${answer.left.message})`)
      else if (answer.right._tag === "Refused") refused.push(`${id} (${answer.right.decision.reason})`)
      else started.push(answer.right.id)
    }
    return { _tag: "ManyLaunched", started, refused } satisfies Message
  })

export const cancel = (
  ids: ReadonlyArray<string>,
  twin: string
): Effect.Effect<Message, never, Checkpoints.Checkpoints> =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints.Checkpoints
    const results = yield* Effect.forEach(idsOf(ids), (id) =>
      Effect.either(checkpoints.cancel(operator, id, "monitor"))
    )
    const failed = results.flatMap((result) => (result._tag === "Left" ? [result.left.message] : []))
    const asked = results.length - failed.length
    return failed.length === 0
      ? said(`Told ${asked === 1 ? "it" : `${asked} runs`} to stop · same as: ${twin}`, "good")
      : said(`${asked} told to stop, ${failed.length} not: ${failed[0] ?? ""}`, "bad")
  })

export const dismiss = (
  ids: ReadonlyArray<string>,
  twin: string
): Effect.Effect<Message, never, Checkpoints.Checkpoints> =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints.Checkpoints
    const results = yield* Effect.forEach(idsOf(ids), (id) => Effect.either(checkpoints.dismiss(operator, id)))
    const failed = results.flatMap((result) => (result._tag === "Left" ? [result.left.message] : []))
    return failed.length === 0
      ? said(`Dismissed; it stays in history · same as: ${twin}`, "good")
      : said(`Not dismissed: ${failed[0] ?? ""}`, "bad")
  })

export const rename = (id: string, title: string): Effect.Effect<Message, never, Checkpoints.Checkpoints> =>
  Effect.gen(function* () {
    const checkpoints = yield* Checkpoints.Checkpoints
    const [result] = yield* Effect.forEach(idsOf([id]), (each) =>
      Effect.either(checkpoints.rename(operator, each, title))
    )
    return result === undefined || result._tag === "Left"
      ? said(`Not renamed: ${result?.left.message ?? "no such run"}`, "bad")
      : said("Renamed.", "good")
  })

/** Which providers' programs are on this machine. Starts none of them. */
export const findProviders: Effect.Effect<Message, never, Provider.Providers> = Effect.gen(function* () {
  const { all } = yield* Provider.Providers
  const providers = yield* Effect.forEach(
    all,
    (provider) =>
      Effect.map(provider.detect, (availability) => ({
        id: provider.id,
        title: provider.title,
        installed: availability._tag === "Installed",
        thinkingLevels: provider.capabilities.thinkingLevels,
        screen: provider.takeOver !== undefined,
        install: provider.install
      })),
    { concurrency: 4 }
  )
  return { _tag: "ProvidersFound", providers } satisfies Message
})

/** Raw lines read when a log is opened. */
const rawTail = 2000
/** Between two batches of raw lines at least, ms. */
const rawBatchMs = 100

/** The kept output of a run, then what comes. Never ends by itself. */
export const followRaw = (
  id: string,
  dispatch: (message: Message) => void
): Effect.Effect<void, never, OutputLog.OutputLog> =>
  Effect.gen(function* () {
    const output = yield* OutputLog.OutputLog
    const [checkpointId] = idsOf([id])
    if (checkpointId === undefined) return
    const coming = yield* Queue.unbounded<RawLine>()
    // Listening begins before reading, so that no line is missed; those that come twice are told apart below.
    yield* Effect.fork(Stream.runForEach(output.follow(checkpointId), (line) => Queue.offer(coming, toRaw(line))))
    const kept = yield* Effect.map(Stream.runCollect(output.read(checkpointId, rawTail)), Chunk.toReadonlyArray)
    const lines = kept.map(toRaw)
    dispatch({ _tag: "RawRead", id, lines, first: true })
    const known = new Set(lines.slice(-200).map(({ at, text }) => `${at} ${text}`))
    for (;;) {
      const first = yield* Queue.take(coming)
      const rest = yield* Queue.takeAll(coming)
      const fresh = [first, ...rest].filter(({ at, text }) => !known.delete(`${at} ${text}`))
      if (fresh.length > 0) dispatch({ _tag: "RawRead", id, lines: fresh, first: false })
      yield* Effect.sleep(rawBatchMs)
    }
  }).pipe(Effect.scoped)
