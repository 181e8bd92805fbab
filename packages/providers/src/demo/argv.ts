/** The demo agent's command line, both sides of it. Pure. */
import { parseArgs } from "node:util"
import type { Provider } from "@alluka/core"
import type { Command } from "../processProvider.js"
import { isUuid } from "../sessionIds.js"

/** Arguments and stdin of one start; `sessions`: the folder of its session files. */
export const command =
  (sessions: string) =>
  (request: Provider.StartRequest): Command => ({
    args: [
      ...conversationArgs(request.conversation, sessions),
      ...(request.model === null ? [] : ["--model", request.model]),
      ...(request.thinking === null ? [] : ["--thinking", request.thinking]),
      ...request.args
    ],
    stdin: request.prompt
  })

const conversationArgs = (conversation: Provider.Conversation, sessions: string): ReadonlyArray<string> => {
  switch (conversation._tag) {
    case "New":
      return ["--sessions", sessions, ...(conversation.id === null ? [] : ["--session-id", conversation.id])]
    case "Continue":
      return ["--sessions", conversation.location ?? sessions, "--resume", conversation.id]
    case "Fork":
      return [
        ...["--sessions", conversation.location ?? sessions, "--fork", conversation.from],
        ...(conversation.id === null ? [] : ["--session-id", conversation.id])
      ]
  }
}

export interface Orders {
  /** Folder of the session files. */
  readonly sessions: string
  readonly resume: string | null
  readonly fork: string | null
  readonly sessionId: string | null
  readonly model: string | null
  readonly thinking: string | null
  /** How long a step takes, ms. */
  readonly paceMs: number
}

const defaultPaceMs = 1000

/**
 * Reads the agent's own arguments; a text says what is wrong with them. `pace`: the value of ALLUKA_DEMO_PACE_MS, which
 * `--pace` overrides.
 */
export const parseOrders = (argv: ReadonlyArray<string>, pace: string | undefined): Orders | string => {
  const value = { type: "string" } as const
  const options = {
    sessions: value,
    resume: value,
    fork: value,
    "session-id": value,
    model: value,
    thinking: value,
    pace: value
  }
  let values: ReturnType<typeof parseArgs<{ options: typeof options }>>["values"]
  try {
    values = parseArgs({ args: [...argv], options, strict: true }).values
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
  const ids = [values.resume, values.fork, values["session-id"]].filter((id) => id !== undefined)
  const malformed = ids.find((id) => !isUuid(id))
  const paceMs = Number(values.pace ?? pace ?? defaultPaceMs)
  if (values.sessions === undefined) return "--sessions is missing: the folder of the session files"
  if (malformed !== undefined) return `"${malformed}" is not a session id`
  if (!Number.isFinite(paceMs) || paceMs < 0) return `"${values.pace ?? pace}" is not a number of milliseconds`
  return {
    sessions: values.sessions,
    resume: values.resume ?? null,
    fork: values.fork ?? null,
    sessionId: values["session-id"] ?? null,
    model: values.model ?? null,
    thinking: values.thinking ?? null,
    paceMs
  }
}
