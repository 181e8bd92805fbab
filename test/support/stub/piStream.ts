/** `pi --mode json` output, as 0.73.1 and 1.6.0 print it. */
import { line, type Step, type Steps } from "./script.js"

export type Line = "0.73" | "1.6"

/** The header, which names the session before a model is asked. */
export const session = (fields: object = {}): Step =>
  line({
    type: "session",
    version: 3,
    id: "$SESSION",
    timestamp: "2026-12-01T02:09:55.609Z",
    cwd: "$CWD",
    ...fields
  })

export const begun: Steps = [line({ type: "agent_start" }), line({ type: "turn_start" })]

const usage = { input: 100, output: 22, cacheRead: 11, cacheWrite: 0, cost: { total: 0 } }

const answer = (of: Line, content: ReadonlyArray<object>, fields: object): Steps => {
  const message = { role: "assistant", provider: "stub", model: "$MODEL", usage }
  return [
    line({
      type: "message_start",
      message: { ...message, content: [], stopReason: of === "1.6" ? "pending" : "stop" }
    }),
    line({
      type: "message_end",
      message: { ...message, content, ...(of === "1.6" ? { thinkingLevel: "high" } : {}), ...fields }
    })
  ]
}

export const message = (of: Line, text: string): Steps => answer(of, [{ type: "text", text }], { stopReason: "stop" })

export const failed = (of: Line, said: string): Steps => answer(of, [], { stopReason: "error", errorMessage: said })

export const toolStart = (id: string, command = "make test"): Step =>
  line({ type: "tool_execution_start", toolCallId: id, toolName: "bash", args: { command } })

export const toolEnd = (id: string): Step =>
  line({
    type: "tool_execution_end",
    toolCallId: id,
    toolName: "bash",
    result: { content: [{ type: "text", text: "done\n" }] },
    isError: false
  })

/** How a run comes to its end; only 1.6.0 has a word for it. */
export const settled = (of: Line): Steps => [
  line({ type: "turn_end" }),
  line({ type: "agent_end" }),
  ...(of === "1.6" ? [line({ type: "agent_settled", aborted: false })] : [])
]
