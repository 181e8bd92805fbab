/**
 * A model server on the loopback address, so that real agents can be run without a network, an account or a credential.
 * It never listens anywhere else, answers by scenario (scenario.ts), and keeps every request: what a resumed run really
 * sent is read here, not inferred from its answer.
 */
import { appendFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as anthropic from "./anthropic.js"
import * as chat from "./chat.js"
import * as gemini from "./gemini.js"
import { sendJson } from "./reply.js"
import * as responses from "./responses.js"
import { plainText, type Scenario, scenarioOf } from "./scenario.js"
import { field, type Transcript, text, userTexts } from "./transcript.js"

export type Api = "anthropic" | "responses" | "chat" | "gemini"

export interface ModelRequest {
  /** 1 for the first model request of this server. */
  readonly number: number
  readonly at: number
  readonly api: Api
  readonly path: string
  readonly scenario: string
  readonly model: string
  readonly effort: string | null
  readonly transcript: Transcript
  /** What the user said in it, oldest first. */
  readonly userTexts: ReadonlyArray<string>
  readonly body: unknown
}

export interface ModelServer {
  readonly port: number
  /** `http://127.0.0.1:PORT`, without a path. */
  readonly url: string
  /** Every model request so far, oldest first. */
  readonly requests: ReadonlyArray<ModelRequest>
  /** Answers the next `times` model requests with this scenario, whatever they ask for. */
  readonly force: (scenario: Scenario, times?: number) => void
  /** The first model request, made after the first `after` ones, that fits; rejects after `withinMs`. */
  readonly waitForRequest: (
    fits: (request: ModelRequest) => boolean,
    options?: { readonly after?: number; readonly withinMs?: number }
  ) => Promise<ModelRequest>
  readonly close: () => Promise<void>
}

interface Route {
  readonly api: Api
  readonly transcript: Transcript
  readonly effort: string | null
  readonly model: string
  readonly answer: (response: ServerResponse, scenario: Scenario, number: number) => Promise<void>
}

const route = (method: string, path: string, body: unknown): Route | null => {
  if (method !== "POST") return null
  const model = text(field(body, "model"))
  if (path.endsWith("/v1/messages")) {
    return {
      api: "anthropic",
      transcript: anthropic.transcript(body),
      effort: anthropic.effort(body),
      model,
      answer: (response, scenario, number) => anthropic.reply(response, body, scenario, number)
    }
  }
  if (path.endsWith("/responses")) {
    return {
      api: "responses",
      transcript: responses.transcript(body),
      effort: responses.effort(body),
      model,
      answer: (response, scenario, number) => responses.reply(response, body, scenario, number)
    }
  }
  if (path.endsWith("/chat/completions")) {
    return {
      api: "chat",
      transcript: chat.transcript(body),
      effort: chat.effort(body),
      model,
      answer: (response, scenario, number) => chat.reply(response, body, scenario, number)
    }
  }
  const named = /\/models\/([^/:]+):(generateContent|streamGenerateContent)$/.exec(path)
  if (named !== null) {
    const geminiModel = named[1] ?? ""
    return {
      api: "gemini",
      transcript: gemini.transcript(body),
      effort: gemini.effort(body),
      model: geminiModel,
      answer: (response, scenario, number) =>
        gemini.reply(response, body, geminiModel, named[2] === "streamGenerateContent", scenario, number)
    }
  }
  return null
}

const answerOther = (request: IncomingMessage, response: ServerResponse, path: string): void => {
  if (path.endsWith("/count_tokens")) sendJson(response, 200, { input_tokens: 123 })
  else if (path.endsWith(":countTokens")) sendJson(response, 200, { totalTokens: 123 })
  else if (path.endsWith("/models")) sendJson(response, 200, { object: "list", data: [], models: [] })
  else if (request.method === "GET" && path.endsWith("/responses")) {
    // Codex's own provider tries a WebSocket first; this makes it fall back at once.
    sendJson(response, 426, { error: { type: "invalid_request_error", message: "no WebSocket here" } })
  } else sendJson(response, 404, { error: { type: "not_found_error", message: `nothing at ${path}` } })
}

const readBody = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const raw = Buffer.concat(chunks).toString("utf8")
  try {
    return JSON.parse(raw)
  } catch {
    return { unparsed: raw }
  }
}

/** Starts a server on a free port. `logFile`: each model request is appended to it as one JSON line. */
export const startModelServer = async (
  options: { readonly logFile?: string; readonly port?: number } = {}
): Promise<ModelServer> => {
  const requests: Array<ModelRequest> = []
  const listeners = new Set<() => void>()
  let forced: { scenario: Scenario; left: number } | null = null

  const chooseScenario = (transcript: Transcript): Scenario => {
    if (forced === null || forced.left <= 0) return scenarioOf(transcript)
    forced.left -= 1
    return forced.scenario
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? "/").split("?")[0] ?? "/"
    const body = await readBody(request)
    if (path === "/control" && request.method === "POST") {
      const name = text(field(body, "scenario"))
      const times = Number(field(body, "times") ?? 1)
      forced = name === "" ? null : { scenario: { name, argument: text(field(body, "argument")) || null }, left: times }
      sendJson(response, 200, { forced: name })
      return
    }
    const found = route(request.method ?? "GET", path, body)
    if (found === null) {
      answerOther(request, response, path)
      return
    }
    const scenario = found.transcript.length === 0 ? plainText : chooseScenario(found.transcript)
    const entry: ModelRequest = {
      number: requests.length + 1,
      at: Date.now(),
      api: found.api,
      path,
      scenario: scenario.name,
      model: found.model,
      effort: found.effort,
      transcript: found.transcript,
      userTexts: userTexts(found.transcript),
      body
    }
    requests.push(entry)
    if (options.logFile !== undefined) appendFileSync(options.logFile, `${JSON.stringify(entry)}\n`)
    for (const listener of listeners) listener()
    await found.answer(response, scenario, entry.number)
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((cause: unknown) => {
      if (response.headersSent) response.destroy()
      else sendJson(response, 500, { error: { type: "api_error", message: String(cause) } })
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(options.port ?? 0, "127.0.0.1", resolve)
  })
  const { port } = server.address() as AddressInfo

  const waitForRequest: ModelServer["waitForRequest"] = (fits, { after = 0, withinMs = 30_000 } = {}) =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = requests.slice(after).find(fits)
        if (found === undefined) return
        clearTimeout(timer)
        listeners.delete(look)
        resolve(found)
      }
      const timer = setTimeout(() => {
        listeners.delete(look)
        const seen = requests
          .slice(after)
          .map((one) => `${one.number} ${one.scenario} ${one.model} ${one.userTexts.at(-1)?.slice(0, 60)}`)
        reject(new Error(`no such model request within ${withinMs} ms; seen since then: ${JSON.stringify(seen)}`))
      }, withinMs)
      listeners.add(look)
      look()
    })

  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requests,
    force: (scenario, times = 1) => {
      forced = { scenario, left: times }
    },
    waitForRequest,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
