/**
 * From a program that prints lines to a `Provider`: the one shape in which the command-line providers are written. Each
 * gives its facts, its command line, its decoder and its look at its own session files; everything about processes, the
 * mark, the limits and the clock is here and in `process/`.
 */
import { type Checkpoint, type FoundConversation, HostProcesses, Provider, RunEvent, type State } from "@alluka/core"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Decoder } from "./decoder.js"
import type { ProbeAnswer } from "./process/probe.js"
import { probe, versionMs, versionOf } from "./process/probe.js"
import { openScreen } from "./process/screen.js"
import { Input, type Limits, type ProcessEvent, supervise } from "./process/supervisor.js"
import { findProgram } from "./process/which.js"

export type Env = Readonly<Record<string, string | undefined>>

/** What a program is started with. */
export interface Command {
  readonly args: ReadonlyArray<string>
  /** The prompt, where the program reads it from stdin. */
  readonly stdin: string | null
}

/** Asks a program something and waits for its answer, within `timeoutMs`; none if it gave no proper one. */
export type Ask = (
  args: ReadonlyArray<string>,
  options?: { readonly timeoutMs?: number; readonly env?: Env }
) => Effect.Effect<Option.Option<ProbeAnswer>>

/** A step before a start that did not succeed: nothing was started. */
export class NotPrepared extends Data.TaggedError("NotPrepared")<{
  readonly operation: string
  readonly message: string
}> {}

/** What a start goes by once everything before it is done. */
export interface Prepared {
  readonly request: Provider.StartRequest
  /** What is known without the program's output, or found out beside it while the program runs. */
  readonly beside: Stream.Stream<RunEvent.RunEvent>
}

export interface ProcessProvider<S> {
  readonly id: string
  readonly title: string
  readonly install: string
  readonly capabilities: Provider.Provider["capabilities"]
  /** The name looked for on PATH. */
  readonly program: string
  /** Arguments that come before all others, for a program that is one command of a larger one. */
  readonly leadingArgs?: ReadonlyArray<string>
  /** The file to run instead of the one found, such as the native program behind a launcher. */
  readonly behind?: (found: string) => Effect.Effect<string>
  readonly command: (request: Provider.StartRequest) => Command
  /** Arguments that open a conversation in the program's own screen, where it has one; the prompt is not among them. */
  readonly screen?: (request: Provider.StartRequest, session: string) => ReadonlyArray<string>
  /** Variables to set (`undefined`: to remove) for this start. */
  readonly env?: (request: Provider.StartRequest, env: Env) => Env
  /** Why the program would refuse these settings on this machine, and the way out. */
  readonly objection?: (settings: Settings, env: Env) => string | null
  /**
   * What must be done before the program is started, such as making its session; what must be undone when the run is
   * over goes into the scope. `ask` runs in the run's folder, with the environment `env` of the start and the run's mark.
   */
  readonly prepare?: (
    request: Provider.StartRequest,
    machine: { readonly env: Env; readonly ask: Ask }
  ) => Effect.Effect<Prepared, NotPrepared, Scope.Scope>
  readonly decoder: (request: Provider.StartRequest, location: string | null) => Decoder<S>
  /** A line of stdout without what repeats earlier lines: this is what is written down and decoded. */
  readonly abridge?: (line: string) => string
  /** Longest line of stdout in bytes, where the program's are longer than usual. */
  readonly lineBytes?: number
  /** The first signal for each cause; TERM and KILL follow in any case. */
  readonly politeSignal: (cause: Provider.StopCause) => HostProcesses.Signal
  readonly sessionIdFor: (seed: string) => string | null
  readonly isSessionId: (text: string) => boolean
  /** The configuration directory in use. */
  readonly location: (env: Env) => string | null
  readonly inspectSession: (
    session: Checkpoint.ProviderSession,
    cwd: string,
    env: Env,
    ask: Ask
  ) => Effect.Effect<Provider.SessionInspection>
  /** Conversations in the program's storage that were active since a time, for import; only reads. */
  readonly conversations?: (since: number, env: Env, ask: Ask) => Effect.Effect<ReadonlyArray<FoundConversation>>
  /** What to ask the program for its sign-in, and what the answer means. */
  readonly auth?: {
    readonly args: ReadonlyArray<string>
    readonly read: (answer: ProbeAnswer, env: Env) => Effect.Effect<"present" | "absent" | "unknown">
  }
}

