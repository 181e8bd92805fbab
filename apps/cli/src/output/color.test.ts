import { expect, it } from "vitest"
import { colored, plain, wantsColor } from "./color.js"

it.each([
  ["a terminal", { flag: null, env: {}, terminal: true }, true],
  ["a pipe", { flag: null, env: {}, terminal: false }, false],
  ["a dumb terminal", { flag: null, env: { TERM: "dumb" }, terminal: true }, false],
  ["NO_COLOR on a terminal", { flag: null, env: { NO_COLOR: "1" }, terminal: true }, false],
  ["an empty NO_COLOR, which says nothing", { flag: null, env: { NO_COLOR: "" }, terminal: true }, true],
  ["FORCE_COLOR into a pipe", { flag: null, env: { FORCE_COLOR: "1" }, terminal: false }, true],
  ["FORCE_COLOR=0 on a terminal", { flag: null, env: { FORCE_COLOR: "0" }, terminal: true }, false],
  ["NO_COLOR over FORCE_COLOR", { flag: null, env: { NO_COLOR: "1", FORCE_COLOR: "1" }, terminal: true }, false],
  ["--color always over NO_COLOR", { flag: "always", env: { NO_COLOR: "1" }, terminal: false }, true],
  ["--color never over FORCE_COLOR", { flag: "never", env: { FORCE_COLOR: "1" }, terminal: true }, false],
  ["--color auto is as if it were not there", { flag: "auto", env: {}, terminal: true }, true]
])("%s", (_, facts, colour) => expect(wantsColor(facts)).toBe(colour))

it("colours with codes that are closed again, and leaves plain text alone", () => {
  expect(colored("failed", "bad")).toBe("\u001b[31mfailed\u001b[0m")
  expect(colored("x", "plain")).toBe("x")
  expect(colored("", "bad")).toBe("")
  expect(plain("failed", "bad")).toBe("failed")
})
