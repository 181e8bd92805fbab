import { expect, it } from "vitest"
import { merge, numberSetting, permissionSetting, providerCommands, type Source, textSetting } from "./merge.js"
import { settings, variableOf } from "./settings.js"

const source = (kind: Source["kind"], path: string, json: unknown): Source => ({
  ...{ kind, path, json },
  text: JSON.stringify(json)
})
const user = (json: unknown): Source => source("user", "/u/config.json", json)
const project = (json: unknown): Source => source("project", "/p/.alluka/config.json", json)

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
    [
      "mine",
      {
        json: two,
        origin: { kind: "project", where: "/p/.alluka/config.json" },
        text: JSON.stringify({ providers: { mine: two } }),
        keys: ["providers", "mine"]
      }
    ]
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
  expect(config.faults.map(({ keys, message, where }) => [where, keys.join("/"), message])).toEqual([
    ["/u/config.json", "run/provder", "there is no setting run.provder; did you mean run.provider?"],
    [
      "/u/config.json",
      "run/permission",
      'run.permission is "root"; it must be read, edit or full; until then it is read'
    ],
    ["/u/config.json", "run/timeout", 'run.timeout is "5"; it must be a duration such as 30m, 24h or 7d'],
    ["/u/config.json", "resume/max_age", 'resume.max_age is "0"; it must be longer than 0'],
    ["/u/config.json", "resume/max_attempts", "resume.max_attempts is 0; it must be a whole number from 1 up"],
    ["ALLUKA_RESUME_MAX_ATTEMPTS", "", 'resume.max_attempts is "many"; it must be a whole number from 1 up']
  ])
  expect(numberSetting(config, "resume.max_age", 0)).toBe(86_400_000)
})

it.each(["run.permission", "permission.max"])("takes a %s that is no permission for the least one", (key) => {
  for (const value of ["raed", true, ["full"], {}]) {
    expect(permissionSetting(merge([user({ [key]: "full" }), project({ [key]: value })], {}), key)).toBe("read")
  }
  expect(permissionSetting(merge([user({ [key]: "full" })], { [variableOf(key)]: "everything" }), key)).toBe("read")
})

it.each([
  [{ run: "claude" }, "run is a group of settings: an object with provider, agent, permission, timeout, idle_timeout"],
  [{ runn: { provider: "claude" } }, "there is no setting runn.provider; did you mean run.provider?"],
  [{ wholly: { other: 1 } }, "there is no setting wholly.other"],
  [{ wholly: {} }, "there is no setting wholly"],
  [
    { providers: { mine: { typ: "api" } } },
    "there is no setting providers.mine.typ; did you mean providers.mine.type?"
  ],
  [
    { providers: { claude: { comand: "x" } } },
    "there is no setting providers.claude.comand; did you mean providers.claude.command?"
  ],
  [JSON.parse('{"__proto__": {"a": 1}}'), "there is no setting __proto__.a"]
])("%j names no setting", (json, said) => {
  expect(merge([user(json)], {}).faults.map(({ message }) => message)).toEqual([said])
})

it("has nothing to say of empty groups, nor of the file's own schema", () => {
  expect(
    merge([user({ $schema: "https://example.org/s.json", run: {}, providers: { claude: {} } })], {}).faults
  ).toEqual([])
})

it("does not go down with what is nested without end", () => {
  const deep = JSON.parse(`${'{"run":'.repeat(100_000)}1${"}".repeat(100_000)}`)
  const sources = [deep, { "run.provider": [[deep]] }].map((json) => ({ ...user({}), json }))
  expect(merge(sources, {}).faults).toHaveLength(2)
})

it.each([
  ["task.phases", 4, "it must be 1, 2 or 3"],
  ["task.revert", "maybe", "it must be ask, keep or revert"],
  ["task.on_lost_session", "guess", "it must be refuse or fresh"]
] as const)("%s is one of a few values", (key, value, said) => {
  const wrong = { message: expect.stringContaining(said) }
  expect(merge([user({ [key]: value })], {}).faults).toMatchObject([wrong])
  expect(merge([], { [variableOf(key)]: String(value) }).faults).toMatchObject([wrong])
})

it("gives every setting a variable of its own, and none that means something else", () => {
  const variables = settings.map(({ key }) => variableOf(key))
  expect(new Set(variables).size).toBe(variables.length)
  for (const taken of ["ALLUKA_RUN", "ALLUKA_HOME", "ALLUKA_NO_INPUT", "ALLUKA_ASCII"])
    expect(variables).not.toContain(taken)
})
