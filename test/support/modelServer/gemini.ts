/** Gemini: `POST …/models/MODEL:generateContent`, `:streamGenerateContent` and `:countTokens`. */
import type { ServerResponse } from "node:http"
import { gone, openStream, pause, sendJson } from "./reply.js"
import { command, type Scenario, words } from "./scenario.js"
import { field, item, list, type Transcript, type TranscriptItem, text } from "./transcript.js"

/** Reads the conversation out of a request. */
export const transcript = (body: unknown): Transcript =>
  list(field(body, "contents")).flatMap((content) => {
    const who = field(content, "role") === "model" ? "assistant" : "user"
    return list(field(content, "parts")).map((part): TranscriptItem => {
      const call = field(part, "functionCall")
      if (call !== undefined) {
        return item(
          "assistant",
          "tool_use",
          JSON.stringify(field(call, "args")),
          text(field(call, "id")),
          text(field(call, "name"))
        )
      }
      const result = field(part, "functionResponse")
      if (result !== undefined) {
        return item("user", "tool_result", JSON.stringify(field(result, "response")), text(field(result, "id")))
      }
      return item(who, "text", text(field(part, "text")))
    })
  })

/** The thinking level or budget asked for. */
export const effort = (body: unknown): string | null => {
  const config = field(field(body, "generationConfig"), "thinkingConfig")
  const level = field(config, "thinkingLevel") ?? field(config, "thinkingBudget")
  return level === undefined ? null : String(level)
}

const errors: Readonly<Record<string, readonly [status: number, name: string, message: string]>> = {
  "401": [401, "UNAUTHENTICATED", "API key not valid. Please pass a valid API key."],
  "403": [403, "PERMISSION_DENIED", "Permission denied on this model."],
  "404": [404, "NOT_FOUND", "The model was not found."],
  "429": [429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."],
  usage: [429, "RESOURCE_EXHAUSTED", "You exceeded your current quota. Please retry later."],
  quota: [
    429,
    "RESOURCE_EXHAUSTED",
    "You exceeded your current daily quota, please check your plan and billing details."
  ],
  "529": [503, "UNAVAILABLE", "The model is overloaded. Please try again later."],
  "503": [503, "UNAVAILABLE", "The model is overloaded. Please try again later."],
  "500": [500, "INTERNAL", "An internal error has occurred."],
  overflow: [400, "INVALID_ARGUMENT", "The input token count exceeds the maximum number of tokens allowed."]
}

const details = (scenario: Scenario): ReadonlyArray<object> =>
  scenario.name === "quota" || scenario.name === "usage"
    ? [
        {
          "@type": "type.googleapis.com/google.rpc.QuotaFailure",
          violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier", quotaValue: "50" }]
        }
      ]
    : scenario.name === "429"
      ? [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${scenario.argument ?? 2}s` }]
      : []

/** Answers one request; `streaming` says which of the two methods was called. */
export const reply = async (
  response: ServerResponse,
  body: unknown,
  model: string,
  streaming: boolean,
  scenario: Scenario,
  number: number
): Promise<void> => {
  const failure = errors[scenario.name]
  if (failure !== undefined) {
    const [status, name, message] = failure
    sendJson(response, status, { error: { code: status, message, status: name, details: details(scenario) } })
    return
  }
  if (scenario.name === "stall") {
    await gone(response)
    return
  }
  const shell = list(field(body, "tools"))
    .flatMap((tool) => list(field(tool, "functionDeclarations")))
    .some((declared) => field(declared, "name") === "run_shell_command")
  const wantsTool = ["tool", "loop", "drop-tool"].includes(scenario.name) && shell
  const call = {
    functionCall: {
      id: `call_${number}`,
      name: "run_shell_command",
      args: { command: command(scenario), description: "runs the command of the test" }
    }
  }
  const said = words(scenario, number)
  const usageMetadata = { promptTokenCount: 100 + number, candidatesTokenCount: 20, totalTokenCount: 120 + number }
  const candidate = (parts: ReadonlyArray<object>, finishReason: string | null) => ({
    candidates: [{ content: { role: "model", parts }, index: 0, ...(finishReason === null ? {} : { finishReason }) }],
    usageMetadata,
    modelVersion: model,
    responseId: `resp-${number}`
  })
  if (!streaming) {
    sendJson(response, 200, candidate(wantsTool ? [call] : [{ text: said.list.join("") }], "STOP"))
    return
  }
  const write = openStream(response)
  const send = (parts: ReadonlyArray<object>, finish: string | null = null): void =>
    write(null, candidate(parts, finish))
  if (scenario.name.startsWith("stream-")) {
    write(null, { error: { code: 500, message: "the stream failed", status: "INTERNAL" } })
    response.end()
    return
  }
  if (scenario.name === "silent") {
    await gone(response)
    return
  }
  if (wantsTool) {
    send([call])
    if (scenario.name === "drop-tool") {
      if (await pause(response, 200)) response.destroy()
      return
    }
  } else {
    for (const word of said.list) {
      send([{ text: word }])
      if (said.pause > 0 && !(await pause(response, said.pause))) return
    }
    if (scenario.name === "drop") {
      response.destroy()
      return
    }
  }
  send([{ text: "" }], "STOP")
  response.end()
}
