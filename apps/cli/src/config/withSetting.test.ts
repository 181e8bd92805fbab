import { expect, it } from "vitest"
import { withSetting } from "../commands/config.js"

it.each([
  [{}, ["run", "provider"], "claude", { run: { provider: "claude" } }],
  [{ run: { agent: "a" }, other: 1 }, ["run", "provider"], "x", { run: { agent: "a", provider: "x" }, other: 1 }],
  [{ run: { provider: "x" } }, ["run", "provider"], null, {}],
  [{ run: { provider: "x", agent: "a" } }, ["run", "provider"], null, { run: { agent: "a" } }],
  [{ "run.provider": "old" }, ["run", "provider"], "new", { run: { provider: "new" } }],
  [{ run: "damaged" }, ["run", "provider"], "x", { run: { provider: "x" } }]
])("%j with %j = %j is %j", (before, path, value, after) => expect(withSetting(before, path, value)).toEqual(after))
