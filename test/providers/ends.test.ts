/** How a run ends, by what its agent says and not by its exit code. */
import { describe, expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import { signal } from "../support/processes.js"
import { ran, summaryOf, working } from "./runs.js"
import type { EndName } from "./subject.js"
import { distinct } from "./subjects.js"

describe.each(distinct)("$label", (subject) => {
  test("succeeds, and fails, for the reason that its agent gives", async () => {
    const stage = await subject.open()
    const done = await ran(subject, stage, { do: "finish" })
    expect(done.code, describeEnd(done)).toBe(0)
    expect(summaryOf(done)).toMatchObject({ state: "completed", reason: null })
    for (const [how, codes] of Object.entries(subject.ends) as ReadonlyArray<[EndName, ReadonlyArray<string> | null]>) {
      if (codes === null) continue
      const ended = await ran(subject, stage, { do: "end", how })
      expect([7, 8], describeEnd(ended)).toContain(ended.code)
      expect(codes, `${how}: ${describeEnd(ended)}`).toContain(summaryOf(ended).reason?.code)
    }
  })

  test.skipIf(subject.without.includes("cut"))(
    "an end in the middle is no success, even with exit code 0",
    async () => {
      const stage = await subject.open()
      const ended = await ran(subject, stage, { do: "cut" })
      expect([7, 8], describeEnd(ended)).toContain(ended.code)
      expect(["ended_without_result", "network_lost", "provider_error"]).toContain(summaryOf(ended).reason?.code)
    }
  )

  test.skipIf(subject.without.includes("process"))("an agent that is killed leaves an interrupted run", async () => {
    const stage = await subject.open()
    const { alluka, id } = await working(subject, stage)
    for (const { pid } of stage.world.marked(id)) signal(pid, "SIGKILL")
    const ended = await alluka.ended()
    expect(ended.code, describeEnd(ended)).toBe(8)
    expect(summaryOf(ended)).toMatchObject({
      state: "interrupted",
      reason: { code: "provider_killed", signal: "SIGKILL" }
    })
  })
})
