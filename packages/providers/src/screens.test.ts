/** The command lines of the programs' own screens: the conversation, its settings, and no prompt. */
import { Provider } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import * as Claude from "./claude/argv.js"
import * as Codex from "./codex/argv.js"
import * as Gemini from "./gemini/argv.js"
import * as Kimi from "./kimi/argv.js"
import * as Opencode from "./opencode/argv.js"
import * as Pi from "./pi/argv.js"
import { request } from "./testing/support.js"

const id = "11111111-2222-4333-8444-555555555555"
const asked = request({
  conversation: Provider.Conversation.Continue({ id, location: null }),
  prompt: "never sent",
  cwd: "/w",
  model: "M-1[1m]",
  thinking: "high",
  permission: "edit",
  addDirs: ["/x y"]
})

describe("the screen of", () => {
  it.each([
    [
      "claude",
      Claude.screen,
      [
        "--add-dir",
        "/x y",
        "--resume",
        id,
        "--model",
        "M-1[1m]",
        "--effort",
        "high",
        "--permission-mode",
        "acceptEdits"
      ]
    ],
    [
      "codex",
      Codex.screen,
      ["resume", "-s", "workspace-write", "-m", "M-1[1m]", "-c", "model_reasoning_effort=high", "--add-dir", "/x y", id]
    ],
    ["opencode", Opencode.screen, ["/w", "--session", id, "--model", "M-1[1m]"]],
    [
      "gemini",
      Gemini.screen,
      ["--resume", id, "-m", "M-1[1m]", "--approval-mode", "auto_edit", "--include-directories", "/x y"]
    ],
    [
      "pi",
      Pi.screen,
      ["--session", id, "--model", "M-1[1m]", "--thinking", "high", "--tools", "read,edit,write,grep,find,ls,mcp__none"]
    ],
    ["kimi", Kimi.screen, ["--session", id, "-m", "M-1[1m]", "--add-dir", "/x y"]]
  ])("%s opens exactly that conversation", (_name, screen, args) => {
    assert.deepStrictEqual(screen(asked, id), args)
  })

  it("none passes what was not asked for", () => {
    const plain = request({ conversation: asked.conversation, cwd: "/w", permission: "full" })
    assert.deepStrictEqual(Pi.screen(plain, id), ["--session", id])
    assert.deepStrictEqual(Kimi.screen(plain, id), ["--session", id])
  })
})
