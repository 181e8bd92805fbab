import { expect, it } from "vitest"
import { type PathFacts, resolvePaths } from "./paths.js"

const facts: PathFacts = {
  env: { HOME: "/home/a" },
  cwd: "/work",
  homeFlag: null,
  accountHome: () => "/home/account",
  platform: "linux"
}

it.each([
  ["the platform's state folder", facts, "/home/a/.local/state/alluka"],
  ["XDG_STATE_HOME", { ...facts, env: { HOME: "/home/a", XDG_STATE_HOME: "/s" } }, "/s/alluka"],
  [
    "a relative XDG_STATE_HOME, which counts for nothing",
    { ...facts, env: { HOME: "/home/a", XDG_STATE_HOME: "s" } },
    "/home/a/.local/state/alluka"
  ],
  ["ALLUKA_HOME", { ...facts, env: { HOME: "/home/a", ALLUKA_HOME: "/data" } }, "/data"],
  ["a relative ALLUKA_HOME", { ...facts, env: { ALLUKA_HOME: "data" } }, "/work/data"],
  ["--home over ALLUKA_HOME", { ...facts, env: { ALLUKA_HOME: "/data" }, homeFlag: "other" }, "/work/other"],
  ["the account's home where HOME is unset", { ...facts, env: {} }, "/home/account/.local/state/alluka"],
  ["the same where HOME is empty", { ...facts, env: { HOME: "" } }, "/home/account/.local/state/alluka"],
  ["the same where HOME is relative", { ...facts, env: { HOME: "a" } }, "/home/account/.local/state/alluka"],
  ["macOS", { ...facts, platform: "darwin" as const }, "/home/a/Library/Application Support/alluka"]
])("%s", (_, given, home) => expect(resolvePaths(given)).toMatchObject({ home }))

it("says what to do where there is no home at all", () => {
  expect(resolvePaths({ ...facts, env: {}, accountHome: () => null })).toMatchObject({ code: "no_home", exitCode: 1 })
})

it("needs no home where the data folder is named", () => {
  expect(resolvePaths({ ...facts, env: { ALLUKA_HOME: "/data" }, accountHome: () => null })).toEqual({
    home: "/data",
    userConfig: null
  })
})
