/** From an agent that speaks the protocol to a `Provider`: the process, the talk, and the stream of what was said. */
import { HostProcesses, Provider, RunEvent } from "@alluka/core"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Mailbox from "effect/Mailbox"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { unknown } from "../inspection.js"
import type { JsonObject } from "../json.js"
import { probe, versionMs, versionOf } from "../process/probe.js"
import { defaultLimits, Input, type ProcessEvent, supervise } from "../process/supervisor.js"
import { findProgram } from "../process/which.js"
import type { Machine } from "../processProvider.js"
import type { AcpAgent } from "./agents.js"
import { connect } from "./connection.js"
import { converse } from "./conversation.js"
import { classifyWords } from "./failures.js"
import { answer, type Outcome } from "./permissions.js"
import { asked, cut, newTurn, read, refused, type Step, type Turn } from "./turn.js"

type Event = RunEvent.RunEvent
const { RunEvent: event } = RunEvent

/** Events that wait for a slow reader, at most; beyond that the agent is made to wait. */
const waitingEvents = 256
/** How long `initialize` may take, ms: agents answered within 12 s on a busy machine. */
const greetingMs = 60_000
/** How long an agent is given to end by itself when nobody speaks to it any more, ms (codex-acp 2.6.0 takes 2 s). */
const farewellMs = 10_000

export interface AcpMachine extends Machine {
  /** How long `initialize` may take, and the end once nobody speaks any more, ms. */
  readonly greetingMs?: number
  readonly farewellMs?: number
}

/** Makes the provider as it is on a machine. */
export const makeAcpProvider = (agent: AcpAgent, machine: AcpMachine): Provider.Provider => {
  const { env } = machine
  const command = machine.command ?? agent.program
  const find = findProgram(command, env.PATH ?? "")
  const objection: NonNullable<Provider.Provider["objection"]> = (settings) => agent.objection?.(settings, env) ?? null
  const refuse = (operation: string, why: string): Provider.ProviderStartFailed =>
    new Provider.ProviderStartFailed({ provider: agent.id, operation, cause: new Error(why) })

  const start: Provider.Provider["start"] = (request) =>
    Effect.gen(function* () {
      const why = objection(request)
      if (why !== null) return yield* refuse("check the settings", why)
      const { conversation } = request
      const asksFor = conversation._tag === "New" ? null : sourceOf(conversation)
      if (asksFor !== null && !agent.isSessionId(asksFor)) {
        return yield* refuse("check the session id", `"${asksFor}" cannot be a session id of ${agent.id}`)
      }
      const program = yield* Effect.flatMap(
        find,
        Option.match({
          onNone: () => new Provider.ProviderNotFound({ provider: agent.id, command, install: agent.install }),
          onSome: Effect.succeed
        })
      )
      const recorded = conversation._tag === "New" ? null : conversation.location
      const startEnv = { ...env, ...agent.storage?.envFor(recorded, env) }
      return yield* run(agent, request, { ...machine, env: startEnv }, program)
    })

  return {
    id: agent.id,
    title: agent.title,
    install: agent.install,
    capabilities: agent.capabilities,
    detect: Effect.map(
      find,
      Option.match({
        onNone: () => Provider.Availability.Missing({ command }),
        onSome: (found) => Provider.Availability.Installed({ command: found, version: null })
      })
    ),
    version: Effect.flatMap(
      find,
      Option.match({
        onNone: () => Effect.succeed(null),
        onSome: (program) =>
          Effect.map(
            probe(program, ["--version"], env, versionMs),
            Option.match({ onNone: () => null, onSome: versionOf })
          )
      })
    ),
    objection,
    auth: Effect.succeed("unknown"),
    sessionIdFor: () => null,
    isSessionId: agent.isSessionId,
    start,
    inspectSession: (session) =>
      agent.storage?.inspectSession(session, env) ??
      Effect.succeed(unknown(`only ${agent.title} itself can tell, and is asked when the run starts`)),
    location: Effect.sync(() => agent.storage?.location(env) ?? null)
  }
}

const sourceOf = (conversation: Exclude<Provider.Conversation, { readonly _tag: "New" }>): string =>
  conversation._tag === "Fork" ? conversation.from : conversation.id

