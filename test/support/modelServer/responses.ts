/** OpenAI Responses: `POST …/responses` (stream). Tools may stand in `tools` or in an `additional_tools` item of the input. */
import type { ServerResponse } from "node:http"
import { gone, openStream, pause, sendJson } from "./reply.js"
import { amount, command, type Scenario, words } from "./scenario.js"
import { field, item, list, role, type Transcript, type TranscriptItem, text } from "./transcript.js"

const contentText = (content: unknown): string =>
  typeof content === "string"
    ? content
    : list(content)
        .map((part) => text(field(part, "text")))
        .join("\n")

/** Reads the conversation out of a request. */
export const transcript = (body: unknown): Transcript => {
  const input = field(body, "input")
  if (typeof input === "string") return [item("user", "text", input)]
  return list(input).map((one): TranscriptItem => {
    const type = text(field(one, "type"))
    if (type === "message" || type === "") {
      return item(role(field(one, "role")), "text", contentText(field(one, "content")))
    }
    const id = text(field(one, "call_id"))
    if (type.endsWith("_call")) {
      const asked = field(one, "arguments") ?? field(one, "input") ?? JSON.stringify(field(one, "action") ?? null)
      return item("assistant", "tool_use", text(asked), id, text(field(one, "name")))
    }
    if (type.endsWith("_call_output")) {
      const output = field(one, "output")
      return item("user", "tool_result", typeof output === "string" ? output : JSON.stringify(output), id)
    }
    return item("other", "other", type)
  })
}

/** The thinking level asked for. */
export const effort = (body: unknown): string | null => {
  const value = field(field(body, "reasoning"), "effort")
  return typeof value === "string" ? value : null
}

interface OfferedTool {
  readonly name: string
  readonly namespace: string | null
}

const offeredTools = (body: unknown): ReadonlyArray<OfferedTool> => {
  const walk = (tools: unknown, namespace: string | null): ReadonlyArray<OfferedTool> =>
    list(tools).flatMap((tool) =>
      field(tool, "type") === "namespace"
        ? walk(field(tool, "tools"), text(field(tool, "name")))
        : [{ name: text(field(tool, "name")) || text(field(tool, "type")), namespace }]
    )
  const added = list(field(body, "input")).filter((one) => field(one, "type") === "additional_tools")
  return [...walk(field(body, "tools"), null), ...added.flatMap((one) => walk(field(one, "tools"), null))]
}

/** A call of whichever shell tool the program offers; `null` if it offers none. */
const shellCall = (body: unknown, shell: string, number: number): object | null => {
  const offered = offeredTools(body)
  const find = (name: string): OfferedTool | undefined => offered.find((tool) => tool.name === name)
  const place = (tool: OfferedTool): object => (tool.namespace === null ? {} : { namespace: tool.namespace })
  const asFunction = (tool: OfferedTool, values: object): object => ({
    type: "function_call",
    id: `fc_${number}`,
    call_id: `call_${number}`,
    name: tool.name,
    ...place(tool),
    arguments: JSON.stringify(values),
    status: "completed"
  })
  const execCommand = find("exec_command")
  if (execCommand !== undefined) return asFunction(execCommand, { cmd: shell, yield_time_ms: 30_000 })
  const shellCommand = find("shell_command")
  if (shellCommand !== undefined) return asFunction(shellCommand, { command: shell, timeout_ms: 120_000 })
  const plainShell = find("shell")
  if (plainShell !== undefined) return asFunction(plainShell, { command: ["bash", "-lc", shell], timeout_ms: 120_000 })
  const exec = find("exec")
  if (exec === undefined) return null
  const program = `text(await tools.exec_command({cmd: ${JSON.stringify(shell)}, yield_time_ms: 30000}));`
  return {
    type: "custom_tool_call",
    id: `ctc_${number}`,
    call_id: `call_${number}`,
    name: "exec",
    ...place(exec),
    status: "completed",
    input: program
  }
}

const error = (type: string, code: string | null, message: string, extra: object = {}) => ({
  error: { type, code, message, param: null, ...extra }
})

