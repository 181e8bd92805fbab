/**
 * claude's `stream-json` lines as run events. Pure. Without `--include-partial-messages` every `assistant` row is one
 * finished block of a message; rows of a message share its id.
 */
import { type Checkpoint, type Provider, RunEvent } from "@alluka/core"
import { type Decoder, jsonLine, type Step } from "../decoder.js"
import { resetIn } from "../failures.js"
import { count, type JsonObject, list, number, object, text, texts } from "../json.js"
import { withId } from "../recent.js"
import { brief, toolSummary } from "../summary.js"
import { type ClaudeError, classify, classifyStderr, isAborted } from "./failures.js"

type Event = RunEvent.RunEvent
const { RunEvent: event } = RunEvent

export interface State {
  readonly conversation: Provider.Conversation["_tag"]
  /** The configuration directory of this start. */
  readonly location: string | null
  /** Id of the message that the last block belonged to. */
  readonly message: string | null
  /** The model that the last message came from. */
  readonly model: string | null
  /** Tool uses whose refusal was already told. */
  readonly denied: ReadonlySet<string>
  /** What a rejecting `rate_limit_event` and the synthetic error row said; the `result` repeats only a part of it. */
  readonly rejected: boolean
  readonly resetsAt: Checkpoint.Time | null
  readonly error: ClaudeError | null
  readonly ended: boolean
}

const nothing = <S>(state: S): Step<S> => [state, []]

/** The decoder of one start. */
export const decoder = (request: Provider.StartRequest, location: string | null): Decoder<State> => ({
  initial: {
    conversation: request.conversation._tag,
    location,
    message: null,
    model: null,
    denied: new Set(),
    rejected: false,
    resetsAt: null,
    error: null,
    ended: false
  },
  line: jsonLine(row),
  end: (state, { exit, stderrTail }) => {
    if (state.ended) return []
    if (state.error !== null) return [event.Failed({ failure: classify(state.error) })]
    const refusal = exit.code === 0 ? null : classifyStderr(stderrTail)
    return refusal === null ? [] : [event.Failed({ failure: refusal })]
  }
})

const row = (state: State, json: JsonObject, now: number): Step<State> => {
  switch (json.type) {
    case "system":
      return system(state, json, now)
    case "assistant":
      return assistant(state, json)
    case "user":
      return user(state, json)
    case "rate_limit_event":
      return rateLimit(state, json)
    case "result":
      return result(state, json)
    default:
      return nothing(state)
  }
}

const system = (state: State, json: JsonObject, now: number): Step<State> => {
  switch (json.subtype) {
    case "init": {
      const id = text(json.session_id)
      const settings = event.SettingsReported({
        model: text(json.model),
        thinking: null,
        permission: text(json.permissionMode)
      })
      // Only `init` proves that the conversation was opened: a refused resume names the id too, in its `result`.
      const named = id === null ? [] : [event.SessionNamed({ id, location: state.location, confirms: true })]
      return [state, [...named, settings]]
    }
    case "api_retry": {
      const delay = number(json.retry_delay_ms)
      const status = number(json.error_status)
      const cause = [status, text(json.error)].filter((part) => part !== null).join(" ")
      const attempt = `attempt ${count(json.attempt)} of ${count(json.max_retries)}`
      return [
        state,
        [
          event.Retrying({
            text: `${cause}: ${attempt}`,
            until: delay === null ? null : Math.round(now + Math.max(0, delay))
          })
        ]
      ]
    }
    case "permission_denied": {
      const id = text(json.tool_use_id)
      return [
        { ...state, denied: id === null ? state.denied : withId(state.denied, id) },
        [event.Denied({ tool: text(json.tool_name) ?? "tool", detail: text(json.message) ?? "" })]
      ]
    }
    case "compact_boundary":
      return [state, [event.Compacted()]]
    default:
      return nothing(state)
  }
}

const assistant = (state: State, json: JsonObject): Step<State> => {
  const message = object(json.message)
  // Work of a sub-agent: its tools are progress worth showing, but neither a turn nor a tool of this conversation, and what
  // it failed of is for this conversation to get over.
  if (text(json.parent_tool_use_id) !== null) {
    const tools = list(message.content).map(object).filter(isToolUse)
    return [
      state,
      tools.map((block) => event.Notice({ text: `sub-agent: ${toolName(block)}: ${toolSummary(block.input)}` }))
    ]
  }
  if (json.is_api_error_message === true || message.model === "<synthetic>") return syntheticError(state, json)
  const id = text(message.id)
  const model = text(message.model)
  const events: Array<Event> = []
  if (id === null || id !== state.message) events.push(event.TurnStarted())
  // `init` names the model as it was asked for; what changes later is a fallback.
  if (model !== null && state.model !== null && model !== state.model) {
    events.push(event.SettingsReported({ model, thinking: null, permission: null }))
  }
  for (const block of list(message.content).map(object)) {
    const said = text(block.text)
    if (block.type === "text" && said !== null) events.push(event.Message({ role: "assistant", id, text: said }))
    else if (isToolUse(block)) {
      events.push(
        event.ToolStarted({ id: text(block.id) ?? "", name: toolName(block), summary: toolSummary(block.input) })
      )
    } else if (isToolResult(block)) events.push(toolFinished(block))
  }
  // An error that the model has answered after is over.
  return [{ ...state, message: id, model: model ?? state.model, error: null }, events]
}

