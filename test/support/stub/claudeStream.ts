/** Claude Code's `stream-json` output, as 2.1.332 prints it. */
import { exit, line, type Step, type Steps, stderr } from "./script.js"

export const init = (fields: object = {}): Step =>
  line({
    type: "system",
    subtype: "init",
    cwd: "$CWD",
    session_id: "$SESSION",
    tools: ["Bash", "Edit", "Read"],
    mcp_servers: [],
    model: "$MODEL",
    permissionMode: "$PERMISSION",
    apiKeySource: "ANTHROPIC_API_KEY",
    claude_code_version: "2.1.332",
    ...fields
  })

const message = (id: string, content: ReadonlyArray<object>, fields: object = {}): object => ({
  id,
  type: "message",
  role: "assistant",
  model: "$MODEL",
  content,
  stop_reason: null,
  usage: { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  ...fields
})

export const text = (said: string, id = "msg_1"): Step =>
  line({
    type: "assistant",
    message: message(id, [{ type: "text", text: said }]),
    parent_tool_use_id: null,
    session_id: "$SESSION"
  })

export const toolUse = (id: string, name = "Bash", input: object = { command: "make test" }): Step =>
  line({
    type: "assistant",
    message: message(`msg_${id}`, [{ type: "tool_use", id, name, input }]),
    parent_tool_use_id: null,
    session_id: "$SESSION"
  })

export const toolResult = (id: string, content = "done", isError = false): Step =>
  line({
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content, is_error: isError }] },
    parent_tool_use_id: null,
    session_id: "$SESSION"
  })

export const result = (fields: object): Step =>
  line({
    type: "result",
    subtype: "success",
    is_error: false,
    duration_ms: 1000,
    duration_api_ms: 900,
    num_turns: 1,
    result: "",
    stop_reason: "end_turn",
    terminal_reason: "completed",
    api_error_status: null,
    session_id: "$SESSION",
    total_cost_usd: 0.001,
    usage: { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    modelUsage: {},
    permission_denials: [],
    ...fields
  })

export const success = (said = "All done."): Step => result({ result: said })

/** An API failure: `subtype` still says success; only `is_error` and `terminal_reason` tell. */
export const apiError = (status: number | null, said: string, fields: object = {}): Step =>
  result({ is_error: true, terminal_reason: "api_error", api_error_status: status, result: said, ...fields })

export const retry = (status: number, error: string, attempt = 1): Step =>
  line({
    type: "system",
    subtype: "api_retry",
    attempt,
    max_retries: 10,
    retry_delay_ms: 500,
    error_status: status,
    error,
    session_id: "$SESSION"
  })

export const rateLimit = (resetsAt: number): Step =>
  line({
    type: "rate_limit_event",
    rate_limit_info: { status: "rejected", resetsAt, rateLimitType: "five_hour", isUsingOverage: false },
    session_id: "$SESSION"
  })

/** The whole answer to a resume of a conversation that is not there. */
export const noSession: Steps = [
  line({
    type: "result",
    subtype: "error_during_execution",
    is_error: true,
    num_turns: 0,
    duration_ms: 0,
    duration_api_ms: 0,
    session_id: "$SESSION",
    total_cost_usd: 0,
    usage: { input_tokens: 0, output_tokens: 0 },
    permission_denials: [],
    errors: ["No conversation found with session ID: $SESSION"]
  }),
  stderr("No conversation found with session ID: $SESSION\n"),
  exit(1)
]

/** The connection fails before the conversation has answered anything. */
export const connectionReset: Steps = [
  init(),
  apiError(null, "API Error: Connection error (ECONNRESET)"),
  stderr("API Error: Connection error (ECONNRESET)\n"),
  exit(1)
]

/** A run without incident. */
export const finished: Steps = [init(), text("Working on it."), success(), exit(0)]

/** Begins, says something, and goes on until it is ended. */
export const working: Steps = [init(), text("Working on it."), text("Still working.", "msg_2"), { forever: true }]
