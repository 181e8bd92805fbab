/** Anthropic Messages: `POST /v1/messages` (stream and JSON) and `/v1/messages/count_tokens`. */
import type { ServerResponse } from "node:http"
import { gone, openStream, pause, sendJson } from "./reply.js"
import { amount, command, type Scenario, words } from "./scenario.js"
import { field, item, list, role, type Transcript, text } from "./transcript.js"

/** Reads the conversation out of a request. */
export const transcript = (body: unknown): Transcript =>
  list(field(body, "messages")).flatMap((message) => {
    const who = role(field(message, "role"))
    const content = field(message, "content")
    if (typeof content === "string") return [item(who, "text", content)]
    return list(content).map((block) => {
      switch (field(block, "type")) {
        case "text":
          return item(who, "text", text(field(block, "text")))
        case "tool_use":
          return item(
            who,
            "tool_use",
            JSON.stringify(field(block, "input")),
            text(field(block, "id")),
            text(field(block, "name"))
          )
        case "tool_result": {
          const result = field(block, "content")
          const said =
            typeof result === "string"
              ? result
              : list(result)
                  .map((part) => text(field(part, "text")))
                  .join("\n")
          return item(who, "tool_result", said, text(field(block, "tool_use_id")))
        }
        default:
          return item(who, "other", "")
      }
    })
  })

/** The thinking level asked for. */
export const effort = (body: unknown): string | null => {
  const value = field(field(body, "output_config"), "effort")
  return typeof value === "string" ? value : null
}

const error = (type: string, message: string) => ({ type: "error", error: { type, message } })

const refusal = (
  scenario: Scenario,
  model: string,
  now: number
): Parameters<typeof sendJson> extends [unknown, ...infer Rest] ? Rest | null : never => {
  switch (scenario.name) {
    case "401":
      return [401, error("authentication_error", "invalid x-api-key")]
    case "403":
      return [403, error("permission_error", "Your account does not have access to this model.")]
    case "404":
      return [404, error("not_found_error", `model: ${model}`)]
    case "429":
      return [
        429,
        error("rate_limit_error", "This request would exceed your organization's rate limit."),
        { "retry-after": String(amount(scenario, 2)) }
      ]
    case "usage": {
      const reset = String(Math.floor(now / 1000) + 3600)
      return [
        429,
        error("rate_limit_error", "This request would exceed your account's rate limit. Please try again later."),
        {
          "retry-after": "3600",
          "anthropic-ratelimit-unified-status": "rejected",
          "anthropic-ratelimit-unified-reset": reset,
          "anthropic-ratelimit-unified-representative-claim": "five_hour",
          "anthropic-ratelimit-unified-5h-status": "rejected",
          "anthropic-ratelimit-unified-5h-reset": reset,
          "anthropic-ratelimit-unified-fallback": "unavailable"
        }
      ]
    }
    case "quota":
      return [
        400,
        error(
          "invalid_request_error",
          "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."
        )
      ]
    case "529":
      return [529, error("overloaded_error", "Overloaded")]
    case "500":
      return [500, error("api_error", "Internal server error")]
    case "503":
      return [503, error("api_error", "Service unavailable")]
    case "overflow":
      return [400, error("invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum")]
    default:
      return null
  }
}

/** Answers one request. `number` counts the server's requests and makes ids unique. */
export const reply = async (
  response: ServerResponse,
  body: unknown,
  scenario: Scenario,
  number: number
): Promise<void> => {
  const model = text(field(body, "model"))
  const refused = refusal(scenario, model, Date.now())
  if (refused !== null) {
    sendJson(response, ...refused)
    return
  }
  if (scenario.name === "stall") {
    await gone(response)
    return
  }
  const hasShell = list(field(body, "tools")).some((tool) => field(tool, "name") === "Bash")
  const wantsTool = ["tool", "loop", "drop-tool"].includes(scenario.name) && hasShell
  const usage = {
    input_tokens: 100 + number,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 1
  }
  const message = {
    id: `msg_${number}`,
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage
  }
  const call = {
    type: "tool_use",
    id: `toolu_${number}`,
    name: "Bash",
    input: { command: command(scenario), description: "runs the command of the test" }
  }
  const said = words(scenario, number)

  if (field(body, "stream") !== true) {
    sendJson(response, 200, {
      ...message,
      content: [wantsTool ? call : { type: "text", text: said.list.join("") }],
      stop_reason: wantsTool ? "tool_use" : "end_turn",
      usage: { ...usage, output_tokens: 20 }
    })
    return
  }

  const write = openStream(response)
  const send = (type: string, data: object): void => write(type, { type, ...data })
  send("message_start", { message })
  if (scenario.name === "stream-error" || scenario.name === "stream-rate") {
    send("error", {
      error: { type: scenario.name === "stream-error" ? "overloaded_error" : "rate_limit_error", message: "Overloaded" }
    })
    response.end()
    return
  }
  if (scenario.name === "silent") {
    await gone(response)
    return
  }
  if (wantsTool) {
    const input = JSON.stringify(call.input)
    send("content_block_start", { index: 0, content_block: { type: "text", text: "" } })
    send("content_block_delta", { index: 0, delta: { type: "text_delta", text: "I will run a command." } })
    send("content_block_stop", { index: 0 })
    send("content_block_start", { index: 1, content_block: { ...call, input: {} } })
    send("content_block_delta", { index: 1, delta: { type: "input_json_delta", partial_json: input.slice(0, 10) } })
    if (scenario.name === "drop-tool") {
      if (await pause(response, 200)) response.destroy()
      return
    }
    send("content_block_delta", { index: 1, delta: { type: "input_json_delta", partial_json: input.slice(10) } })
    send("content_block_stop", { index: 1 })
    send("message_delta", { delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 25 } })
    send("message_stop", {})
    response.end()
    return
  }
  send("content_block_start", { index: 0, content_block: { type: "text", text: "" } })
  for (const word of said.list) {
    send("content_block_delta", { index: 0, delta: { type: "text_delta", text: word } })
    if (said.pause > 0 && !(await pause(response, said.pause))) return
  }
  if (scenario.name === "drop") {
    response.destroy()
    return
  }
  send("content_block_stop", { index: 0 })
  send("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 20 } })
  send("message_stop", {})
  response.end()
}
