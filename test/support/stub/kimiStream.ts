/** `kimi --output-format stream-json` output, as 2.1.0 prints it. */
import { line, type Step } from "./script.js"

export const version: Step = line({ role: "meta", type: "system.version", version: "2.1.0" })

export const message = (text: string): Step => line({ role: "assistant", content: text })

export const toolCall = (id: string, command = "make test"): Step =>
  line({
    role: "assistant",
    tool_calls: [{ type: "function", id, function: { name: "Bash", arguments: JSON.stringify({ command }) } }]
  })

export const toolResult = (id: string): Step => line({ role: "tool", tool_call_id: id, content: "done\n" })

/** The last line, and the only one that names the session. */
export const resumeHint = (id = "$SESSION"): Step =>
  line({ role: "meta", type: "session.resume_hint", session_id: id, command: `kimi -r ${id}` })
