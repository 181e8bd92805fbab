/** What the wire formats share: writing a reply, and giving up as soon as the client is gone. */
import type { ServerResponse } from "node:http"

export const sendJson = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {}
): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(JSON.stringify(body))
}

/** Opens an event stream; each call of the result writes one event. Calls after the client has gone do nothing. */
export const openStream = (response: ServerResponse): ((event: string | null, data: unknown) => void) => {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" })
  response.flushHeaders()
  return (event, data) => {
    if (response.destroyed || response.writableEnded) return
    const payload = typeof data === "string" ? data : JSON.stringify(data)
    response.write(`${event === null ? "" : `event: ${event}\n`}data: ${payload}\n\n`)
  }
}

/** Resolves `true` after `ms`, or `false` at once when the client goes away. */
export const pause = (response: ServerResponse, ms: number): Promise<boolean> =>
  new Promise((resolve) => {
    if (response.destroyed) {
      resolve(false)
      return
    }
    const gone = (): void => {
      clearTimeout(timer)
      resolve(false)
    }
    const timer = setTimeout(() => {
      response.off("close", gone)
      resolve(true)
    }, ms)
    response.once("close", gone)
  })

/** Resolves when the client goes away (or the server is closed): for replies that never end. */
export const gone = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    if (response.destroyed) resolve()
    else response.once("close", () => resolve())
  })
