/** A configuration that is broken or wrong: told with the file, the line and the column, and never changed by itself. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { describe, expect, test } from "vitest"
import type { Document } from "../support/documents.js"
import { expectValid } from "../support/schemas.js"
import { openWorld, type World } from "../support/world.js"

interface Config extends Document {
  readonly paths: { readonly user_config: string; readonly trust: string }
  readonly config: Readonly<Record<string, unknown>>
}
interface Report extends Document {
  readonly items: ReadonlyArray<{ readonly id: string; readonly status: string; readonly message: string }>
}

const userFile = async (world: World, text: string): Promise<string> => {
  const { paths } = await world.json<Config>(["config", "show"])
  mkdirSync(dirname(paths.user_config), { recursive: true })
  writeFileSync(paths.user_config, text)
  return paths.user_config
}

const projectFile = (world: World, text: string): string => {
  const file = world.path("work", ".alluka", "config.json")
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

const broken = '{\n  "run": {\n    "provider": "demo",\n  }\n}\n'

describe("a file that is no JSON", () => {
  test.each([
    ["config", "show"],
    ["config", "get", "run.provider"],
    ["config", "set", "run.provider", "claude"],
    ["runs", "list"],
    ["run", "-p", "survey"],
    ["trust"]
  ])("ends `%s %s` with its place, and stays as it is", async (...argv) => {
    const world = openWorld()
    const file = await userFile(world, broken)
    const ended = await world.run([...argv, "--json"])
    expect(ended.code).toBe(2)
    expect(ended.stdout).toBe("")
    const error = ended.error<Document>()
    expectValid(error)
    expect(error).toMatchObject({
      ...{ code: "config_invalid", path: file, line: 4, column: 3 },
      message: `${file}:4:3: this is no valid JSON: there is a comma before this "}" that nothing follows; take it out`
    })
    expect(readFileSync(file, "utf8")).toBe(broken)
    const inWords = await world.run(argv)
    expect(inWords.stderr).toMatch(/^alluka: .*config\.json:4:3: /)
    expect(inWords.stderr).toContain("correct the file there")
  })

  test("is a finding of the doctor", async () => {
    const world = openWorld()
    const file = await userFile(world, broken)
    const ended = await world.run(["doctor", "--json"])
    expect(ended.code).toBe(1)
    expect(ended.document<Report>().items).toMatchObject([
      { id: "config_invalid", status: "problem", message: expect.stringContaining(`${file}:4:3: `) }
    ])
  })

  test("is not trusted as a project's: it would end every command there", async () => {
    const world = openWorld()
    const file = projectFile(world, broken)
    const { paths } = await world.json<Config>(["config", "show"])
    const refused = await world.run(["trust", "-y", "--json"])
    expect(refused.error<Document>()).toMatchObject({ code: "config_invalid", path: file, line: 4, column: 3 })
    expect(existsSync(paths.trust)).toBe(false)
    expect((await world.run(["runs", "list"])).code).toBe(0)
  })
})

test("a wrong setting is told by every command with its place; the doctor also tells what is set twice", async () => {
  const world = openWorld()
  const file = await userFile(
    world,
    '{"run": {\n"provder": "demo", "agent": "a", "agent": "b"},\n"permission.max": "raed"}'
  )
  const shown = await world.run(["config", "show", "--json"])
  expect(shown.code).toBe(0)
  expect(shown.stderr).toContain(`${file}:2:1: there is no setting run.provder; did you mean run.provider?`)
  expect(shown.stderr).toContain(`${file}:3:19: permission.max is "raed"; it must be read, edit or full`)
  expect(shown.document<Config>().config).toMatchObject({ "run.agent": "b", "permission.max": "read" })
  const { items } = (await world.run(["doctor", "--json"])).document<Report>()
  expect(items.filter(({ id }) => id.startsWith("config")).map(({ id, message }) => [id, message])).toEqual([
    ["config", expect.stringContaining(`${file}:2:1: `)],
    ["config", expect.stringContaining(`${file}:3:19: `)],
    ["config_twice", `${file}:2:20: "agent" is set twice`]
  ])
})

test("a provider that cannot be used is told with its place, and a project's before it is trusted", async () => {
  const world = openWorld()
  const file = projectFile(world, '{"providers": {"mine": {"type": "api",\n"base_ulr": "http://127.0.0.1:1"}}, "x": 1}')
  const trusted = await world.run(["trust", "-y"])
  expect(trusted.code).toBe(0)
  expect(trusted.stderr).toContain(`${file}:2:37: there is no setting x`)
  const ended = await world.run(["run", "--provider", "mine", "-p", "x"])
  expect(ended.code).toBe(4)
  expect(ended.stderr).toContain(
    `${file}:2:1: the provider "mine" cannot be used: base_ulr means nothing; did you mean base_url?`
  )
})

test("what an editor left before the text does not keep a setting from being set", async () => {
  const world = openWorld()
  const file = await userFile(world, '\ufeff{"$schema": "./config_file.json", "run": {"agent": "a"}}\r\n')
  expect((await world.run(["config", "set", "run.provider", "demo"])).code).toBe(0)
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    $schema: "./config_file.json",
    run: { agent: "a", provider: "demo" }
  })
  const unknown = await world.run(["config", "set", "run.provder", "demo"])
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("did you mean run.provider?")])
})