export interface Settings {
  readonly permission: State.Permission
  readonly thinking: string | null
}

/** How this machine runs a provider. */
export interface Machine {
  /** The program configured for it, a path or a name; else the provider's own name is looked for. */
  readonly command?: string | undefined
  readonly env: Env
  readonly host: HostProcesses.HostProcesses["Type"]
  readonly limits?: Partial<Limits>
}

/** Makes the provider as it is on a machine. */
export const makeProcessProvider = <S>(spec: ProcessProvider<S>, machine: Machine): Provider.Provider => {
  const { env, host } = machine
  const command = machine.command ?? spec.program
  const leading = machine.command === undefined ? (spec.leadingArgs ?? []) : []
  const find = findProgram(command, env.PATH ?? "").pipe(
    Effect.flatMap(
      Option.match({
        onNone: () => Effect.succeedNone,
        onSome: (found) => Effect.asSome(spec.behind?.(found) ?? Effect.succeed(found))
      })
    )
  )
  const ask: Ask = (args, options) =>
    Effect.flatMap(
      find,
      Option.match({
        onNone: () => Effect.succeedNone,
        onSome: (program) => probe(program, [...leading, ...args], { ...env, ...options?.env }, options?.timeoutMs)
      })
    )
  const objection = (settings: Settings): string | null => spec.objection?.(settings, env) ?? null
  const refused = (operation: string, why: string): Provider.ProviderStartFailed =>
    new Provider.ProviderStartFailed({ provider: spec.id, operation, cause: new Error(why) })

  /** What a start needs, once everything before it is done. */
  const readied = (request: Provider.StartRequest) =>
    Effect.gen(function* () {
      const why = objection(request)
      if (why !== null) return yield* refused("check the settings", why)
      const malformed = idsOf(request.conversation).find((id) => !spec.isSessionId(id))
      if (malformed !== undefined) {
        return yield* refused("check the session id", `"${malformed}" cannot be a session id of ${spec.id}`)
      }
      const program = yield* Effect.flatMap(
        find,
        Option.match({
          onNone: () => new Provider.ProviderNotFound({ provider: spec.id, command, install: spec.install }),
          onSome: Effect.succeed
        })
      )
      const startEnv = { ...env, ...spec.env?.(request, env) }
      const marked = { ...startEnv, [HostProcesses.runMark]: request.checkpointId }
      const prepared = yield* (
        spec.prepare?.(request, {
          env: startEnv,
          ask: (args, options) =>
            probe(program, [...leading, ...args], { ...marked, ...options?.env }, options?.timeoutMs, request.cwd)
        }) ?? Effect.succeed<Prepared>({ request, beside: Stream.empty })
      ).pipe(Effect.mapError(({ message, operation }) => refused(operation, message)))
      return { program, startEnv, prepared }
    })

  const start: Provider.Provider["start"] = (request) =>
    Effect.gen(function* () {
      const { prepared, program, startEnv } = yield* readied(request)
      const { args, stdin } = spec.command(prepared.request)
      const supervised = yield* supervise({
        provider: spec.id,
        install: spec.install,
        checkpointId: request.checkpointId,
        program,
        args: [...leading, ...args],
        cwd: request.cwd,
        env: startEnv,
        input: stdin === null ? Input.None() : Input.Text({ text: stdin }),
        politeSignal: spec.politeSignal,
        limits: { ...(spec.lineBytes === undefined ? {} : { lineBytes: spec.lineBytes }), ...machine.limits }
      }).pipe(Effect.provideService(HostProcesses.HostProcesses, host))
      const decoder = spec.decoder(prepared.request, spec.location(startEnv))
      const events = decoded(supervised.events, decoder, spec.abridge ?? ((line) => line))
      return {
        events: spec.prepare === undefined ? events : Stream.merge(events, prepared.beside, { haltStrategy: "left" }),
        stop: supervised.stop
      }
    })

  const { auth, conversations, screen } = spec
  const takeOver =
    (argsOf: NonNullable<typeof screen>): Provider.Provider["start"] =>
    (request) =>
      Effect.gen(function* () {
        const { conversation } = request
        const { prepared, program, startEnv } = yield* readied(request)
        const { conversation: opened } = prepared.request
        const id = opened._tag === "Fork" ? opened.from : opened.id
        if (conversation._tag !== "Continue" || id === null) {
          return yield* refused("open its screen", "only a conversation that is there can be taken over")
        }
        return yield* openScreen(
          {
            provider: spec.id,
            title: spec.title,
            checkpointId: request.checkpointId,
            program,
            args: [...leading, ...argsOf(prepared.request, id)],
            cwd: request.cwd,
            env: startEnv,
            session: { id, location: conversation.location }
          },
          host
        )
      })

  return {
    id: spec.id,
    title: spec.title,
    install: spec.install,
    capabilities: spec.capabilities,
    detect: Effect.map(
      find,
      Option.match({
        onNone: () => Provider.Availability.Missing({ command }),
        onSome: (found) => Provider.Availability.Installed({ command: found, version: null })
      })
    ),
    version: Effect.map(
      ask(["--version"], { timeoutMs: versionMs }),
      Option.match({ onNone: () => null, onSome: versionOf })
    ),
    auth:
      auth === undefined
        ? Effect.succeed("unknown" as const)
        : Effect.flatMap(
            ask(auth.args),
            Option.match({
              onNone: () => Effect.succeed("unknown" as const),
              onSome: (answer) => auth.read(answer, env)
            })
          ),
    objection,
    sessionIdFor: spec.sessionIdFor,
    isSessionId: spec.isSessionId,
    start,
    ...(conversations === undefined ? {} : { conversations: (since: number) => conversations(since, env, ask) }),
    ...(screen === undefined ? {} : { takeOver: takeOver(screen) }),
    inspectSession: (session, cwd) => spec.inspectSession(session, cwd, env, ask),
    location: Effect.sync(() => spec.location(env))
  }
}

