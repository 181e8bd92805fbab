/**
 * The lines of `kimi --output-format stream-json` as run events. Pure. The last line of a run that came to its end names the
 * session; without it the run failed, whatever was said before, and why stands on stderr.
 */
import { type Provider, RunEvent } from "@alluka/core"
import { type Decoder, jsonLine, type Step } from "../decoder.js"
import { count, type JsonObject, list, number, object, parseObject, text } from "../json.js"
import { brief, toolSummary } from "../summary.js"
import { classifyStderr } from "./failures.js"

type Event = RunEvent.RunEvent
const { RunEvent: event } = RunEvent

export interface State {
  /** The configuration directory of this start. */
  readonly location: string | null
  /** The session asked for. Its id is not in the lines, but kimi refuses one that it does not have. */
  readonly asked: string | null
  readonly confirmed: boolean
  /** The last answer, which is what a finished run amounts to. */
  readonly answer: string
  readonly succeeded: boolean
}

/** The decoder of one start. */
export const decoder = ({ conversation }: Provider.StartRequest, location: string | null): Decoder<State> => ({
  initial: {
    location,
    asked: conversation._tag === "New" ? null : conversation.id,
    confirmed: false,
    answer: "",
    succeeded: false
  },
  line: jsonLine(row),
  end: (state, { stderrTail }) => {
    if (state.succeeded) return []
    const said = classifyStderr(stderrTail)
    return said === null ? [] : [event.Failed({ failure: said })]
  }
})

const row = (state: State, json: JsonObject, now: number): Step<State> => {
  switch (json.role) {
    case "assistant":
      return opened(state, assistant(json))
    case "tool":
      return [state, [toolFinished(json)]]
    case "meta":
      return meta(state, json, now)
    default:
      return [state, []]
  }
}

const meta = (state: State, json: JsonObject, now: number): Step<State> => {
  switch (json.type) {
    case "turn.step.retrying": {
      const delay = number(json.delay_ms)
      const attempt = `attempt ${count(json.next_attempt)} of ${count(json.max_attempts)}`
      return opened(state, [
        event.Retrying({
          text: `${text(json.error_message) ?? text(json.error_name) ?? "the model's server failed"}: ${attempt}`,
          until: delay === null ? null : Math.round(now + Math.max(0, delay))
        })
      ])
    }
    case "session.resume_hint": {
      const id = text(json.session_id)
      return [
        { ...state, succeeded: true },
        [
          ...(id === null ? [] : [event.SessionNamed({ id, location: state.location, confirms: true })]),
          ...(state.succeeded ? [] : [event.Succeeded({ text: state.answer })])
        ]
      ]
    }
    default:
      return [state, []]
  }
}

/** The first sign of the model in a session that was asked for proves that this session was opened. */
const opened = (state: State, events: ReadonlyArray<Event>): Step<State> => {
  const said = events.findLast((each) => each._tag === "Message")
  const next = { ...state, confirmed: true, answer: said?.text ?? state.answer }
  if (state.confirmed || state.asked === null) return [next, events]
  return [next, [event.SessionNamed({ id: state.asked, location: state.location, confirms: true }), ...events]]
}

const assistant = (json: JsonObject): ReadonlyArray<Event> => {
  const said = contentText(json.content)
  const tools = list(json.tool_calls)
    .map(object)
    .map((call) => {
      const asked = object(call.function)
      const args = text(asked.arguments)
      return event.ToolStarted({
        id: text(call.id) ?? "",
        name: text(asked.name) ?? "tool",
        summary: toolSummary(args === null ? asked.arguments : (parseObject(args) ?? args))
      })
    })
  return [
    event.TurnStarted(),
    ...(said.trim() === "" ? [] : [event.Message({ role: "assistant", id: null, text: said })]),
    ...tools
  ]
}

/** kimi does not tell whether a tool succeeded; a command that failed has its code in the last line. */
const toolFinished = (json: JsonObject): Event => {
  const output = contentText(json.content)
  return event.ToolFinished({
    id: text(json.tool_call_id) ?? "",
    ok: !/^Command failed with exit code: \d+\.?$/m.test(output),
    summary: brief(output)
  })
}

const contentText = (content: unknown): string =>
  text(content) ??
  list(content)
    .map((part) => text(object(part).text) ?? "")
    .join("\n")
