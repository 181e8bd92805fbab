import { expect, it } from "vitest"
import type { FoundConversation } from "../provider/FoundConversation.js"
import { noon } from "../testing/samples.js"
import { leftWhy, quietMs } from "./judge.js"

const found: FoundConversation = {
  id: "s",
  location: null,
  cwd: "/w",
  prompt: "count",
  model: null,
  thinking: null,
  permission: null,
  startedAt: noon,
  lastActivityAt: noon,
  turns: 1,
  messages: 1,
  openTool: null,
  stopped: "the last prompt has no answer",
  inUse: false
}

it.each<[string, Partial<FoundConversation>, number, ReadonlyArray<string>, ReturnType<typeof leftWhy>]>([
  ["one that stopped in the middle", {}, 0, [], null],
  ["one that a checkpoint has", {}, 0, ["s"], "known"],
  ["one that is complete", { stopped: null }, 0, [], "finished"],
  ["one that is open in a process", { inUse: true }, 10 * quietMs, [], "in_use"],
  ["one that may be open, a moment ago", { inUse: "unknown" }, quietMs - 1, [], "in_use"],
  ["one that may be open, quiet for long", { inUse: "unknown" }, quietMs, [], null],
  ["one of a clock ahead of ours", { inUse: "unknown" }, -quietMs, [], "in_use"]
])("%s", (_, change, later, known, why) => {
  expect(leftWhy({ ...found, ...change }, { known: new Set(known), now: noon + later })).toBe(why)
})
