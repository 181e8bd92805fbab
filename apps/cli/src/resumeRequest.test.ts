import { Decision } from "@alluka/core"
import { expect, it } from "vitest"
import { parse } from "./arguments/parse.js"
import { commandTable, globalOptions, groups } from "./commandTable.js"
import { consentQuestion, flagsOf, resumeRequestOf } from "./resumeRequest.js"

const requestOf = (...flags: ReadonlyArray<string>) => {
  const table = { commands: commandTable, groups, globals: globalOptions }
  const parsed = parse(["resume", "x", ...flags], table, { program: "alluka", now: 0, width: 80 })
  if (parsed._tag !== "Call") throw new Error(JSON.stringify(parsed))
  return resumeRequestOf(parsed.invocation.options, "/w", null)
}

it.each(Decision.Consent.literals)("%s is given by its flag alone", (consent) => {
  const request = requestOf(Decision.consentFlag[consent])
  expect([...request.consents]).toEqual([consent])
  expect(flagsOf(request)).toEqual([Decision.consentFlag[consent]])
  expect(consentQuestion[consent]).toMatch(/\?$/)
})

it("-y gives none", () => expect(requestOf("-y").consents.size).toBe(0))

it("takes the settings, and folders from where it is typed", () => {
  expect(
    requestOf("-m", "opus[1m]", "--thinking", "high", "--permission", "read", "--cd", "sub", "--fork")
  ).toMatchObject({
    model: "opus[1m]",
    thinking: "high",
    permission: "read",
    cd: "/w/sub",
    fork: true,
    fresh: false
  })
})
