import { Provider } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import { request } from "../testing/support.js"
import { command, rules } from "./argv.js"

const id = "ses_dd0aed231ffe1ANLxedH2EDyC2"
const always = ["run", "--format", "json", "--print-logs", "--log-level", "ERROR", "--dir", "/w"]

describe("opencode's command line", () => {
  it.each([
    ["a new session of its own", Provider.Conversation.New({ id: null }), []],
    ["a new session made ahead", Provider.Conversation.New({ id }), ["--session", id]],
    ["a resume", Provider.Conversation.Continue({ id, location: null }), ["--session", id]],
    ["a fork", Provider.Conversation.Fork({ from: id, location: null, id: null }), ["--session", id, "--fork"]]
  ])("of %s passes everything again, and the prompt by stdin", (_name, conversation, session) => {
    const asked = request({
      conversation,
      cwd: "/w",
      model: "P/M-1[1m]",
      thinking: "high",
      prompt: "--help",
      args: ["-x"]
    })
    assert.deepStrictEqual(command(asked), {
      args: [...always, ...session, "-m", "P/M-1[1m]", "--variant", "high", "-x"],
      stdin: "--help"
    })
  })

  it("answers questions itself only with full permission", () => {
    const args = (permission: "read" | "edit" | "full") => command(request({ cwd: "/w", permission })).args
    assert.deepStrictEqual(args("full"), [...always, "--auto"])
    assert.deepStrictEqual(args("edit"), always)
    assert.deepStrictEqual(args("read"), always)
  })
})

describe("opencode's rules", () => {
  const ruled = (more: Partial<Provider.StartRequest>, env: Record<string, string> = {}) => {
    const text = rules(request(more), env)
    return text === undefined ? undefined : JSON.parse(text)
  }

  it("are the person's own where nothing else is asked for", () => {
    assert.isUndefined(ruled({ permission: "edit" }))
    assert.isUndefined(ruled({ permission: "full" }, { OPENCODE_PERMISSION: '{"bash":"ask"}' }))
  })

  it("let `read` only read, whatever the variable says", () => {
    const read = ruled({ permission: "read" }, { OPENCODE_PERMISSION: '{"bash":"allow","my_tool":"ask"}' })
    for (const tool of ["*", "bash", "edit", "task"]) assert.strictEqual(read[tool], "deny", tool)
    for (const tool of ["read", "glob", "grep", "list"]) assert.strictEqual(read[tool], "allow", tool)
    assert.strictEqual(read.my_tool, "ask")
  })

  it("let further folders in, and survive a variable that holds no rules", () => {
    assert.deepStrictEqual(ruled({ addDirs: ["/x y"] }, { OPENCODE_PERMISSION: "garbage" }), {
      external_directory: { "/x y": "allow", "/x y/*": "allow" }
    })
  })
})
