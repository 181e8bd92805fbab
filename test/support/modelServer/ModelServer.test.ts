import { expect, onTestFinished, test } from "vitest"
import { startModelServer } from "./ModelServer.js"

const open = async () => {
  const server = await startModelServer()
  onTestFinished(() => server.close())
  return server
}

const ask = (url: string, path: string, body: object, signal?: AbortSignal) =>
  fetch(`${url}${path}`, { method: "POST", body: JSON.stringify(body), ...(signal === undefined ? {} : { signal }) })

const messages = (text: string) => ({
  model: "m",
  output_config: { effort: "high" },
  messages: [{ role: "user", content: text }]
})

test("it keeps what was asked, with model, thinking level and transcript", async () => {
  const server = await open()
  const response = await ask(server.url, "/v1/messages", messages("hello"))
  expect(response.status).toBe(200)
  expect(server.requests).toMatchObject([
    {
      number: 1,
      api: "anthropic",
      scenario: "text",
      model: "m",
      effort: "high",
      userTexts: ["hello"],
      body: messages("hello")
    }
  ])
})

test.each([
  ["429 7", 429, "7"],
  ["500", 500, null],
  ["quota", 400, null]
])("{{%s}} is status %d", async (scenario, status, retryAfter) => {
  const server = await open()
  const response = await ask(server.url, "/v1/messages", messages(`{{${scenario}}}`))
  expect(response.status).toBe(status)
  expect(response.headers.get("retry-after")).toBe(retryAfter)
})

test("a forced scenario holds for as many requests as were said", async () => {
  const server = await open()
  server.force({ name: "529", argument: null }, 2)
  const statuses = []
  for (const _ of [1, 2, 3]) statuses.push((await ask(server.url, "/v1/messages", messages("hello"))).status)
  expect(statuses).toEqual([529, 529, 200])
})

test("streams in the formats of the other services end as those do", async () => {
  const server = await open()
  const responses = await (await ask(server.url, "/v1/responses", { model: "m", input: "hello", stream: true })).text()
  expect(responses).toContain("event: response.completed")
  const chat = await (
    await ask(server.url, "/v1/chat/completions", {
      model: "m",
      stream: true,
      messages: [{ role: "user", content: "x" }]
    })
  ).text()
  expect(chat.trimEnd().endsWith("data: [DONE]")).toBe(true)
  const gemini = await (
    await ask(server.url, "/v1beta/models/g:streamGenerateContent?alt=sse", {
      contents: [{ role: "user", parts: [{ text: "x" }] }]
    })
  ).text()
  expect(gemini).toContain('"finishReason":"STOP"')
  expect(server.requests.map((one) => one.api)).toEqual(["responses", "chat", "gemini"])
})

test("a WebSocket is refused, so that codex falls back at once", async () => {
  const server = await open()
  expect((await fetch(`${server.url}/v1/responses`)).status).toBe(426)
})

test("it closes while a client still listens to a silent stream", async () => {
  const server = await startModelServer()
  const response = await ask(server.url, "/v1/messages", { ...messages("{{silent}}"), stream: true })
  expect(response.status).toBe(200)
  const read = response.text().catch(() => "cut")
  await server.close()
  expect(await read).toBe("cut")
})

test("a wait for a request that never comes says what came instead", async () => {
  const server = await open()
  await ask(server.url, "/v1/messages", messages("hello"))
  await expect(server.waitForRequest((one) => one.scenario === "slow", { withinMs: 30 })).rejects.toThrow(
    /1 text m hello/
  )
})
