/** Alluka and the agent are both killed at every point of a run: what can go on does, what cannot is told. */
import { existsSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import type { StreamLine } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import { signal } from "../support/processes.js"
import { declaredOf } from "./declared.js"
import { decisionOf, lastHeard, resumed, summaryOf, task } from "./runs.js"
import { differs } from "./subject.js"
import { distinct } from "./subjects.js"

const killable = distinct.filter(({ points }) => points.length > 0)

describe.each(killable)("$label", (subject) => {
  test("killed at every point of a run", async () => {
    const stage = await subject.open()
    const { world } = stage
    const declared = await declaredOf(subject)
    for (const point of subject.points) {
      const reached = world.path(`reached-${point}`)
      const before = stage.heard().length
      const options = stage.plan({ do: "stopAt", point, reached })
      const alluka = world.start(["run", "--json", "--provider", subject.id, "-p", task], options)
      const id = (await alluka.event<StreamLine>("created")).checkpoint_id ?? ""
      await eventually(() => stage.heard().length > before, { what: "the start of the agent" })
      const announced = point >= subject.announcedAt
      if (announced) await alluka.event("provider_session")
      if (!subject.without.includes("process")) await eventually(() => existsSync(reached), { what: `point ${point}` })
      alluka.kill("SIGKILL")
      await alluka.ended()
      for (const { pid } of world.marked(id)) signal(pid, "SIGKILL")
      await world.noneMarked(id)

      const ended = await resumed(stage, id, { do: "finish" })
      const where = `killed at point ${point}: ${describeEnd(ended)}`
      const named = declared.continuation !== "none" && (announced || declared.id_known === "before_spawn")
      const stored = subject.storage === null || point >= subject.storedAt
      if (named && stored) {
        expect(ended.code, differs(subject, declared, where)).toBe(0)
        expect(decisionOf(ended).status).toBe("resuming_same_session")
        const known = decisionOf(ended).facts.provider_session
        expect(known).not.toBeNull()
        const { resumed: goesOn, session } = lastHeard(stage)
        expect(goesOn, where).toBe(true)
        if (session !== undefined) expect(session).toBe(known)
        expect(summaryOf(ended).state).toBe("completed")
      } else {
        // A conversation that was not begun, or not kept: nobody is told that it went on.
        expect(ended.code, differs(subject, declared, where)).toBe(10)
        const decision = decisionOf(ended)
        expect(decision.reason).toBe("fresh_start_requires_confirmation")
        expect(["missing_provider_session_id", "provider_session_missing", "continuation_unsupported"]).toContain(
          decision.cause
        )
      }
    }
  })
})
