/**
 * One run's talk with an agent, from `initialize` to the end of its turn. A sequence of questions; what each answer means
 * is decided by the pure modules beside this one.
 */
import { type Checkpoint, type Failure, type Provider, RunEvent } from "@alluka/core"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { failure } from "../failures.js"
import { type JsonObject, list, object, text } from "../json.js"
import type { AcpAgent } from "./agents.js"
import type { AgentRefused, Connection, ConnectionLost } from "./connection.js"
import { type Circumstances, classifyRefusal } from "./failures.js"
import { type Offers, offersOf, type Way, wayInto } from "./offers.js"
import { assumed, moveTo, type Setting, settingsOf, taken, unavailable } from "./settings.js"
import { ended, failedTurn, opened, prompted, report, type Step, type Turn } from "./turn.js"

const { RunEvent: event } = RunEvent

const protocolVersion = 1

/**
 * What we can do for an agent: nothing with files or terminals, which it has itself. Notices come apart from the model's
 * words where an agent knows of that (codex-acp 2.6.0 does).
 */
const clientCapabilities: JsonObject = { session: { notices: {}, compaction: {} } }

export interface Talk {
  readonly agent: AcpAgent
  readonly request: Provider.StartRequest
  readonly connection: Connection
  /** Where the agent keeps its conversations. */
  readonly location: Checkpoint.ProviderSession["location"]
  /** Changes what is known of the turn, and tells what follows from it. */
  readonly step: (change: (turn: Turn) => Step) => Effect.Effect<void>
  readonly turn: Effect.Effect<Turn>
  /** How long the answer to `initialize` is waited for, ms: a program that does not speak the protocol would say nothing. */
  readonly greetingMs: number
}

/** The run cannot go on; told as `Failed`. */
class Stopped extends Data.TaggedError("Stopped")<{ readonly failure: Failure.ProviderFailure }> {}

const stop = (...args: Parameters<typeof failure>): Stopped => new Stopped({ failure: failure(...args) })

/** Talks until the turn has ended, whichever way. Everything that happened has then been told, but for the process's end. */
export const converse = (talk: Talk): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { agent, request, step } = talk
    const offers = yield* greet(talk)
    if (request.addDirs.length > 0 && !offers.addDirs) {
      return yield* stop("invalid_request", `${agent.title} takes no further folders (--add-dir)`)
    }
    const session = yield* open(talk, offers)
    yield* configure(talk, session)
    yield* step((turn) => [turn, [report(turn.settings)]])
    yield* step(prompted)
    yield* prompt(talk, session, offers)
  }).pipe(
    Effect.catchTags({
      Stopped: (stopped) =>
        talk.step((turn) => [{ ...turn, stage: "ended" }, [event.Failed({ failure: stopped.failure })]]),
      // The process's end tells more.
      ConnectionLost: () => Effect.void
    })
  )

const greet = ({ agent, connection, greetingMs }: Talk) =>
  Effect.gen(function* () {
    const answer = yield* connection
      .request("initialize", {
        protocolVersion,
        clientCapabilities,
        clientInfo: { name: "alluka", title: "Alluka", version: "0.1.0" }
      })
      .pipe(
        Effect.timeoutFail({
          duration: greetingMs,
          onTimeout: () =>
            stop(
              "provider_error",
              `${agent.title} did not answer within ${Math.round(greetingMs / 1000)} s; is "${agent.program}" an agent that speaks the Agent Client Protocol?`
            )
        }),
        Effect.catchTag("AgentRefused", (refused) => stopFor(refused, starting))
      )
    const offers = offersOf(answer)
    if (offers.protocol !== protocolVersion) {
      return yield* stop(
        "provider_error",
        `${agent.title} speaks version ${offers.protocol ?? "?"} of the Agent Client Protocol, and Alluka version ${protocolVersion}`
      )
    }
    return offers
  })

const starting: Circumstances = { opening: false, unlisted: false, signIn: [] }

const stopFor = ({ error }: AgentRefused, circumstances: Circumstances) =>
  new Stopped({ failure: classifyRefusal(error, circumstances) })

// ---------------------------------------------------------------- the session

/** Opens the conversation; answers the session's id. */
const open = (talk: Talk, offers: Offers): Effect.Effect<string, Stopped | ConnectionLost> =>
  Effect.gen(function* () {
    const { agent, connection, location, request, step } = talk
    const way = wayInto(request.conversation, offers, agent.title)
    const { params, method, expected } = yield* callOf(way)
    const unlisted = expected !== null && (yield* isUnlisted(talk, offers, expected))
    const answer = yield* connection
      .request(method, {
        ...params,
        cwd: request.cwd,
        mcpServers: [],
        ...(request.addDirs.length === 0 ? {} : { additionalDirectories: request.addDirs })
      })
      .pipe(
        Effect.catchTag("AgentRefused", (refused) =>
          stopFor(refused, { opening: expected !== null, unlisted, signIn: offers.signIn })
        )
      )
    // `session/load` and `session/resume` need not repeat the id; one that they do give counts.
    const reopens = way._tag === "Resume" || way._tag === "Load"
    const id = text(answer.sessionId) ?? (reopens ? expected : null)
    if (id === null || id === "") {
      return yield* stop("provider_error", `${agent.title} answered ${method} without the id of a session`)
    }
    yield* step((turn) => {
      const next = opened(turn, id, answer)
      const named = event.SessionNamed({ id, location, confirms: true })
      return [next, [named, ...evidence(way, next, unlisted)]]
    })
    if (reopens && id !== expected) {
      return yield* stop("session_mismatch", `asked for the conversation ${expected}, ${agent.title} opened ${id}`)
    }
    return id
  })

