/**
 * Lets an app resume the runs that it tracked (`track`): its own agent loop as a provider, so that previews, claims and
 * decisions are the same as for any other. Put it among the `Providers` of the app's runtime; a program without it
 * answers `unsupported_provider` and names the app.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Mailbox from "effect/Mailbox"
import type { Capabilities } from "../provider/Capabilities.js"
import { Availability, type Provider, type StartRequest } from "../provider/Provider.js"
import { RunEvent } from "../provider/RunEvent.js"

/** What a resumed loop is given. */
export interface AppHandover {
  /** The key under which the app keeps the state of this conversation: the id of the first checkpoint of the lineage. */
  readonly key: string
  /** What to go on with: that it was interrupted, and the instruction; or the task, where nothing had been done. */
  readonly prompt: string
  readonly request: StartRequest
}

/** What a resumed loop may tell its checkpoint. */
export interface AppRun {
  readonly message: (text: string) => Effect.Effect<void>
  readonly toolStarted: (id: string, name: string) => Effect.Effect<void>
  readonly toolFinished: (id: string, ok: boolean) => Effect.Effect<void>
}

export interface AppProviderOptions<E> {
  /** The name given to `track`. */
  readonly app: string
  /**
   * Goes on with a conversation of the app. Left out: the app's runs are listed and followed here, and a resume is
   * refused as `continuation_unsupported`.
   */
  readonly resume?: (handover: AppHandover, run: AppRun) => Effect.Effect<unknown, E>
}

const capabilitiesOf = (continues: boolean): Capabilities => ({
  continuation: continues ? "host_transcript" : "none",
  idAssignment: "caller",
  idKnown: "before_spawn",
  fork: false,
  modelOnResume: "must_be_passed",
  thinkingOnResume: "not_supported",
  permissionOnResume: "must_be_passed",
  thinkingLevels: [],
  permissions: { read: "read", edit: "edit", full: "full" },
  cwdBound: false,
  concurrentGuard: false,
  survivesKill: false,
  promptChannel: "argument",
  reportsModel: false,
  modelChangeCompacts: false,
  screen: false,
  verifiedWith: "the app itself"
})

/** The app's loop as a provider, `app:NAME`. Runs in this process, so it ends with it. */
export const appProvider = <E>({ app, resume }: AppProviderOptions<E>): Provider => ({
  id: `app:${app}`,
  title: app,
  install: `Runs of ${app} are started by ${app}.`,
  capabilities: capabilitiesOf(resume !== undefined),
  detect: Effect.succeed(Availability.Installed({ command: app, version: null })),
  auth: Effect.succeed("unknown"),
  sessionIdFor: (seed) => seed,
  isSessionId: (text) => text !== "",
  location: Effect.succeed(null),
  inspectSession: () =>
    Effect.succeed({
      presence: "unknown",
      path: null,
      detail: `${app} keeps its conversations itself`,
      lastRowAt: null,
      tailDamaged: false
    }),
  start: (request) =>
    Effect.gen(function* () {
      const mailbox = yield* Mailbox.make<RunEvent>()
      const say = (event: RunEvent) => Effect.asVoid(mailbox.offer(event))
      const { conversation } = request
      const key = conversation._tag === "Continue" ? conversation.id : request.checkpointId
      const run: AppRun = {
        message: (text) => say(RunEvent.Message({ role: "assistant", id: null, text })),
        toolStarted: (id, name) => say(RunEvent.ToolStarted({ id, name, summary: name })),
        toolFinished: (id, ok) => say(RunEvent.ToolFinished({ id, ok, summary: "" }))
      }
      const loop: Effect.Effect<unknown, unknown> =
        resume === undefined
          ? Effect.fail(new Error(`${app} cannot go on with a run`))
          : resume({ key, prompt: request.prompt, request }, run)
      yield* say(RunEvent.SessionNamed({ id: key, location: null, confirms: true }))
      const fiber = yield* Effect.forkScoped(
        loop.pipe(
          Effect.onExit((exit) =>
            Effect.gen(function* () {
              yield* say(endOf(exit))
              yield* say(
                RunEvent.Exited({ exit: { code: Exit.isSuccess(exit) ? 0 : 1, signal: null }, stderrTail: "" })
              )
              yield* mailbox.end
            })
          )
        )
      )
      return { events: Mailbox.toStream(mailbox), stop: () => Effect.asVoid(Fiber.interrupt(fiber)) }
    })
})

const endOf = (exit: Exit.Exit<unknown, unknown>): RunEvent =>
  Exit.isSuccess(exit)
    ? RunEvent.Succeeded({ text: "" })
    : RunEvent.Failed({
        failure: {
          code: "provider_error",
          text: Cause.pretty(exit.cause).split("\n")[0] ?? "the run failed",
          resetsAt: null,
          status: null,
          lostSession: null
        }
      })
