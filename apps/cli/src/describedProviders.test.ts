import { expect, it } from "vitest"
import { merge } from "./config/merge.js"
import { describedProviders } from "./describedProviders.js"

it("a provider that cannot be used is told once, and hides none of the others", () => {
  const good = {
    type: "command",
    command: ["echo"],
    prompt: "stdin",
    output: { format: "text", success: "exit_zero" },
    permissions: { read: null, edit: "e", full: null }
  }
  const json = { providers: { good, broken: { type: "command", command: [] }, claude: { ...good } } }
  const { faults, providers } = describedProviders(merge([{ kind: "user", path: "/u.json", json }], {}))
  expect(Object.keys(providers)).toEqual(["good"])
  expect(faults).toHaveLength(2)
  expect(faults[0]).toMatch(/^\/u\.json: the provider "broken" cannot be used: .*broken\.command/)
  expect(faults[1]).toMatch(/"claude" cannot be used/)
})
