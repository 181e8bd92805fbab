import { Provider } from "@alluka/core"
import { assert, describe, it } from "@effect/vitest"
import { request } from "../testing/support.js"
import { command } from "./argv.js"

const id = "01a22f33-f0ea-7c21-9a5f-fdf82879e70f"
const settings = {
  model: "M-1[1m]",
  thinking: "high",
  permission: "full",
  addDirs: ["/x y"],
  args: ["-c", "a=1"]
} as const
const always = ["exec", "--json", "--skip-git-repo-check"]
const given = [
  "-s",
  "danger-full-access",
  "-m",
  "M-1[1m]",
  "-c",
  "model_reasoning_effort=high",
  "--add-dir",
  "/x y",
  "-c",
  "a=1"
]

describe("codex's command line", () => {
  it.each([
    ["a new thread", Provider.Conversation.New({ id: null }), []],
    ["a resume", Provider.Conversation.Continue({ id, location: null }), ["resume", id]],
    ["a fork", Provider.Conversation.Fork({ from: id, location: null, id: null }), ["fork", id]]
  ])("of %s gives every setting before the subcommand, and the prompt by stdin", (_name, conversation, session) => {
    assert.deepStrictEqual(command(request({ ...settings, conversation })), {
      args: [...always, ...given, ...session, "-"],
      stdin: "do the work"
    })
  })

  it.each([
    ["read", "read-only"],
    ["edit", "workspace-write"],
    ["full", "danger-full-access"]
  ] as const)("knows %s as %s", (permission, mode) => {
    assert.deepStrictEqual(command(request({ permission })).args, [...always, "-s", mode, "-"])
  })
})
