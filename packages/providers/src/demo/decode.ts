/** The demo agent's lines as run events. Pure. */
import { type Provider, RunEvent } from "@alluka/core"
import { type Decoder, jsonLine, type Step } from "../decoder.js"
import { type JsonObject, text } from "../json.js"
import { classify } from "./failures.js"

const { RunEvent: event } = RunEvent

export interface State {
  readonly location: string | null
}

/** The decoder of one start; `location`: the folder of the session files. */
export const decoder = (_request: Provider.StartRequest, location: string | null): Decoder<State> => ({
  initial: { location },
  line: jsonLine(row),
  end: () => []
})

const row = (state: State, json: JsonObject): Step<State> => [state, said(state, json)]

const said = (state: State, json: JsonObject): ReadonlyArray<RunEvent.RunEvent> => {
  const id = text(json.id) ?? ""
  switch (json.type) {
    case "session": {
      const session = text(json.session_id)
      return [
        ...(session === null ? [] : [event.SessionNamed({ id: session, location: state.location, confirms: true })]),
        event.SettingsReported({
          model: text(json.model),
          thinking: text(json.thinking),
          permission: text(json.permission)
        }),
        event.TurnStarted()
      ]
    }
    case "message":
      return [event.Message({ role: "assistant", id, text: text(json.text) ?? "" })]
    case "step_started":
      return [event.ToolStarted({ id, name: text(json.name) ?? "step", summary: text(json.summary) ?? "" })]
    case "step_finished":
      return [event.ToolFinished({ id, ok: json.ok === true, summary: text(json.summary) ?? "" })]
    case "stopped":
      return [event.Notice({ text: `the demo agent was stopped by ${text(json.signal) ?? "a signal"}` })]
    case "result":
      return json.status === "done" ? [event.Succeeded({ text: text(json.text) ?? "" })] : []
    case "error":
      return [event.Failed({ failure: classify(text(json.code), text(json.message) ?? "") })]
    default:
      return []
  }
}
