/**
 * A stub of Claude Code that says something twenty times a second, text and tools by turns, for `CHATTY_SECONDS`, in the
 * form of its `stream-json` (2.1.332).
 */
import { setTimeout as delay } from "node:timers/promises"

const perSecond = 20
const args = process.argv.slice(2)
if (args[0] === "--version") {
  process.stdout.write("2.1.332 (Claude Code)\n")
  process.exit(0)
}
process.stdin.resume()
const session = args[args.indexOf("--session-id") + 1]
const say = (value) => process.stdout.write(`${JSON.stringify({ ...value, session_id: session })}\n`)
const usage = { input_tokens: 10, output_tokens: 5 }
const assistant = (id, content) =>
  say({
    type: "assistant",
    parent_tool_use_id: null,
    message: {
      id,
      type: "message",
      role: "assistant",
      model: "claude-large",
      stop_reason: null,
      usage,
      content: [content]
    }
  })

say({
  type: "system",
  subtype: "init",
  cwd: process.cwd(),
  tools: ["Bash"],
  mcp_servers: [],
  model: "claude-large",
  permissionMode: "default",
  apiKeySource: "none",
  claude_code_version: "2.1.332"
})
const begun = Date.now()
const count = Number(process.env.CHATTY_SECONDS) * perSecond
for (let number = 0; number < count; number += 1) {
  await delay(Math.max(0, begun + (number * 1000) / perSecond - Date.now()))
  const tool = `toolu_${Math.floor(number / 3)}`
  if (number % 3 === 0)
    assistant(`msg_${number}`, { type: "text", text: `Step ${number}: reading src/index.ts, two lines to change.` })
  else if (number % 3 === 1) {
    assistant(`msg_${number}`, { type: "tool_use", id: tool, name: "Bash", input: { command: "npm test" } })
  } else {
    say({
      type: "user",
      parent_tool_use_id: null,
      message: {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: tool, content: "ok\n".repeat(40), is_error: false }]
      }
    })
  }
}
say({
  type: "result",
  subtype: "success",
  is_error: false,
  duration_ms: 1000,
  duration_api_ms: 900,
  num_turns: 1,
  result: "Done.",
  stop_reason: "end_turn",
  terminal_reason: "completed",
  total_cost_usd: 0.001,
  usage,
  modelUsage: {},
  permission_denials: []
})
