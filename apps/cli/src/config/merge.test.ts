import { expect, it } from "vitest"
import { merge, numberSetting, permissionSetting, providerCommands, type Source, textSetting } from "./merge.js"
import { settings, variableOf } from "./settings.js"

const user = (json: unknown): Source => ({ kind: "user", path: "/u/config.json", json })
const project = (json: unknown): Source => ({ kind: "project", path: "/p/.alluka/config.json", json })

it("has the defaults where nothing is set", () => {
  const config = merge([], {})
  expect(textSetting(config, "run.agent")).toBe("default")
  expect(numberSetting(config, "resume.max_age", 0)).toBe(86_400_000)
  expect(permissionSetting(config, "run.permission")).toBe("edit")
  expect(textSetting(config, "run.provider")).toBeNull()
  expect(config.faults).toEqual([])
})

it("takes the strongest source: environment, project, user, default", () => {
  const sources = [user({ run: { provider: "claude", agent: "u" } }), project({ run: { agent: "p" } })]
  const config = merge(sources, { ALLUKA_RUN_PROVIDER: "codex" })
  expect(config.settings.get("run.provider")).toEqual({
    key: "run.provider",
    value: "codex",
    origin: { kind: "environment", where: "ALLUKA_RUN_PROVIDER" }
  })
  expect(config.settings.get("run.agent")).toMatchObject({
    value: "p",
    origin: { kind: "project", where: "/p/.alluka/config.json" }
  })
})

it("takes nested and dotted keys as the same", () => {
  expect(textSetting(merge([user({ "run.provider": "claude" })], {}), "run.provider")).toBe("claude")
  expect(providerCommands(merge([user({ providers: { claude: { command: "/x/claude" } } })], {}))).toEqual({
    claude: "/x/claude"
  })
  expect(providerCommands(merge([], { ALLUKA_PROVIDERS_CLAUDE_COMMAND: "/y" }))).toEqual({ claude: "/y" })
})

it("keeps a provider that is described apart, whole, from the strongest source", () => {
  const one = { type: "command", command: ["one"] }
  const two = { type: "api", base_url: "http://127.0.0.1:1/v1" }
  const config = merge(
    [user({ providers: { mine: one, claude: { command: "/c" } } }), project({ providers: { mine: two } })],
    {}
  )
  expect([...config.described]).toEqual([
    ["mine", { json: two, origin: { kind: "project", where: "/p/.alluka/config.json" } }]
  ])
  expect(providerCommands(config)).toEqual({ claude: "/c" })
  expect(config.faults).toEqual([])
})

it("names a provider with dashes by a variable with underscores", () => {
  expect(providerCommands(merge([], { ALLUKA_PROVIDERS_CLAUDE_ACP_COMMAND: "/x" }))).toEqual({ "claude-acp": "/x" })
})

it("tells every value that cannot be used, and goes on without it", () => {
  const json = {
    run: { provder: "claude", permission: "root", timeout: "5" },
    resume: { max_age: "0", max_attempts: 0 }
  }
  const config = merge([user(json)], { ALLUKA_RESUME_MAX_ATTEMPTS: "many" })
  expect(config.faults).toHaveLength(6)
  expect(config.faults[0]).toBe("/u/config.json: there is no setting run.provder")
  expect(config.faults.at(-1)).toMatch(/^ALLUKA_RESUME_MAX_ATTEMPTS: /)
  expect(permissionSetting(config, "run.permission")).toBe("edit")
  expect(numberSetting(config, "resume.max_age", 0)).toBe(86_400_000)
})

it.each([
  ["task.phases", 4, "it must be 1, 2 or 3"],
  ["task.revert", "maybe", "it must be ask, keep or revert"],
  ["task.on_lost_session", "guess", "it must be refuse or fresh"]
] as const)("%s is one of a few values", (key, value, said) => {
  expect(merge([user({ [key]: value })], {}).faults).toEqual([expect.stringContaining(said)])
  expect(merge([], { [variableOf(key)]: String(value) }).faults).toEqual([expect.stringContaining(said)])
})

it("gives every setting a variable of its own, and none that means something else", () => {
  const variables = settings.map(({ key }) => variableOf(key))
  expect(new Set(variables).size).toBe(variables.length)
  for (const taken of ["ALLUKA_RUN", "ALLUKA_HOME", "ALLUKA_NO_INPUT", "ALLUKA_ASCII"])
    expect(variables).not.toContain(taken)
})
