/**
 * The lines of `opencode run --format json` as run events. Pure. There is no event of the end: a run has succeeded when its
 * last step stopped by itself and the program then ended on its own. A tool is told only once it has ended.
 */
import { type Provider, RunEvent } from "@alluka/core"
import { type Decoder, jsonLine, type Step } from "../decoder.js"
import { failure } from "../failures.js"
import { count, type JsonObject, number, object, text } from "../json.js"
import { brief, toolSummary } from "../summary.js"
import { classify, classifyStderr, isRefusal } from "./failures.js"

type Event = RunEvent.RunEvent
const { RunEvent: event } = RunEvent

export interface State {
  /** The database of this start. */
  readonly location: string | null
  /** The session was named by an event that proves that the conversation goes on in it. */
  readonly opened: boolean
  /** Its id, once it was named: lines of another one are those of a sub-agent. */
  readonly session: string | null
  /** The last answer, which is what a finished run amounts to. */
  readonly answer: string
  /** Something was said, or a tool was used. */
  readonly didSomething: boolean
  /** The last step stopped by itself and nothing followed it. */
  readonly stopped: boolean
  /** An error that nothing has followed. */
  readonly error: JsonObject | null
  readonly inputTokens: number
  readonly outputTokens: number
  readonly costUsd: number
}

/** The decoder of one start. */
export const decoder = (_request: Provider.StartRequest, location: string | null): Decoder<State> => ({
  initial: {
    location,
    opened: false,
    session: null,
    answer: "",
    didSomething: false,
    stopped: false,
    error: null,
    inputTokens: 0,
    outputTokens: 0,
    costUsd: 0
  },
  line: jsonLine(row),
  end: (state, { exit, stderrTail }) => {
    if (state.error !== null) return [event.Failed({ failure: classify(state.error, stderrTail) })]
    // opencode ends with 1 after a run that recovered from an error, so only a signal speaks against a last step that stopped.
    if (state.stopped) return exit.signal === null ? [ending(state)] : []
    const refusal = classifyStderr(stderrTail)
    return refusal === null ? [] : [event.Failed({ failure: refusal })]
  }
})

const ending = (state: State): Event =>
  state.didSomething
    ? event.Succeeded({ text: state.answer })
    : event.Failed({ failure: failure("provider_error", "the model answered nothing") })

const row = (state: State, json: JsonObject): Step<State> => {
  const part = object(json.part)
  const id = text(json.sessionID)
  if (state.session !== null && id !== null && id !== state.session) return [state, []]
  switch (json.type) {
    case "step_start":
      return named({ ...state, stopped: false, error: null }, json, [event.TurnStarted()])
    case "text": {
      const said = text(part.text) ?? ""
      if (said.trim() === "") return named(state, json, [])
      return named({ ...state, answer: said, didSomething: true }, json, [
        event.Message({ role: "assistant", id: text(part.messageID), text: said })
      ])
    }
    case "tool_use":
      return named({ ...state, didSomething: true }, json, toolUse(part))
    case "step_finish": {
      const next = counted({ ...state, stopped: part.reason === "stop", error: null }, part)
      return named(next, json, [usage(next)])
    }
    case "error":
      return failing(state, json)
    default:
      return [state, []]
  }
}

/** Puts the session's name in front, once. */
const named = (state: State, json: JsonObject, events: ReadonlyArray<Event>): Step<State> => {
  const id = text(json.sessionID)
  if (state.opened || id === null) return [state, events]
  return [
    { ...state, opened: true, session: id },
    [event.SessionNamed({ id, location: state.location, confirms: true }), ...events]
  ]
}

/** An error is final only if nothing follows it. Only a refusal of the model's server proves that it was asked. */
const failing = (state: State, json: JsonObject): Step<State> => {
  const error = object(json.error)
  const next = { ...state, error, stopped: false }
  if (error.name === "APIError") return named(next, json, [])
  const id = text(json.sessionID)
  if (state.opened || id === null) return [next, []]
  return [next, [event.SessionNamed({ id, location: state.location, confirms: false })]]
}

const toolUse = (part: JsonObject): ReadonlyArray<Event> => {
  const state = object(part.state)
  const id = text(part.callID) ?? text(part.id) ?? ""
  const name = text(part.tool) ?? "tool"
  const summary = toolSummary(state.input)
  const error = text(state.error)
  const code = number(object(state.metadata).exit)
  const output = brief(error ?? text(state.output) ?? "")
  return [
    event.ToolStarted({ id, name, summary }),
    ...(error !== null && isRefusal(error) ? [event.Denied({ tool: name, detail: summary })] : []),
    event.ToolFinished({
      id,
      ok: state.status !== "error" && (code ?? 0) === 0,
      summary: [code === null || code === 0 ? "" : `exit ${code}`, output].filter((each) => each !== "").join(": ")
    })
  ]
}

/** Each step tells its own figures. */
const counted = (state: State, part: JsonObject): State => {
  const tokens = object(part.tokens)
  const cache = object(tokens.cache)
  return {
    ...state,
    inputTokens: state.inputTokens + count(tokens.input) + count(cache.read) + count(cache.write),
    outputTokens: state.outputTokens + count(tokens.output) + count(tokens.reasoning),
    costUsd: state.costUsd + Math.max(0, number(part.cost) ?? 0)
  }
}

/** opencode says 0 where it does not know a model's price. */
const usage = ({ costUsd, inputTokens, outputTokens }: State): Event =>
  event.UsageReported({
    usage: { inputTokens, outputTokens, costUsd: costUsd === 0 ? null : costUsd },
    cumulative: false
  })
