/**
 * gemini's `stream-json` lines as run events. Pure. Answers come in pieces without an end of their own: they are joined
 * until something else comes. The model is the one asked for; where it was `auto`, gemini never tells which one answered.
 */
import { type Provider, RunEvent } from "@alluka/core"
import { type Decoder, jsonLine, type Step } from "../decoder.js"
import { count, type JsonObject, object, text } from "../json.js"
import { withEntry } from "../recent.js"
import { brief, toolSummary } from "../summary.js"
import { classify, classifyStderr } from "./failures.js"

type Event = RunEvent.RunEvent
const { RunEvent: event } = RunEvent

export interface State {
  /** The configuration directory of this start. */
  readonly location: string | null
  /** The pieces of the answer that is being given. */
  readonly pieces: string
  /** The last whole answer, which is what a finished run amounts to. */
  readonly answer: string
  /** The model has begun to answer what it was told last. */
  readonly answering: boolean
  /** Names of the tools at work, by id. */
  readonly open: ReadonlyMap<string, string>
  readonly opened: boolean
  readonly succeeded: boolean
  /** What a failed result, or an error before it, said. */
  readonly error: string | null
}

/** Longest answer that is held together, in characters. */
const longest = 128 * 1024

/** The decoder of one start. */
export const decoder = (_request: Provider.StartRequest, location: string | null): Decoder<State> => ({
  initial: {
    location,
    pieces: "",
    answer: "",
    answering: false,
    open: new Map(),
    opened: false,
    succeeded: false,
    error: null
  },
  line: jsonLine(row),
  end: (state, { exit, stderrTail }) => {
    const [, rest] = flushed(state)
    if (state.succeeded) return rest
    if (state.error !== null) return [...rest, event.Failed({ failure: classify(state.error, exit.code, stderrTail) })]
    const refusal = state.opened ? null : classifyStderr(stderrTail)
    if (refusal !== null) return [...rest, event.Failed({ failure: refusal })]
    return state.opened && exit.code === 0
      ? [...rest, event.Notice({ text: "gemini ended without a result, as it does when a signal ends it" })]
      : rest
  }
})

const row = (state: State, json: JsonObject): Step<State> => {
  switch (json.type) {
    case "init": {
      const id = text(json.session_id)
      return [
        { ...state, opened: true },
        [
          ...(id === null ? [] : [event.SessionNamed({ id, location: state.location, confirms: true })]),
          event.SettingsReported({ model: text(json.model), thinking: null, permission: null })
        ]
      ]
    }
    case "message":
      return json.role === "assistant" ? said(state, text(json.content) ?? "") : [state, []]
    case "tool_use":
      return toolUse(state, json)
    case "tool_result":
      return toolResult(state, json)
    case "error": {
      const words = text(json.message) ?? ""
      if (json.severity !== "error") return [state, [event.Notice({ text: words })]]
      return [{ ...state, error: words }, []]
    }
    case "result":
      return result(state, json)
    default:
      return [state, []]
  }
}

/** The first sign of an answer is a new turn; an error before it was got over. */
const begun = (state: State): Step<State> =>
  state.answering
    ? [{ ...state, error: null }, []]
    : [{ ...state, answering: true, error: null }, [event.TurnStarted()]]

const said = (state: State, piece: string): Step<State> => {
  const [next, events] = begun(state)
  const joined = { ...next, pieces: next.pieces + piece }
  if (joined.pieces.length < longest) return [joined, events]
  const [after, message] = flushed(joined)
  return [after, [...events, ...message]]
}

/** Lets go of the answer that was being given. */
const flushed = (state: State): Step<State> =>
  state.pieces.trim() === ""
    ? [state, []]
    : [
        { ...state, pieces: "", answer: state.pieces },
        [event.Message({ role: "assistant", id: null, text: state.pieces })]
      ]

const toolUse = (state: State, json: JsonObject): Step<State> => {
  const [begin, turn] = begun(state)
  const [next, message] = flushed(begin)
  const id = text(json.tool_id) ?? ""
  const name = text(json.tool_name) ?? "tool"
  return [
    { ...next, open: withEntry(next.open, id, name) },
    [...turn, ...message, event.ToolStarted({ id, name, summary: toolSummary(json.parameters) })]
  ]
}

const toolResult = (state: State, json: JsonObject): Step<State> => {
  const id = text(json.tool_id) ?? ""
  const open = new Map(state.open)
  open.delete(id)
  const error = object(json.error)
  const output = text(json.output) ?? text(error.message) ?? ""
  // A command that fails is a successful tool use to gemini, which puts the code into the output.
  const ok = json.status === "success" && !/^Command exited with code: [1-9]/m.test(output)
  const refused = error.type === "policy_violation"
  return [
    { ...state, open, answering: false },
    [
      ...(refused ? [event.Denied({ tool: state.open.get(id) ?? "tool", detail: brief(output) })] : []),
      event.ToolFinished({ id, ok, summary: brief(output) })
    ]
  ]
}

const result = (state: State, json: JsonObject): Step<State> => {
  const [next, message] = flushed(state)
  const events: ReadonlyArray<Event> = [...message, ...usageOf(object(json.stats))]
  if (json.status === "success") {
    return [{ ...next, succeeded: true, error: null }, [...events, event.Succeeded({ text: next.answer })]]
  }
  const error = text(object(json.error).message) ?? state.error ?? "gemini reported a failure without words"
  return [{ ...next, error }, events]
}

/** The figures are of this run alone, resumed or not. */
const usageOf = (stats: JsonObject): ReadonlyArray<Event> => {
  const usage = { inputTokens: count(stats.input_tokens), outputTokens: count(stats.output_tokens), costUsd: null }
  return usage.inputTokens === 0 && usage.outputTokens === 0 ? [] : [event.UsageReported({ usage, cumulative: false })]
}
