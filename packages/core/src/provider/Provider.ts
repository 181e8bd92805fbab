/** The port that every provider implements: detect, name a session, start or continue a conversation, look at a session. */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { ProviderSession, Time } from "../checkpoint/Checkpoint.js"
import type { CheckpointId } from "../checkpoint/ids.js"
import type { Permission } from "../checkpoint/state.js"
import type { Capabilities } from "./Capabilities.js"
import type { FoundConversation } from "./FoundConversation.js"
import type { RunEvent } from "./RunEvent.js"

/** Which conversation a start goes into. */
export type Conversation = Data.TaggedEnum<{
  /** A new one; `id` is the session id we chose where the provider lets us (`Provider.sessionIdFor`). */
  New: { readonly id: string | null }
  /** Exactly this one. Never "the latest". */
  Continue: { readonly id: string; readonly location: string | null }
  /** A copy of one, under a new id. */
  Fork: { readonly from: string; readonly location: string | null; readonly id: string | null }
}>
export const Conversation = Data.taggedEnum<Conversation>()

export interface StartRequest {
  /** Put into the environment of the provider's processes as `ALLUKA_RUN`, so that they can be found and ended. */
  readonly checkpointId: CheckpointId
  readonly conversation: Conversation
  /** Sent unchanged, by stdin where the provider can. */
  readonly prompt: string
  readonly cwd: string
  /** Unshortened, as the person gave it; `null`: the provider's default. */
  readonly model: string | null
  readonly thinking: string | null
  readonly permission: Permission
  readonly addDirs: ReadonlyArray<string>
  /** Further arguments for the provider's program, after `--` on our command line. */
  readonly args: ReadonlyArray<string>
}

/** Why a provider's processes are being ended: decides the polite signal. */
export type StopCause =
  | "cancel"
  | "interrupt"
  | "shutdown"
  | "terminal_closed"
  | "timed_out"
  | "stalled"
  | "fenced"
  | "mismatch"

export interface RunningProvider {
  /** Everything the provider says, ending after `Exited`. Never fails: a provider's failure is an event. */
  readonly events: Stream.Stream<RunEvent>
  /**
   * Ends every process of the run: the polite signal for the cause, then TERM, then KILL, each bounded in time. Returns
   * when nothing that carries the run's mark is left, or the bounds are used up.
   */
  readonly stop: (cause: StopCause, grace?: number) => Effect.Effect<void>
}

/** The provider's program is not on this machine. */
export class ProviderNotFound extends Data.TaggedError("ProviderNotFound")<{
  readonly provider: string
  readonly command: string
  readonly install: string
}> {
  override get message(): string {
    return `${this.provider}: the program "${this.command}" was not found. ${this.install}`
  }
}

/** The provider's program is there but could not be started. */
export class ProviderStartFailed extends Data.TaggedError("ProviderStartFailed")<{
  readonly provider: string
  readonly operation: string
  readonly cause: unknown
}> {
  override get message(): string {
    return `${this.provider} could not be started: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}

export type Availability = Data.TaggedEnum<{
  Installed: { readonly command: string; readonly version: string | null }
  Missing: { readonly command: string }
}>
export const Availability = Data.taggedEnum<Availability>()

/** What the provider's own storage holds of a session, found without a model call. A failed look is `unknown`. */
export interface SessionInspection {
  readonly presence: "present" | "absent" | "damaged" | "unknown"
  readonly path: string | null
  /** What was seen, in one sentence; for `damaged` and `unknown` the reason. */
  readonly detail: string | null
  /** Time of the last row of the conversation, if its rows carry one. */
  readonly lastRowAt: Time | null
  /** The last line was cut: resumable, but its row is lost. */
  readonly tailDamaged: boolean
  /** How many lines before the last are broken, where that was counted. */
  readonly brokenLines?: number
  /** The session is there, but without any message of the user: the whole prompt must be sent again. */
  readonly promptMissing?: boolean
}

export interface Provider {
  readonly id: string
  readonly title: string
  /** How to install the program, in one sentence. */
  readonly install: string
  readonly capabilities: Capabilities
  /** Looks for the program and starts nothing, so it is safe before a run; the version stays `null` here. */
  readonly detect: Effect.Effect<Availability>
  /** What the program answers to `--version`, for `providers list`. Starts the program: never asked on the way to a run. */
  readonly version?: Effect.Effect<string | null>
  /**
   * Why the program would refuse these settings on this machine, in one sentence with the way out; `null`: it would not.
   * Asked before anything is created. Starts nothing.
   */
  readonly objection?: (settings: {
    readonly permission: Permission
    readonly thinking: string | null
  }) => string | null
  /**
   * Whether a sign-in or key is present; says nothing about its validity. Starts the program: for `providers test` and
   * `doctor`, never asked on the way to a run (a run without a sign-in fails within a second, as `auth_required`).
   */
  readonly auth: Effect.Effect<"present" | "absent" | "unknown">
  /** The session id derived from a seed, where the caller may choose it (`idAssignment: caller`). */
  readonly sessionIdFor: (seed: string) => string | null
  /** Whether a text can be a session id of this provider at all; a malformed one must never reach the program. */
  readonly isSessionId: (text: string) => boolean
  readonly start: (
    request: StartRequest
  ) => Effect.Effect<RunningProvider, ProviderNotFound | ProviderStartFailed, Scope.Scope>
  /**
   * Opens a conversation in the program's own screen, on the terminal of this process, and is over when the screen is
   * closed (`interactive_ended`). The prompt of the request is not sent. Left out: there is no such screen.
   */
  readonly takeOver?: Provider["start"]
  readonly inspectSession: (session: ProviderSession, cwd: string) => Effect.Effect<SessionInspection>
  /**
   * The conversations in the program's own storage that were active since a time, for `import`. Only reads; what cannot be
   * read is left out, and no storage is no conversations.
   */
  readonly conversations?: (since: Time) => Effect.Effect<ReadonlyArray<FoundConversation>>
  /** The configuration directory in use now; recorded with the run and compared at a resume. */
  readonly location: Effect.Effect<string | null>
}

export class Providers extends Context.Tag("@alluka/core/Providers")<
  Providers,
  {
    readonly all: ReadonlyArray<Provider>
    readonly find: (id: string) => Option.Option<Provider>
  }
>() {}