const refusal = (
  scenario: Scenario,
  model: string,
  now: number
): readonly [status: number, body: object, headers?: Readonly<Record<string, string>>] | null => {
  switch (scenario.name) {
    case "401":
      return [401, error("invalid_request_error", "invalid_api_key", "Incorrect API key provided.")]
    case "403":
      return [403, error("invalid_request_error", "forbidden", "You are not allowed to use this model.")]
    case "404":
      return [
        404,
        error(
          "invalid_request_error",
          "model_not_found",
          `The model '${model}' does not exist or you do not have access to it.`
        )
      ]
    case "429": {
      const seconds = amount(scenario, 2)
      return [
        429,
        error("tokens", "rate_limit_exceeded", `Rate limit reached for ${model}. Please try again in ${seconds}s.`),
        { "retry-after": String(seconds) }
      ]
    }
    case "usage":
      return [
        429,
        error("usage_limit_reached", null, "The usage limit has been reached", {
          plan_type: "plus",
          resets_at: Math.floor(now / 1000) + 3600,
          resets_in_seconds: 3600
        })
      ]
    case "quota":
      return [
        429,
        error(
          "insufficient_quota",
          "insufficient_quota",
          "You exceeded your current quota, please check your plan and billing details."
        )
      ]
    case "529":
    case "503":
      return [
        503,
        error("server_error", "server_is_overloaded", "Our servers are currently overloaded. Please try again later.")
      ]
    case "500":
      return [500, error("server_error", null, "The server had an error while processing your request.")]
    default:
      return null
  }
}

const streamFailures: Readonly<Record<string, readonly [code: string, message: string]>> = {
  overflow: ["context_length_exceeded", "Your input exceeds the context window of this model."],
  "stream-error": ["server_is_overloaded", "Our servers are currently overloaded. Please try again later."],
  "stream-quota": ["insufficient_quota", "You exceeded your current quota."],
  "stream-rate": ["rate_limit_exceeded", "Rate limit reached. Please try again in 2s."]
}

/** Answers one request. */
export const reply = async (
  response: ServerResponse,
  body: unknown,
  scenario: Scenario,
  number: number
): Promise<void> => {
  const model = text(field(body, "model"))
  const refused = refusal(scenario, model, Date.now())
  if (refused !== null) {
    sendJson(response, refused[0], refused[1], refused[2])
    return
  }
  if (scenario.name === "stall") {
    await gone(response)
    return
  }
  const write = openStream(response)
  let sequence = 0
  const send = (type: string, data: object): void => {
    write(type, { type, sequence_number: sequence, ...data })
    sequence += 1
  }
  const state = (status: string, output: ReadonlyArray<object> = [], extra: object = {}) => ({
    response: {
      id: `resp_${number}`,
      object: "response",
      created_at: Math.floor(Date.now() / 1000),
      status,
      model,
      output,
      ...extra
    }
  })
  const usage = {
    input_tokens: 100 + number,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 120 + number
  }
  send("response.created", state("in_progress"))
  const failure = streamFailures[scenario.name]
  if (failure !== undefined) {
    send("response.failed", state("failed", [], { error: { code: failure[0], message: failure[1] } }))
    response.end()
    return
  }
  if (scenario.name === "silent") {
    await gone(response)
    return
  }
  const wantsTool = ["tool", "loop", "drop-tool"].includes(scenario.name)
  const call = wantsTool ? shellCall(body, command(scenario), number) : null
  if (call !== null) {
    send("response.output_item.added", { output_index: 0, item: { ...call, status: "in_progress" } })
    if (scenario.name === "drop-tool") {
      if (await pause(response, 200)) response.destroy()
      return
    }
    send("response.output_item.done", { output_index: 0, item: call })
    send("response.completed", state("completed", [call], { usage }))
    response.end()
    return
  }
  const said = words(scenario, number)
  const id = `msg_${number}`
  const message = (status: string, content: ReadonlyArray<object>) => ({
    type: "message",
    id,
    role: "assistant",
    status,
    content
  })
  send("response.output_item.added", { output_index: 0, item: message("in_progress", []) })
  send("response.content_part.added", {
    item_id: id,
    output_index: 0,
    content_index: 0,
    part: { type: "output_text", text: "", annotations: [] }
  })
  for (const word of said.list) {
    send("response.output_text.delta", { item_id: id, output_index: 0, content_index: 0, delta: word })
    if (said.pause > 0 && !(await pause(response, said.pause))) return
  }
  if (scenario.name === "drop") {
    response.destroy()
    return
  }
  const whole = said.list.join("")
  const done = message("completed", [{ type: "output_text", text: whole, annotations: [] }])
  send("response.output_text.done", { item_id: id, output_index: 0, content_index: 0, text: whole })
  send("response.output_item.done", { output_index: 0, item: done })
  send("response.completed", state("completed", [done], { usage }))
  response.end()
}
