/** `opencode run --format json` output, as 1.18.33 prints it. */
import { line, type Step } from "./script.js"

const event = (type: string, part: object, id = "$SESSION"): Step =>
  line({ type, timestamp: 1_796_090_000_000, sessionID: id, part: { sessionID: id, ...part } })

/** The first line of a run, in the session with this id. */
export const stepStartOf = (id: string): Step => event("step_start", { type: "step-start", messageID: "msg_1" }, id)
export const stepStart: Step = stepStartOf("$SESSION")

export const message = (text: string): Step => event("text", { type: "text", messageID: "msg_1", text })

/** A tool is told only once it has ended. */
export const toolUse = (callID: string, command = "make test"): Step =>
  event("tool_use", {
    type: "tool",
    tool: "bash",
    callID,
    state: { status: "completed", input: { command }, output: "done\n", metadata: { exit: 0 } }
  })

export const stepFinish = (reason: "stop" | "tool-calls" = "stop"): Step =>
  event("step_finish", {
    type: "step-finish",
    messageID: "msg_1",
    reason,
    tokens: { total: 133, input: 100, output: 22, reasoning: 0, cache: { write: 0, read: 11 } },
    cost: 0
  })

/** A refusal of the model's server. */
export const apiError = (statusCode: number, said: string): Step =>
  line({
    type: "error",
    timestamp: 1_796_090_000_000,
    sessionID: "$SESSION",
    error: { name: "APIError", data: { message: said, statusCode, isRetryable: statusCode === 429 } }
  })

/** The answer of `opencode db` about a session of a folder. */
export const found = (directory: string): string => JSON.stringify([{ directory, prompts: 1, last: 1_796_090_000_000 }])
