/** `codex exec --json` output, as 0.171.0 prints it. */
import { exit, line, type Step, type Steps, stderr } from "./script.js"

export const threadStarted: Step = line({ type: "thread.started", thread_id: "$SESSION" })
export const turnStarted: Step = line({ type: "turn.started" })

export const message = (text: string, id = "item_1"): Step =>
  line({ type: "item.completed", item: { id, type: "agent_message", text } })

export const commandStarted = (id: string, command = "/bin/bash -lc 'make test'"): Step =>
  line({
    type: "item.started",
    item: { id, type: "command_execution", command, aggregated_output: "", exit_code: null, status: "in_progress" }
  })

export const commandCompleted = (id: string, exitCode = 0, command = "/bin/bash -lc 'make test'"): Step =>
  line({
    type: "item.completed",
    item: {
      id,
      type: "command_execution",
      command,
      aggregated_output: "done\n",
      exit_code: exitCode,
      status: exitCode === 0 ? "completed" : "failed"
    }
  })

export const warning = (text: string): Step =>
  line({ type: "item.completed", item: { id: "item_0", type: "error", message: text } })

export const turnCompleted = (inputTokens = 107, outputTokens = 20): Step =>
  line({
    type: "turn.completed",
    usage: {
      input_tokens: inputTokens,
      cached_input_tokens: 0,
      output_tokens: outputTokens,
      reasoning_output_tokens: 0
    }
  })

/** A retry notice, in spite of its type. */
export const reconnecting: Step = line({ type: "error", message: "Reconnecting... 1/5 (stream disconnected)" })

export const failed = (text: string): Steps => [
  line({ type: "error", message: text }),
  line({ type: "turn.failed", error: { message: text } })
]

/** The whole answer to a resume of a thread that is not there. */
export const noSession: Steps = [
  stderr(
    "Error: thread/resume: thread/resume failed: no rollout found for thread id $SESSION (code -32600)\n\nStack backtrace:\n   0: <unknown>\n"
  ),
  exit(1)
]

export const connectionReset: Steps = [
  threadStarted,
  turnStarted,
  ...failed("stream disconnected before completion: error sending request (ECONNRESET)"),
  exit(1)
]

export const finished: Steps = [threadStarted, turnStarted, message("Working on it."), turnCompleted(), exit(0)]
export const working: Steps = [
  threadStarted,
  turnStarted,
  message("Working on it."),
  message("Still working.", "item_2"),
  { forever: true }
]
