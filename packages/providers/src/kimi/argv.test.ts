import { Provider } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import { request } from "../testing/support.js"
import { command } from "./argv.js"
import { copiedId } from "./prepare.js"

const id = "session_060156e7-48dd-48c4-8c35-21dfda24a1a4"
const copy = "session_dc9de738-b4b9-4854-9dd7-4b15e4b978d6"
const always = ["--output-format", "stream-json"]

describe("kimi's command line", () => {
  it.each([
    ["a new session", Provider.Conversation.New({ id: null }), []],
    ["a resume", Provider.Conversation.Continue({ id, location: null }), ["--session", id]],
    ["a copy", Provider.Conversation.Fork({ from: id, location: null, id: copy }), ["--session", copy]],
    ["a copy that was not made", Provider.Conversation.Fork({ from: id, location: null, id: null }), []]
  ])("of %s passes everything again; the prompt is joined to its option", (_name, conversation, session) => {
    const asked = request({ conversation, prompt: "-x\ny", model: "M-1[1m]", permission: "full", addDirs: ["/x y"] })
    assert.deepStrictEqual(command(asked), {
      args: [...always, ...session, "-m", "M-1[1m]", "--add-dir", "/x y", "--prompt=-x\ny"],
      stdin: null
    })
  })

  it("of a plain run", () => {
    assert.deepStrictEqual(command(request()).args, [...always, "--prompt=do the work"])
  })
})

describe("the id of a copy", () => {
  it.each([
    [`Forked to ${copy} ("Fork: ${id}") in 3848ms\n`, copy],
    [`error: Session "${id}" not found.`, null],
    ["", null]
  ])("in %s is %s", (stdout, found) => {
    assert.strictEqual(copiedId(stdout), found)
  })
})