const callOf = (
  way: Way
): Effect.Effect<
  { readonly method: string; readonly params: JsonObject; readonly expected: string | null },
  Stopped
> => {
  switch (way._tag) {
    case "New":
      return Effect.succeed({ method: "session/new", params: {}, expected: null })
    case "Resume":
      return Effect.succeed({ method: "session/resume", params: { sessionId: way.id }, expected: way.id })
    case "Load":
      return Effect.succeed({ method: "session/load", params: { sessionId: way.id }, expected: way.id })
    case "Fork":
      return Effect.succeed({ method: "session/fork", params: { sessionId: way.from }, expected: way.from })
    case "Cannot":
      return Effect.fail(stop("provider_error", way.why))
  }
}

/** What the opening showed of the conversation's being the same. */
const evidence = (way: Way, turn: Turn, unlisted: boolean): ReadonlyArray<RunEvent.RunEvent> => {
  const { agent, user } = turn.replayed
  const doubt = unlisted
    ? [event.Notice({ text: "the agent's own list does not have this conversation, and yet it opened it" })]
    : []
  if (way._tag !== "Load") return doubt
  return [
    ...doubt,
    event.Notice({
      text:
        user + agent === 0
          ? "the agent opened the conversation and replayed none of its messages"
          : `the agent replayed ${user + agent} message${user + agent === 1 ? "" : "s"} of the conversation, ${user} of them the user's`
    })
  ]
}

/** Pages of a list that are looked at. */
const mostPages = 50

/**
 * Whether the agent's own list, read to its end, does not have a conversation. A list that cannot be read says nothing, and
 * absence alone decides nothing: the agent is asked for the conversation all the same.
 */
const isUnlisted = (
  { connection, request }: Talk,
  offers: Offers,
  id: string
): Effect.Effect<boolean, ConnectionLost> =>
  Effect.gen(function* () {
    if (!offers.list) return false
    let cursor: string | null = null
    for (let page = 0; page < mostPages; page++) {
      const answer: JsonObject = yield* connection.request("session/list", {
        cwd: request.cwd,
        ...(cursor === null ? {} : { cursor })
      })
      if (!Array.isArray(answer.sessions)) return false
      if (list(answer.sessions).some((session) => object(session).sessionId === id)) return false
      cursor = text(answer.nextCursor)
      if (cursor === null || cursor === "") return true
    }
    return false
  }).pipe(Effect.catchTag("AgentRefused", () => Effect.succeed(false)))

// ---------------------------------------------------------------- settings

/** Sets mode, model and thinking level, in this order: the levels depend on the model. Given again at every start. */
const configure = (talk: Talk, session: string) =>
  Effect.gen(function* () {
    const { agent, request } = talk
    const mode = agent.modes[request.permission]
    if (mode !== null) yield* setTo(talk, session, "permission", mode)
    if (request.model !== null) yield* setTo(talk, session, "model", request.model)
    if (request.thinking !== null) yield* setTo(talk, session, "thinking", request.thinking)
  })

/** A setting that cannot be had ends the run: nobody is served by another model, or more permission, than was asked for. */
const setTo = (talk: Talk, session: string, setting: Setting, value: string) =>
  Effect.gen(function* () {
    const { agent, connection, step } = talk
    const before = (yield* talk.turn).settings
    const move = moveTo(before, setting, value, agent.title)
    if (move._tag === "Done") return
    if (move._tag === "Impossible") return yield* stop("invalid_request", move.why)
    const answer = yield* connection
      .request(move.call.method, { sessionId: session, ...move.call.params })
      .pipe(
        Effect.catchTag("AgentRefused", (refused) =>
          setting === "model"
            ? stop(
                "model_unavailable",
                `${unavailable(before, setting, value, agent.title)} (${refused.error.message})`
              )
            : stop("invalid_request", `${unavailable(before, setting, value, agent.title)} (${refused.error.message})`)
        )
      )
    yield* step((turn) => {
      const told = settingsOf(answer, turn.settings)
      const settings = answer.configOptions === undefined ? assumed(told, setting, value) : told
      return [{ ...turn, settings }, []]
    })
    const after = (yield* talk.turn).settings
    if (!taken(before, after, setting, value)) {
      return yield* stop(
        setting === "model" ? "model_unavailable" : "invalid_request",
        `${agent.title} was told to use "${value}" and stayed with "${after[setting]?.current ?? "?"}"`
      )
    }
  })

// ---------------------------------------------------------------- the prompt

const prompt = ({ agent, connection, request, step }: Talk, session: string, offers: Offers) =>
  connection.request("session/prompt", { sessionId: session, prompt: [{ type: "text", text: request.prompt }] }).pipe(
    Effect.matchEffect({
      onSuccess: (answer) => step((turn) => ended(turn, answer, agent.title)),
      onFailure: (error) =>
        error._tag === "ConnectionLost"
          ? Effect.fail(error)
          : step((turn) => failedTurn(turn, error.error, { opening: false, unlisted: false, signIn: offers.signIn }))
    })
  )
