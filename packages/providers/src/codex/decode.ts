/** The lines of `codex exec --json` as run events. Pure. */
import { type Checkpoint, type Provider, RunEvent } from "@alluka/core"
import { type Decoder, jsonLine, type Step } from "../decoder.js"
import { resetIn } from "../failures.js"
import { count, type JsonObject, list, number, object, text } from "../json.js"
import { withId } from "../recent.js"
import { brief, toolSummary } from "../summary.js"
import { classify, classifyStderr } from "./failures.js"

type Event = RunEvent.RunEvent
const { RunEvent: event } = RunEvent

export interface State {
  readonly location: string | null
  /** The thread was named. Threads that begin later are those of other agents that this one has started. */
  readonly named: boolean
  /** The last answer, which is what a finished turn amounts to. */
  readonly answer: string
  /** Tools that were announced and have not ended. */
  readonly open: ReadonlySet<string>
  /** An error that no event has made final yet. */
  readonly error: { readonly text: string; readonly resetsAt: Checkpoint.Time | null } | null
  readonly ended: boolean
}

/** The decoder of one start. */
export const decoder = (_request: Provider.StartRequest, location: string | null): Decoder<State> => ({
  initial: { location, named: false, answer: "", open: new Set(), error: null, ended: false },
  line: jsonLine(row),
  end: (state, { exit, stderrTail }) => {
    if (state.ended) return []
    if (state.error !== null) return [event.Failed({ failure: classify(state.error.text, state.error.resetsAt) })]
    const refusal = exit.code === 0 ? null : classifyStderr(stderrTail)
    return refusal === null ? [] : [event.Failed({ failure: refusal })]
  }
})

const row = (state: State, json: JsonObject): Step<State> => {
  switch (json.type) {
    case "thread.started": {
      const id = text(json.thread_id)
      // A refused resume prints nothing on stdout, so the line itself proves that the thread was opened.
      if (id === null || state.named) return [state, []]
      return [{ ...state, named: true }, [event.SessionNamed({ id, location: state.location, confirms: true })]]
    }
    case "turn.started":
      return [state, [event.TurnStarted()]]
    case "item.started":
      return started({ ...state, error: null }, object(json.item))
    case "item.completed":
      return completed({ ...state, error: null }, object(json.item))
    case "turn.completed":
      return [
        { ...state, error: null, ended: true },
        [...usageOf(object(json.usage)), event.Succeeded({ text: state.answer })]
      ]
    case "turn.failed": {
      const error = object(json.error)
      const said = text(error.message) ?? state.error?.text ?? "the turn failed"
      const resetsAt = resetIn(json) ?? state.error?.resetsAt ?? null
      return [{ ...state, error: null, ended: true }, [event.Failed({ failure: classify(said, resetsAt) })]]
    }
    case "error":
      return failing(state, json)
    default:
      return [state, []]
  }
}

/** An error is final only if nothing follows it: most often codex tries again, and says so by the same event. */
const failing = (state: State, json: JsonObject): Step<State> => {
  const said = text(json.message) ?? ""
  if (/^Reconnecting\b/.test(said)) return [state, [event.Retrying({ text: said, until: null })]]
  return [{ ...state, error: { text: said, resetsAt: resetIn(json) } }, []]
}

/** Items that are the use of a tool, and what to call it. */
const toolName = (item: JsonObject): string | null => {
  switch (item.type) {
    case "command_execution":
      return "shell"
    case "file_change":
      return "file change"
    case "web_search":
      return "web search"
    case "mcp_tool_call":
    case "collab_tool_call":
      return [text(item.server), text(item.tool)].filter((part) => part !== null).join(".") || "tool"
    default:
      return null
  }
}

const asked = (item: JsonObject): string => {
  const changes = list(item.changes).map(object)
  if (changes.length > 0) {
    return brief(changes.map((change) => `${text(change.kind) ?? "change"} ${text(change.path) ?? ""}`).join(", "))
  }
  return toolSummary(item.command === undefined && item.query === undefined ? item.arguments : item)
}

const gave = (item: JsonObject): string => {
  const code = number(item.exit_code)
  const output = brief(text(item.aggregated_output) ?? text(object(item.error).message) ?? "")
  return [code === null || code === 0 ? "" : `exit ${code}`, output].filter((part) => part !== "").join(": ")
}

const started = (state: State, item: JsonObject): Step<State> => {
  const name = toolName(item)
  const id = text(item.id) ?? ""
  if (name === null || state.open.has(id)) return [state, []]
  return [{ ...state, open: withId(state.open, id) }, [event.ToolStarted({ id, name, summary: asked(item) })]]
}

const completed = (state: State, item: JsonObject): Step<State> => {
  const id = text(item.id)
  const said = text(item.text)
  if (item.type === "agent_message" && said !== null) {
    return [{ ...state, answer: said }, [event.Message({ role: "assistant", id, text: said })]]
  }
  // An item of type `error` is a warning: the model differs from the recorded one, its metadata are unknown.
  if (item.type === "error") return [state, [event.Notice({ text: text(item.message) ?? "" })]]
  if (toolName(item) === null) return [state, []]
  // Some tools are told only once they have ended.
  const [opened, before] = started(state, item)
  const open = new Set(opened.open)
  open.delete(id ?? "")
  const ok = item.status !== "failed" && (number(item.exit_code) ?? 0) === 0
  return [{ ...opened, open }, [...before, event.ToolFinished({ id: id ?? "", ok, summary: gave(item) })]]
}

/** codex counts over the whole thread, resumes and forks included. */
const usageOf = (usage: JsonObject): ReadonlyArray<Event> =>
  Object.keys(usage).length === 0
    ? []
    : [
        event.UsageReported({
          usage: {
            inputTokens: count(usage.input_tokens),
            outputTokens: count(usage.output_tokens),
            costUsd: null
          },
          cumulative: true
        })
      ]
