/** Configuration files as people leave them behind: each fault is told with its file, its line and its column. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, test } from "vitest"
import { invalidConfigs, validConfigs } from "../testing/configs.js"
import { tellFaults } from "./fault.js"
import { type Loaded, loadConfig } from "./load.js"
import { textSetting } from "./merge.js"
import { findProjectFile, setTrust, trustFileOf } from "./trust.js"

let folder = ""
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "alluka-config-")))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const userFile = () => join(folder, "user", "config.json")
const projectFile = () => join(folder, "work", ".alluka", "config.json")
const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
const load = () => loadConfig({ userConfig: userFile(), cwd: join(folder, "work"), env: {} })
const trust = (): void => {
  const found = findProjectFile(join(folder, "work"))
  if (found === null) throw new Error("there is no project file")
  setTrust(found.path, found.hash, trustFileOf(userFile()))
}
const loaded = async (): Promise<Loaded> => {
  const config = await load()
  if ("code" in config) throw new Error(config.message)
  return config
}

/** Where a text is put, and counts. */
const places = [
  ["the user's file", userFile, () => undefined],
  ["a trusted project's file", projectFile, trust]
] as const

describe.each(places)("%s", (_, file, counts) => {
  test.each([
    ["", "1:1", /the file is empty/],
    ["\n\n", "1:1", /the file is empty/],
    ["{", "1:2", /ends too early/],
    ['{\n  "run": {\n    "provider": "claude",\n  }\n}\n', "4:3", /a comma before this "}"/],
    ['{\r\n  "run": {\r\n    "provider" "claude"\r\n  }\r\n}\r\n', "3:16", /":" is expected/],
    ['\ufeff{"run": x}', "1:9", /double quotes/],
    ['  ["run"]', "1:3", /a JSON object/],
    ["\n null", "2:2", /a JSON object/],
    ['"text"', "1:1", /a JSON object/],
    ["\u0000\u0000", "1:1", /UTF-8/]
  ])("%j ends the command with its place", async (text, place, why) => {
    write(file(), text)
    counts()
    const [line, column] = place.split(":").map(Number)
    expect(await load()).toMatchObject({
      code: "config_invalid",
      exitCode: 2,
      message: expect.stringMatching(why),
      place: { path: file(), line, column },
      hints: [expect.stringContaining("correct the file there")]
    })
    expect(await load()).toMatchObject({ message: expect.stringContaining(`${file()}:${place}: `) })
  })

  test.each(invalidConfigs)("$text is told with its place, and the rest counts", async ({ text, told }) => {
    write(file(), text)
    counts()
    const config = await loaded()
    expect(await tellFaults(config.faults)).toEqual(told.map((each) => `${file()}:${each}`))
  })

  test.each(validConfigs)("%j is right", async (text) => {
    write(file(), text)
    counts()
    expect((await loaded()).faults).toEqual([])
  })
})

it("a byte order mark before the text is no part of it", async () => {
  write(userFile(), '\ufeff{"run.provider": "claude",\n"x": 1}')
  const config = await loaded()
  expect(textSetting(config, "run.provider")).toBe("claude")
  expect(await tellFaults(config.faults)).toEqual([`${userFile()}:2:1: there is no setting x`])
})

it("a file that cannot be read is not taken for none", async () => {
  mkdirSync(userFile(), { recursive: true })
  expect(await load()).toMatchObject({
    code: "config_unreadable",
    place: { path: userFile(), line: null, column: null }
  })
})

it("a project's file that is not trusted is not read at all", async () => {
  write(projectFile(), "{")
  expect((await loaded()).project).toEqual({ path: projectFile(), trusted: false })
})
