/** The agent is killed at every point of a run: its end is true, and what was known of its conversation is kept. */
import { describe, expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import { cutAt, isNamed, isStored, killAgent, pointsOf, stored } from "./cut.js"
import { declaredOf } from "./declared.js"
import { points } from "./points.js"
import { preview, summaryOf } from "./runs.js"
import { differs } from "./subject.js"
import { distinct } from "./subjects.js"

const withProcess = distinct.filter(({ without }) => !without.includes("process"))

describe.each(withProcess)("$label", (subject) => {
  // There is no agent before its start and after its end.
  const { has, words } = pointsOf(subject, ["created", "exited"])

  test(`the agent killed at each point: ${words}`, async () => {
    const stage = await subject.open()
    const declared = await declaredOf(subject)
    for (const point of has) {
      const { alluka, id } = await cutAt(subject, stage, point)
      await killAgent(stage, id)
      const ended = await alluka.ended()
      const where = differs(subject, declared, `killed ${points[point]}: ${describeEnd(ended)}`)
      const done = point === "result" && subject.lastWord === "success"
      expect(ended.code, where).toBe(done ? 0 : 8)
      expect(summaryOf(ended), where).toMatchObject(
        done
          ? { state: "completed", reason: null }
          : { state: "interrupted", reason: { code: "provider_killed", signal: "SIGKILL" } }
      )
      expect(stored(stage, id).session !== null, where).toBe(isNamed(subject, declared, point))
      // That of the others was looked at where Alluka was killed: the record differs in its reason alone.
      if (point !== "toolDone") continue
      const { decision } = await preview(stage, id)
      const goesOn = isNamed(subject, declared, point) && isStored(subject, point)
      expect(decision.status, where).toBe(goesOn ? "resuming_same_session" : "refusing_to_resume")
    }
  })
})