/** Starts the agent and talks to it. */
const run = (
  agent: AcpAgent,
  request: Provider.StartRequest,
  machine: AcpMachine,
  program: string
): Effect.Effect<Provider.RunningProvider, Provider.ProviderNotFound | Provider.ProviderStartFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const supervised = yield* supervise({
      provider: agent.id,
      install: agent.install,
      checkpointId: request.checkpointId,
      program,
      args: [...agent.args, ...request.args],
      cwd: request.cwd,
      env: machine.env,
      input: Input.Open(),
      politeSignal: () => "SIGTERM",
      ...(machine.limits === undefined ? {} : { limits: machine.limits })
    }).pipe(Effect.provideService(HostProcesses.HostProcesses, machine.host))

    const told = yield* Mailbox.make<Event>({ capacity: waitingEvents })
    const tell = (events: ReadonlyArray<Event>) => Effect.forEach(events, (each) => told.offer(each), { discard: true })
    const { conversation } = request
    const state = yield* Ref.make<Turn>(
      newTurn(conversation._tag, conversation._tag === "Continue" ? conversation.id : null)
    )
    const step = (change: (turn: Turn) => Step) =>
      Effect.flatMap(
        Ref.modify(state, (turn) => {
          const [next, events] = change(turn)
          return [events, next] as const
        }),
        tell
      )

    const rule = { permission: request.permission, cwd: request.cwd, addDirs: request.addDirs }
    const onPermission = (params: JsonObject): Effect.Effect<Outcome> =>
      Effect.gen(function* () {
        const { denied, outcome, use } = yield* Ref.modify(state, (before) => {
          const [next, about] = asked(before, params)
          const { allowed, outcome: chosen } = answer(about, params.options, rule)
          return [{ denied: !allowed, outcome: chosen, use: about }, next] as const
        })
        if (denied) yield* step((turn) => refused(turn, use))
        return outcome
      })
    const connection = yield* connect({ write: supervised.write, onPermission })
    const over = yield* Deferred.make<void>()

    const talk = yield* converse({
      agent,
      request,
      connection,
      location: agent.storage?.location(machine.env) ?? null,
      step,
      turn: Ref.get(state),
      greetingMs: machine.greetingMs ?? greetingMs
    }).pipe(Effect.zipRight(supervised.closeInput), Effect.forkScoped)

    const take = (happened: ProcessEvent): Effect.Effect<void> => {
      switch (happened._tag) {
        case "Started":
          return tell([event.Spawned({ child: happened.child })])
        case "Oversize":
          return tell([event.LineDropped({ why: "oversize", excerpt: happened.excerpt })])
        case "Line":
          return happened.from === "stderr"
            ? tell([event.LineRead({ from: "stderr", text: happened.text })])
            : takeLine(happened.text)
        case "Ended":
          return Effect.gen(function* () {
            yield* Deferred.succeed(over, undefined)
            yield* connection.close
            yield* Fiber.await(talk)
            const { stage } = yield* Ref.get(state)
            yield* step(cut)
            yield* tell(stage === "ended" ? [] : lastWords(happened))
            yield* tell([event.Exited({ exit: happened.exit, stderrTail: happened.stderrTail })])
            yield* told.end
          })
      }
    }
    const takeLine = (line: string) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const { events, pass } = yield* Ref.modify(state, (turn) => {
          const done = read(agent, turn, line, now)
          return [done, done.turn] as const
        })
        yield* tell(events)
        if (pass !== null && !connection.receive(pass)) {
          yield* tell([event.LineDropped({ why: "skipped", excerpt: line.slice(0, 200) })])
        }
      })
    yield* Effect.forkScoped(Stream.runForEach(supervised.events, take))

    // An agent that goes on although its stdin has ended is ended.
    yield* Fiber.await(talk).pipe(
      Effect.zipRight(Effect.timeoutOption(Deferred.await(over), machine.farewellMs ?? farewellMs)),
      Effect.flatMap(Option.match({ onNone: () => supervised.stop("shutdown"), onSome: () => Effect.void })),
      Effect.forkScoped
    )

    return {
      events: Mailbox.toStream(told),
      stop: (cause, grace = machine.limits?.graceMs ?? defaultLimits.graceMs) =>
        Effect.gen(function* () {
          const { session, stage } = yield* Ref.get(state)
          if (stage === "working" && session !== null && cause !== "fenced" && cause !== "mismatch") {
            // Once the turn has ended, the agent ends by itself.
            yield* within(
              grace,
              Effect.zipRight(connection.notify("session/cancel", { sessionId: session }), Deferred.await(over))
            )
          }
          yield* supervised.stop(cause, grace)
        })
    }
  })

/** Waits in real time, also where interruption is off: a scope's end uses it. */
const within = (ms: number, wait: Effect.Effect<unknown>): Effect.Effect<void> =>
  Effect.asVoid(Effect.timeoutOption(Effect.interruptible(wait), ms))

/** What the end of a process that left in the middle of the talk tells. */
const lastWords = ({ exit, stderrTail }: Extract<ProcessEvent, { readonly _tag: "Ended" }>): ReadonlyArray<Event> => {
  if (exit.code === 0 || exit.code === null || stderrTail.trim() === "") return []
  const failure = classifyWords(stderrTail)
  return failure.code === "provider_error" ? [] : [event.Failed({ failure })]
}
