import { expect, it } from "vitest"
import { tellFaults } from "./config/fault.js"
import { merge } from "./config/merge.js"
import { describedProviders } from "./describedProviders.js"

const good = {
  type: "command",
  command: ["echo"],
  prompt: "stdin",
  output: { format: "text", success: "exit_zero" },
  permissions: { read: null, edit: "e", full: null }
}

const described = (text: string) =>
  describedProviders(merge([{ kind: "user", path: "/u.json", text, json: JSON.parse(text) }], {}))

it("a provider that cannot be used is told, and hides none of the others", async () => {
  const text = JSON.stringify(
    { providers: { good, broken: { type: "command", command: [] }, claude: { ...good } } },
    null,
    2
  )
  const { faults, providers } = described(text)
  expect(Object.keys(providers)).toEqual(["good"])
  const told = await tellFaults(faults)
  expect(told.filter((each) => each.includes('"broken"'))).not.toEqual([])
  expect(told.at(-1)).toMatch(/^\/u\.json:\d+:5: the provider "claude" cannot be used: claude is no name/)
})

it.each([
  ['{"providers": {"a": {"type": "api",\n "base_url": "ftp://x"}}}', /^\/u\.json:2:14: .* base_url must be an http/],
  [
    '{"providers": {"a": {"type": "api",\n "base_ulr": "http://x",\n "base_url": "http://x"}}}',
    /^\/u\.json:2:2: .* base_ulr means nothing; did you mean base_url\?$/
  ],
  ['{"providers": {\n"a": {"type": "api"}}}', /^\/u\.json:2:1: .* base_url is missing$/],
  [
    '{"providers.a":\n {"type": "api", "base_url": 5}}',
    /^\/u\.json:2:30: .* base_url is wrong: Expected string, actual 5$/
  ],
  [
    '{"providers": {"a": {\n"type": "apo"}}}',
    /^\/u\.json:2:9: .* type is wrong: Expected "command" \| "acp" \| "api", actual "apo"$/
  ],
  ['{"providers": {"a": {"type": "acp",\n "command": ["x",\n 5]}}}', /^\/u\.json:3:2: .* command\.1 is wrong/],
  [
    '{"providers": {"claud": {\n"command": "x"}}}',
    /^\/u\.json:2:1: there is no provider claud; did you mean claude\? One of your own needs a "type"$/
  ],
  [
    '{"providers.my-own-agent.command":\n"x"}',
    /^\/u\.json:1:2: there is no provider my-own-agent\. One of your own needs a "type"$/
  ],
  ['{"providers": {\n"A b": {"type": "acp", "command": ["x"]}}}', /^\/u\.json:2:1: .* A b is no name for a provider/]
])("%j is told with its place", async (text, said) => {
  const { faults, providers } = described(text)
  expect(providers).toEqual({})
  expect(await tellFaults(faults)).toEqual([expect.stringMatching(said)])
})
