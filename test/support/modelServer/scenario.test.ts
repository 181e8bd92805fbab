import { describe, expect, test } from "vitest"
import { scenarioOf } from "./scenario.js"
import { item, userTexts } from "./transcript.js"

const user = (text: string) => item("user", "text", text)
const assistant = (text: string) => item("assistant", "text", text)
const use = item("assistant", "tool_use", "{}", "t1", "Bash")
const result = item("user", "tool_result", "done", "t1")

describe("the scenario of a request", () => {
  test.each([
    ["no marker", [user("hello")], { name: "text", argument: null }],
    ["a marker with its argument", [user("do {{tool ls -l}}")], { name: "tool", argument: "ls -l" }],
    ["the last of several markers", [user("{{500}} then {{slow 3}}")], { name: "slow", argument: "3" }],
    ["an answered tool call is over", [user("{{tool ls}}"), use, result], { name: "text", argument: null }],
    ["a loop is not", [user("{{loop ls}}"), use, result], { name: "loop", argument: "ls" }],
    [
      "an earlier turn does not count",
      [user("{{500}}"), assistant("no"), user("again")],
      { name: "text", argument: null }
    ],
    [
      "a repaired call of an earlier turn does not answer a new one",
      [user("{{tool a}}"), use, result, assistant("-"), user("{{tool b}}")],
      { name: "tool", argument: "b" }
    ],
    [
      "what the agent adds is skipped",
      [user("{{529}}"), user("<system-reminder>be kind</system-reminder>")],
      { name: "529", argument: null }
    ]
  ])("%s", (_name, transcript, expected) => {
    expect(scenarioOf(transcript)).toEqual(expected)
  })
})

test("the user's texts leave out what the agent's program added", () => {
  expect(
    userTexts([
      user("<environment_context>"),
      user("# AGENTS.md instructions"),
      user("one"),
      assistant("x"),
      user("two")
    ])
  ).toEqual(["one", "two"])
})
