/** `gemini -o stream-json` output, as 0.61.0 prints it. */
import { line, type Step } from "./script.js"

export const init = (fields: object = {}): Step =>
  line({
    type: "init",
    timestamp: "2026-12-01T02:43:29.123Z",
    session_id: "$SESSION",
    model: "$MODEL",
    ...fields
  })

export const message = (text: string): Step => line({ type: "message", role: "assistant", content: text, delta: true })

export const toolUse = (id: string, command = "make test"): Step =>
  line({ type: "tool_use", tool_name: "run_shell_command", tool_id: id, parameters: { command } })

export const toolResult = (id: string): Step =>
  line({ type: "tool_result", tool_id: id, status: "success", output: "done" })

const stats = { total_tokens: 133, input_tokens: 111, output_tokens: 22, cached: 11 }

export const success: Step = line({ type: "result", status: "success", stats })

export const failed = (said: string): Step =>
  line({
    type: "result",
    status: "error",
    error: { type: "unknown", message: said },
    stats: { ...stats, input_tokens: 0 }
  })