const idsOf = (conversation: Provider.Conversation): ReadonlyArray<string> => {
  const ids = conversation._tag === "Fork" ? [conversation.from, conversation.id] : [conversation.id]
  return ids.filter((id) => id !== null)
}

/** The provider's events: each raw line first, then what it says. */
const decoded = <S>(
  events: Stream.Stream<ProcessEvent>,
  decoder: Decoder<S>,
  abridge: (line: string) => string
): Stream.Stream<RunEvent.RunEvent> =>
  Stream.suspend(() => {
    let state = decoder.initial
    const take = (event: ProcessEvent, now: number): ReadonlyArray<RunEvent.RunEvent> => {
      switch (event._tag) {
        case "Started":
          return [RunEvent.RunEvent.Spawned({ child: event.child })]
        case "Oversize":
          return [RunEvent.RunEvent.LineDropped({ why: "oversize", excerpt: event.excerpt })]
        case "Ended": {
          const last = decoder.end(state, event)
          return [...last, RunEvent.RunEvent.Exited({ exit: event.exit, stderrTail: event.stderrTail })]
        }
        case "Line": {
          const text = event.from === "stderr" ? event.text : abridge(event.text)
          const raw = RunEvent.RunEvent.LineRead({ from: event.from, text })
          if (event.from === "stderr") return [raw]
          const [next, said] = decoder.line(state, text, now)
          state = next
          return [raw, ...said]
        }
      }
    }
    return Stream.mapChunksEffect(events, (chunk) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        Chunk.flatMap(chunk, (event) => Chunk.fromIterable(take(event, now)))
      )
    )
  })
