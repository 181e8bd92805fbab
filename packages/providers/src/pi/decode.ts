/**
 * The lines of `pi --mode json` as run events. Pure; for 0.73.1 and 1.6.0. The exit code says nothing: 0 is what a refused
 * key gives too. A run has succeeded when its last answer stopped by itself and then 1.6.0 said that it has settled, or
 * 0.73.1, which has no such event, ended with 0.
 */
import { type Provider, RunEvent } from "@alluka/core"
import { type Decoder, jsonLine, type Step } from "../decoder.js"
import { failure } from "../failures.js"
import { count, type JsonObject, list, number, object, text } from "../json.js"
import { brief, toolSummary } from "../summary.js"
import { classify, classifyStderr, classifyStop } from "./failures.js"

type Event = RunEvent.RunEvent
const { RunEvent: event } = RunEvent

export interface State {
  /** The folder of sessions of this start. */
  readonly location: string | null
  /** The model asked for, in the words in which it was asked for. */
  readonly asked: string | null
  readonly model: string | null
  readonly thinking: string | null
  /** The last answer, which is what a finished run amounts to. */
  readonly answer: string
  /** Something was said, or a tool was used. */
  readonly didSomething: boolean
  /** How the last answer stopped; `null` while one is being given. */
  readonly stop: string | null
  readonly error: string | null
  /** It waits, to ask again after the error. */
  readonly retrying: boolean
  readonly succeeded: boolean
  readonly inputTokens: number
  readonly outputTokens: number
  readonly costUsd: number
}

/** The decoder of one start. */
export const decoder = (request: Provider.StartRequest, location: string | null): Decoder<State> => ({
  initial: {
    location,
    asked: request.model,
    model: null,
    thinking: null,
    answer: "",
    didSomething: false,
    stop: null,
    error: null,
    retrying: false,
    succeeded: false,
    inputTokens: 0,
    outputTokens: 0,
    costUsd: 0
  },
  line: jsonLine(row),
  end: (state, { exit, stderrTail }) => {
    // Cut off while it waited: the error was not its last word.
    if (state.succeeded || (state.retrying && exit.signal !== null)) return []
    if (state.stop === "stop") return exit.code === 0 ? [ending(state)] : []
    if (state.stop === "error") return [event.Failed({ failure: classify(state.error ?? "the model's server failed") })]
    if (state.stop !== null && state.stop !== "toolUse") return [event.Failed({ failure: classifyStop(state.stop) })]
    const refusal = classifyStderr(stderrTail)
    return refusal === null ? [] : [event.Failed({ failure: refusal })]
  }
})

const ending = (state: State): Event =>
  state.didSomething
    ? event.Succeeded({ text: state.answer })
    : event.Failed({ failure: failure("provider_error", "the model answered nothing") })

const row = (state: State, json: JsonObject, now: number): Step<State> => {
  switch (json.type) {
    case "session": {
      const id = text(json.id)
      return [state, id === null ? [] : [event.SessionNamed({ id, location: state.location, confirms: true })]]
    }
    case "turn_start":
      return [state, [event.TurnStarted()]]
    case "message_start":
      return [object(json.message).role === "assistant" ? { ...state, stop: null, retrying: false } : state, []]
    case "message_end": {
      const message = object(json.message)
      return message.role === "assistant" ? answered(state, message) : [state, []]
    }
    case "tool_execution_start":
      return [
        { ...state, didSomething: true },
        [
          event.ToolStarted({
            id: text(json.toolCallId) ?? "",
            name: text(json.toolName) ?? "tool",
            summary: toolSummary(json.args)
          })
        ]
      ]
    case "tool_execution_end":
      return [
        state,
        [
          event.ToolFinished({
            id: text(json.toolCallId) ?? "",
            ok: json.isError !== true,
            summary: brief(contentText(object(json.result).content))
          })
        ]
      ]
    case "auto_retry_start": {
      const delay = number(json.delayMs)
      return [
        { ...state, retrying: true },
        [
          event.Retrying({
            text: `${text(json.errorMessage) ?? "the model's server failed"}: attempt ${count(json.attempt)} of ${count(json.maxAttempts)}`,
            until: delay === null ? null : Math.round(now + Math.max(0, delay))
          })
        ]
      ]
    }
    case "compaction_end":
      return [state, json.aborted === true ? [] : [event.Compacted()]]
    case "agent_settled":
      if (json.aborted === true || state.stop !== "stop" || state.succeeded || !state.didSomething) return [state, []]
      return [{ ...state, succeeded: true }, [ending(state)]]
    default:
      return [state, []]
  }
}

/** An answer has come to its end. */
const answered = (state: State, message: JsonObject): Step<State> => {
  const [next, settings] = reported(state, message)
  const said = contentText(message.content)
  const usage = object(message.usage)
  const after: State = {
    ...next,
    answer: said.trim() === "" ? next.answer : said,
    didSomething: next.didSomething || said.trim() !== "",
    stop: text(message.stopReason),
    error: text(message.errorMessage),
    inputTokens: next.inputTokens + count(usage.input) + count(usage.cacheRead) + count(usage.cacheWrite),
    outputTokens: next.outputTokens + count(usage.output),
    costUsd: next.costUsd + Math.max(0, number(object(usage.cost).total) ?? 0)
  }
  return [
    after,
    [
      ...settings,
      ...(said.trim() === "" ? [] : [event.Message({ role: "assistant", id: text(message.responseId), text: said })]),
      ...(after.inputTokens === 0 && after.outputTokens === 0 ? [] : [usageOf(after)])
    ]
  ]
}

/** The model that answered, where it is another than before; and the level, which only 1.6.0 tells. */
const reported = (state: State, message: JsonObject): Step<State> => {
  const model = modelOf(state.asked, text(message.provider), text(message.model))
  const thinking = text(message.thinkingLevel)
  if (model === null || (model === state.model && thinking === state.thinking)) return [state, []]
  return [{ ...state, model, thinking }, [event.SettingsReported({ model, thinking, permission: null })]]
}

/**
 * What to call the model that answered: as it was asked for where that is the same one (with or without its provider, with
 * or without a level behind it), else with its provider, so that it can be asked for again.
 */
const modelOf = (asked: string | null, provider: string | null, model: string | null): string | null => {
  if (model === null) return null
  const full = provider === null ? model : `${provider}/${model}`
  const same = asked !== null && [model, full].some((name) => asked === name || asked.startsWith(`${name}:`))
  return same ? asked : full
}

/** Text of a message's `content`. */
const contentText = (content: unknown): string =>
  text(content) ??
  list(content)
    .map(object)
    .flatMap((block) => (block.type === "text" ? [text(block.text) ?? ""] : []))
    .join("\n")

/** pi says 0 where it does not know a model's price. */
const usageOf = ({ costUsd, inputTokens, outputTokens }: State): Event =>
  event.UsageReported({
    usage: { inputTokens, outputTokens, costUsd: costUsd === 0 ? null : costUsd },
    cumulative: false
  })
