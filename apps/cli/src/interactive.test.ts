import { expect, it } from "vitest"
import { type InteractiveFacts, mayAsk } from "./interactive.js"

const someone: InteractiveFacts = { stdinTerminal: true, stdoutTerminal: true, env: {}, noInput: false, json: false }

it("asks where stdin and stdout are terminals", () => expect(mayAsk(someone)).toBe(true))

it.each([
  ["stdin is none", { stdinTerminal: false }],
  ["stdout is none", { stdoutTerminal: false }],
  ["--no-input", { noInput: true }],
  ["--json", { json: true }],
  ["ALLUKA_NO_INPUT", { env: { ALLUKA_NO_INPUT: "1" } }],
  ["CI", { env: { CI: "true" } }],
  ["TERM=dumb", { env: { TERM: "dumb" } }]
])("asks nothing: %s", (_, change) => expect(mayAsk({ ...someone, ...change })).toBe(false))

it.each([[{ CI: "" }], [{ CI: "false" }], [{ ALLUKA_NO_INPUT: "0" }]])("%j says nothing", (env) =>
  expect(mayAsk({ ...someone, env })).toBe(true)
)
