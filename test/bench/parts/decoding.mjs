/** A provider's stream: lines to events, against `JSON.parse` of the same lines alone. */
import { Provider } from "@alluka/core"
import { decoder } from "../../../packages/providers/dist/claude/decode.js"
import { interleave } from "../measure/interleave.mjs"
import { medianRatio } from "../measure/statistics.mjs"
import { elapsed } from "../measure/timed.mjs"

const session = "11111111-1111-5111-8111-111111111111"
const usage = { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }

const assistant = (id, content) => ({
  type: "assistant",
  message: { id, type: "message", role: "assistant", model: "claude-opus-5-5", content, stop_reason: null, usage },
  parent_tool_use_id: null,
  session_id: session
})

const turn = (number) => [
  assistant(`msg_${number}`, [
    { type: "text", text: `I will look at file ${number} and change what is wrong in it. `.repeat(4) }
  ]),
  assistant(`msg_${number}`, [
    { type: "tool_use", id: `toolu_${number}`, name: "Bash", input: { command: "npm test" } }
  ]),
  {
    type: "user",
    message: {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: `toolu_${number}`,
          content: "ok 12 tests passed\n".repeat(20),
          is_error: false
        }
      ]
    },
    parent_tool_use_id: null,
    session_id: session
  }
]

const lines = [
  {
    type: "system",
    subtype: "init",
    cwd: "/w",
    session_id: session,
    tools: [],
    mcp_servers: [],
    model: "claude-opus-5-5",
    permissionMode: "acceptEdits"
  },
  ...Array.from({ length: 3000 }, (_, number) => turn(number)).flat()
].map((line) => JSON.stringify(line))

const request = {
  conversation: Provider.Conversation.New({ id: session }),
  prompt: "x",
  model: null,
  thinking: null,
  permission: "edit",
  addDirs: [],
  args: []
}

export const decoding = {
  name: "decoding",
  title: "Reading a provider's stream",
  run: async ({ quick }) => {
    const decoded = decoder(request, "/home/dev/.claude")
    let events = 0
    const samples = await interleave(quick ? 15 : 41, {
      ours: () =>
        elapsed(() => {
          let state = decoded.initial
          for (const line of lines) {
            const [next, said] = decoded.line(state, line, 1)
            state = next
            events += said.length
          }
        }),
      parse: () =>
        elapsed(() => {
          for (const line of lines) events += JSON.parse(line).type === "" ? 1 : 0
        })
    })
    if (events < lines.length) throw new Error("the stream was not understood")
    return [
      {
        id: "decoding.claude",
        title: "lines of `claude` decoded a second, of those of `JSON.parse` alone",
        value: medianRatio(samples.parse, samples.ours),
        unit: "ratio",
        detail: { lines: lines.length }
      }
    ]
  }
}