const isToolUse = (block: JsonObject): boolean => text(block.type)?.endsWith("tool_use") === true
const isToolResult = (block: JsonObject): boolean => text(block.type)?.endsWith("tool_result") === true
const toolName = (block: JsonObject): string => text(block.name) ?? "tool"

const toolFinished = (block: JsonObject): Event =>
  event.ToolFinished({
    id: text(block.tool_use_id) ?? "",
    ok: block.is_error !== true,
    summary: brief(contentText(block.content))
  })

/** Text of a `content`, which is a text or a list of blocks. */
const contentText = (content: unknown): string =>
  text(content) ??
  list(content)
    .map((block) => text(object(block).text) ?? "")
    .join("\n")

/** An API error in the form of a message: remembered, since the `result` that follows carries only a part of it. */
const syntheticError = (state: State, json: JsonObject): Step<State> => {
  const error: ClaudeError = {
    subtype: null,
    terminalReason: null,
    status: number(json.api_error_status),
    apiError: text(json.api_error),
    error: text(json.error),
    errors: [],
    text: contentText(object(json.message).content),
    resetsAt: resetIn(json) ?? state.resetsAt,
    rejected: state.rejected
  }
  return nothing({ ...state, error })
}

const user = (state: State, json: JsonObject): Step<State> => {
  if (text(json.parent_tool_use_id) !== null) return nothing(state)
  // Texts in `user` rows are claude's own additions (a summary, a note of an interruption), not the person's words.
  const results = list(object(json.message).content).map(object).filter(isToolResult)
  return [state, results.map(toolFinished)]
}

const rateLimit = (state: State, json: JsonObject): Step<State> => {
  const status = text(object(json.rate_limit_info).status) ?? text(json.status)
  if (status === "allowed") return nothing(state)
  if (status?.startsWith("allowed") === true) {
    return [state, [event.Notice({ text: "the usage limit is near" })]]
  }
  return nothing({ ...state, rejected: true, resetsAt: resetIn(json) ?? state.resetsAt })
}

const result = (state: State, json: JsonObject): Step<State> => {
  const denials = list(json.permission_denials)
    .map(object)
    .filter((denial) => !state.denied.has(text(denial.tool_use_id) ?? ""))
  const denied = denials.reduce((known, denial) => withId(known, text(denial.tool_use_id) ?? ""), state.denied)
  const events: Array<Event> = denials.map((denial) =>
    event.Denied({ tool: text(denial.tool_name) ?? "tool", detail: toolSummary(denial.tool_input) })
  )
  const usage = usageOf(state, json)
  if (usage !== null) events.push(usage)

  const subtype = text(json.subtype)
  const terminalReason = text(json.terminal_reason)
  const ok = json.is_error !== true && (subtype === null || subtype === "success") && !isAborted(terminalReason)
  events.push(
    ok
      ? event.Succeeded({ text: text(json.result) ?? "" })
      : event.Failed({
          failure: classify({
            subtype,
            terminalReason,
            status: number(json.api_error_status) ?? state.error?.status ?? null,
            apiError: text(json.api_error) ?? state.error?.apiError ?? null,
            error: state.error?.error ?? text(json.error),
            errors: texts(json.errors),
            text: text(json.result) ?? state.error?.text ?? "",
            resetsAt: resetIn(json) ?? state.error?.resetsAt ?? state.resetsAt,
            rejected: state.rejected
          })
        })
  )
  return [{ ...state, denied, error: null, ended: true }, events]
}

/**
 * Tokens are of this invocation, with those of the cache counted in. `total_cost_usd` goes on over resumes and forks; the
 * cost of this run alone is in `model_usage_since_last_result`, and for a new conversation it is the total.
 */
const usageOf = (state: State, json: JsonObject): Event | null => {
  const usage = object(json.usage)
  const total = cost(json.total_cost_usd)
  const inputTokens =
    count(usage.input_tokens) + count(usage.cache_creation_input_tokens) + count(usage.cache_read_input_tokens)
  const outputTokens = count(usage.output_tokens)
  // A refused resume reports zeros, which are no total of the conversation.
  if (inputTokens === 0 && outputTokens === 0 && (total ?? 0) === 0) return null
  const since = json.model_usage_since_last_result
  const ofThisRun =
    since !== undefined
      ? Object.values(object(since)).reduce<number>((sum, model) => sum + (cost(object(model).costUSD) ?? 0), 0)
      : state.conversation === "New"
        ? total
        : null
  return event.UsageReported({
    usage: { inputTokens, outputTokens, costUsd: ofThisRun },
    cumulative: false,
    ...(total === null ? {} : { sessionCostUsd: total })
  })
}

const cost = (value: unknown): number | null => {
  const amount = number(value)
  return amount === null || amount < 0 ? null : amount
}
