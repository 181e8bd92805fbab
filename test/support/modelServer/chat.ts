/** OpenAI chat completions: `POST …/chat/completions` (stream and JSON). */
import type { ServerResponse } from "node:http"
import { gone, openStream, pause, sendJson } from "./reply.js"
import { amount, command, type Scenario, words } from "./scenario.js"
import { field, item, list, role, type Transcript, text } from "./transcript.js"

/** Reads the conversation out of a request. */
export const transcript = (body: unknown): Transcript =>
  list(field(body, "messages")).flatMap((message) => {
    const content = field(message, "content")
    const said =
      typeof content === "string"
        ? content
        : list(content)
            .map((part) => text(field(part, "text")))
            .join("")
    if (field(message, "role") === "tool") {
      return [item("user", "tool_result", said, text(field(message, "tool_call_id")))]
    }
    const who = role(field(message, "role"))
    const parts = list(content).map((part) => text(field(part, "text")))
    // Agents put reminders beside what the person said, each a part of its own.
    if (who === "user" && parts.length > 0) return parts.map((part) => item("user", "text", part))
    const calls = list(field(message, "tool_calls")).map((call) =>
      item(
        "assistant",
        "tool_use",
        text(field(field(call, "function"), "arguments")),
        text(field(call, "id")),
        text(field(field(call, "function"), "name"))
      )
    )
    return said === "" && calls.length > 0 ? calls : [item(who, "text", said), ...calls]
  })

/** The thinking level asked for. */
export const effort = (body: unknown): string | null => {
  const value = field(body, "reasoning_effort")
  return typeof value === "string" ? value : null
}

const shellNames = ["bash", "shell", "run_shell_command", "Shell", "Bash"]

const errors: Readonly<Record<string, readonly [status: number, type: string, code: string, message: string]>> = {
  "401": [401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided"],
  "403": [403, "invalid_request_error", "forbidden", "You are not allowed to use this model"],
  "404": [404, "invalid_request_error", "model_not_found", "The model does not exist or you do not have access to it"],
  "429": [429, "rate_limit_error", "rate_limit_exceeded", "Rate limit reached. Try again later."],
  usage: [429, "rate_limit_error", "usage_limit_reached", "The usage limit has been reached"],
  quota: [
    429,
    "insufficient_quota",
    "insufficient_quota",
    "You exceeded your current quota, please check your plan and billing details."
  ],
  "529": [529, "server_error", "server_error", "Overloaded"],
  "500": [500, "server_error", "server_error", "The server had an error while processing your request"],
  "503": [503, "server_error", "server_error", "Service unavailable"],
  overflow: [
    400,
    "invalid_request_error",
    "context_length_exceeded",
    "This model's maximum context length is 200000 tokens."
  ]
}

/** Answers one request. */
export const reply = async (
  response: ServerResponse,
  body: unknown,
  scenario: Scenario,
  number: number
): Promise<void> => {
  const failure = errors[scenario.name]
  if (failure !== undefined) {
    const [status, type, code, message] = failure
    const headers = scenario.name === "429" ? { "retry-after": String(amount(scenario, 2)) } : {}
    sendJson(response, status, { error: { message, type, code, param: null } }, headers)
    return
  }
  if (scenario.name === "stall") {
    await gone(response)
    return
  }
  const model = text(field(body, "model"))
  const shell = list(field(body, "tools"))
    .map((tool) => text(field(field(tool, "function"), "name")))
    .find((name) => shellNames.includes(name))
  const wantsTool = ["tool", "loop", "drop-tool"].includes(scenario.name) && shell !== undefined
  const call = {
    index: 0,
    id: `call_${number}`,
    type: "function",
    function: {
      name: shell ?? "",
      arguments: JSON.stringify({ command: command(scenario), description: "runs the command of the test" })
    }
  }
  const said = words(scenario, number)
  const usage = { prompt_tokens: 100 + number, completion_tokens: 20, total_tokens: 120 + number }
  const base = { id: `chatcmpl-${number}`, created: Math.floor(Date.now() / 1000), model }
  const finish = wantsTool ? "tool_calls" : "stop"

  if (field(body, "stream") !== true) {
    const message = wantsTool
      ? { role: "assistant", content: null, tool_calls: [call] }
      : { role: "assistant", content: said.list.join("") }
    sendJson(response, 200, {
      ...base,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: finish }],
      usage
    })
    return
  }
  const write = openStream(response)
  const chunkOf = (delta: object, reason: string | null = null): object => ({
    ...base,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: reason }]
  })
  const chunk = (delta: object, reason: string | null = null): void => write(null, chunkOf(delta, reason))
  const half = (delta: object): boolean => response.write(`data: ${JSON.stringify(chunkOf(delta)).slice(0, 40)}`)
  if (scenario.name === "half-first") {
    half({ role: "assistant", content: "" })
    await gone(response)
    return
  }
  chunk({ role: "assistant", content: "" })
  if (scenario.name.startsWith("stream-")) {
    write(null, { error: { message: "the stream failed", type: "server_error", code: "server_error" } })
    response.end("data: [DONE]\n\n")
    return
  }
  if (scenario.name === "silent") {
    await gone(response)
    return
  }
  if (wantsTool) {
    chunk({ tool_calls: [call] })
    if (scenario.name === "drop-tool") {
      if (await pause(response, 200)) response.destroy()
      return
    }
  } else {
    for (const word of said.list) {
      chunk({ content: word })
      if (said.pause > 0 && !(await pause(response, said.pause))) return
    }
    if (scenario.name === "drop") {
      response.destroy()
      return
    }
    if (scenario.name === "half") {
      half({ content: "and more" })
      await gone(response)
      return
    }
  }
  chunk({}, finish)
  write(null, { ...base, object: "chat.completion.chunk", choices: [], usage })
  if (scenario.name === "unended") {
    await gone(response)
    return
  }
  write(null, "[DONE]")
  response.end()
}
