import { Provider } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import { request } from "../testing/support.js"
import { command } from "./argv.js"
import { objection } from "./capabilities.js"

const a = "11111111-1111-5111-8111-111111111111"
const b = "22222222-2222-5222-8222-222222222222"
const always = ["-p", "--output-format", "stream-json", "--verbose"]

describe("claude's command line", () => {
  it("of a new conversation names the id that was chosen for it", () => {
    assert.deepStrictEqual(command(request({ conversation: Provider.Conversation.New({ id: a }) })), {
      args: [...always, "--session-id", a, "--permission-mode", "acceptEdits"],
      stdin: "do the work"
    })
  })

  it("of a resume passes everything again, the model unshortened and the prompt by stdin", () => {
    const asked = request({
      conversation: Provider.Conversation.Continue({ id: a, location: "/c" }),
      prompt: "--version",
      model: "M-1[1m]",
      thinking: "high",
      permission: "read",
      addDirs: ["/x y", "/z"],
      args: ["--max-turns", "3"]
    })
    assert.deepStrictEqual(command(asked), {
      args: [
        ...["--add-dir", "/x y", "--add-dir", "/z", ...always, "--resume", a],
        ...["--model", "M-1[1m]", "--effort", "high", "--permission-mode", "default", "--max-turns", "3"]
      ],
      stdin: "--version"
    })
  })

  it("of a fork names both ids", () => {
    const fork = request({
      conversation: Provider.Conversation.Fork({ from: a, location: null, id: b }),
      permission: "full"
    })
    assert.deepStrictEqual(command(fork).args, [
      ...[...always, "--resume", a, "--fork-session", "--session-id", b],
      ...["--permission-mode", "bypassPermissions"]
    ])
  })
})

describe("full permission", () => {
  it.each([
    ["full", true, undefined, true],
    ["full", true, "", true],
    ["full", true, "1", false],
    ["full", false, undefined, false],
    ["edit", true, undefined, false],
    ["read", true, undefined, false]
  ] as const)("%s, root %s, IS_SANDBOX %s: refused %s", (permission, root, sandbox, refused) => {
    assert.strictEqual(objection(permission, { root, sandbox }) !== null, refused)
  })
})
