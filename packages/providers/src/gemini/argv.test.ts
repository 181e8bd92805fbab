import { Provider } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import { request } from "../testing/support.js"
import { command } from "./argv.js"

const id = "32beb397-765c-5597-a2a0-fb99d6d727fd"

describe("gemini's command line", () => {
  it("of a new session names the id that was chosen for it", () => {
    assert.deepStrictEqual(command(request({ conversation: Provider.Conversation.New({ id }) })), {
      args: ["-o", "stream-json", "--session-id", id, "--approval-mode", "auto_edit"],
      stdin: "do the work"
    })
  })

  it("of a resume gives the model and the rest again, and the prompt by stdin", () => {
    const asked = request({
      conversation: Provider.Conversation.Continue({ id, location: null }),
      prompt: "-p",
      model: "M-1[1m]",
      permission: "full",
      addDirs: ["/x y", "/z"],
      args: ["--skip-trust"]
    })
    assert.deepStrictEqual(command(asked), {
      args: [
        ...["-o", "stream-json", "--resume", id, "-m", "M-1[1m]", "--approval-mode", "yolo"],
        ...["--include-directories", "/x y", "--include-directories", "/z", "--skip-trust"]
      ],
      stdin: "-p"
    })
  })

  it.each([
    ["read", "default"],
    ["edit", "auto_edit"],
    ["full", "yolo"]
  ] as const)("knows %s as %s", (permission, mode) => {
    assert.deepStrictEqual(command(request({ permission })).args, ["-o", "stream-json", "--approval-mode", mode])
  })
})
