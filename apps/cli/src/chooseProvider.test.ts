import { expect, it } from "vitest"
import { chooseProvider } from "./chooseProvider.js"

const facts = { flag: null, configured: null, installed: [], interactive: false }

it.each([
  [
    "the flag over everything",
    { ...facts, flag: "codex", configured: "claude", installed: ["claude"] },
    { _tag: "Chosen", provider: "codex" }
  ],
  [
    "the configuration",
    { ...facts, configured: "claude", installed: ["claude", "codex"] },
    { _tag: "Chosen", provider: "claude" }
  ],
  ["the only one", { ...facts, installed: ["codex"] }, { _tag: "Chosen", provider: "codex" }],
  [
    "several, nobody to ask",
    { ...facts, installed: ["claude", "codex"] },
    { _tag: "Several", among: ["claude", "codex"] }
  ],
  [
    "several, asked",
    { ...facts, installed: ["claude", "codex"], interactive: true },
    { _tag: "AskWhich", among: ["claude", "codex"] }
  ],
  ["none, nobody to ask: the demo agent never by itself", facts, { _tag: "None" }],
  ["none, asked", { ...facts, interactive: true }, { _tag: "AskDemo" }]
])("%s", (_, given, choice) => expect(chooseProvider(given)).toEqual(choice))
