/** Watching runs: no gap and no repeat by `seq`. */
import { expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import type { StreamLine } from "../support/documents.js"
import { exit, until } from "../support/stub/script.js"
import { openWorld } from "../support/world.js"
import { task } from "../trials/runs.js"
import { claudeStub as provider } from "../trials/stubs.js"

const provided = ["--provider", provider.name]

test("watchers see everything once: one from the start, one that is restarted in the middle", async () => {
  const world = openWorld()
  const [first, second] = [world.path("first"), world.path("second")]
  const messages = (from: number) =>
    Array.from({ length: 25 }, (_, index) => provider.message(`message ${from + index}`))
  world.stub(provider.name, {
    fresh: [
      ...provider.opening,
      ...messages(0),
      until(first),
      ...messages(25),
      until(second),
      provider.success,
      exit(0)
    ]
  })
  const all = world.start(["runs", "watch", "--json", "--from-seq", "0"])
  const run = world.start(["run", "--json", ...provided, "-p", task])
  const created = await run.event<StreamLine>("created")
  const id = created.checkpoint_id ?? ""

  const early = world.start(["runs", "watch", id, "--json", "--from-seq", "0"])
  await early.line((line) => JSON.stringify(line).includes("message 24"))
  early.kill("SIGTERM")
  const seen = (await early.ended()).stdout
  const stored = (text: string): ReadonlyArray<StreamLine> =>
    text
      .slice(0, text.lastIndexOf("\n"))
      .split("\n")
      .map((line) => JSON.parse(line) as StreamLine)
      .filter((line) => line.seq !== null)
  const lastSeen = stored(seen).at(-1)?.seq ?? 0
  world.touch(first)
  const late = world.start([
    "runs",
    "watch",
    id,
    "--json",
    "--from-seq",
    String(lastSeen),
    "--until",
    "completed",
    "--exit-status"
  ])
  world.touch(second)
  expect((await run.ended()).code).toBe(0)
  const lateEnd = await late.ended()
  expect(lateEnd.code, describeEnd(lateEnd)).toBe(0)

  await all.line((line) => line.kind === "state_changed")
  all.kill("SIGTERM")
  const whole = stored((await all.ended()).stdout).map((line) => line.seq)
  const pieces = [...stored(seen), ...stored(lateEnd.stdout)].map((line) => line.seq)
  expect(pieces).toEqual(whole)
  expect(new Set(whole).size).toBe(whole.length)
  const said = [...stored(seen), ...stored(lateEnd.stdout)].filter((line) => line.kind === "message")
  expect(said).toHaveLength(50)
})
