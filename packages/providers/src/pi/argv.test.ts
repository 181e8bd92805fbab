import { Provider } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import { request } from "../testing/support.js"
import { command } from "./argv.js"

const id = "01a22f5d-9613-7706-831d-79415b06920a"
const always = ["--mode", "json", "-p"]

describe("pi's command line", () => {
  it.each([
    ["a new session", Provider.Conversation.New({ id: null }), []],
    ["a resume", Provider.Conversation.Continue({ id, location: "/s" }), ["--session", id]],
    ["a fork", Provider.Conversation.Fork({ from: id, location: "/s", id: null }), ["--fork", id]]
  ])("of %s passes everything again, and the prompt by stdin", (_name, conversation, session) => {
    const asked = request({
      conversation,
      prompt: "@file",
      model: "P/M-1[1m]",
      thinking: "high",
      permission: "full",
      args: ["--offline"]
    })
    assert.deepStrictEqual(command(asked), {
      args: [...always, ...session, "--model", "P/M-1[1m]", "--thinking", "high", "--offline"],
      stdin: "@file"
    })
  })

  it.each([
    ["read", ["--tools", "read,grep,find,ls,mcp__none"]],
    ["edit", ["--tools", "read,edit,write,grep,find,ls,mcp__none"]],
    ["full", []]
  ] as const)("%s is a matter of tools", (permission, tools) => {
    assert.deepStrictEqual(command(request({ permission })).args, [...always, ...tools])
  })
})
