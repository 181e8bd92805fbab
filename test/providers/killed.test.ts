/** Alluka is killed at every point of a run, and what it had started lives on: what can go on does, what cannot is told. */
import { describe, expect, test } from "vitest"
import { describeEnd, type Ended } from "../support/command.js"
import { cutAt, isNamed, isStored, killAgent, killAlluka, killedWhenCreated, pointsOf, stored } from "./cut.js"
import { declaredOf } from "./declared.js"
import { type Point, points } from "./points.js"
import { decisionOf, lastHeard, resumed, summaryOf } from "./runs.js"
import { type Declared, differs, type Stage, type Subject } from "./subject.js"
import { distinct } from "./subjects.js"

/** Goes on in the conversation that is known and kept; else nobody is told that it went on. */
const expectResumed = (
  subject: Subject,
  stage: Stage,
  declared: Declared,
  { ended, point, session }: { readonly ended: Ended; readonly point: Point; readonly session: unknown }
): void => {
  const where = differs(subject, declared, `killed ${points[point]}, it goes on: ${describeEnd(ended)}`)
  if (isNamed(subject, declared, point) && isStored(subject, point)) {
    expect(ended.code, where).toBe(0)
    expect(decisionOf(ended)).toMatchObject({
      status: "resuming_same_session",
      facts: { provider_session: session }
    })
    const heard = lastHeard(stage)
    expect(heard.resumed, where).toBe(true)
    if (heard.session !== undefined) expect(heard.session).toBe(session)
    expect(summaryOf(ended).state).toBe("completed")
    return
  }
  expect(ended.code, where).toBe(10)
  const { cause, reason } = decisionOf(ended)
  expect(reason, where).toBe("fresh_start_requires_confirmation")
  expect(["missing_provider_session_id", "provider_session_missing", "continuation_unsupported"]).toContain(cause)
}

describe.each(distinct)("$label", (subject) => {
  const { has, words } = pointsOf(subject)

  test(`Alluka killed at each point: ${words}`, async () => {
    const stage = await subject.open()
    const { world } = stage
    const declared = await declaredOf(subject)
    for (const point of has) {
      const before = stage.heard().length
      const id = await (async () => {
        if (point === "created") return killedWhenCreated(subject, stage)
        const cut = await cutAt(subject, stage, point)
        await killAlluka(cut, stage)
        return cut.id
      })()
      if (point === "created") expect(stage.heard(), "an agent was started").toHaveLength(before)
      expect(stored(stage, id).state, points[point]).toBe("running")
      if (point === "tool" || point === "toolDone") {
        const { position } = await world.show(id)
        expect(position.open_tool === null, `the tool that was at work ${points[point]}`).toBe(point === "toolDone")
      }
      if (point === "message" && world.marked(id).length > 0) {
        const starts = stage.heard().length
        const early = await resumed(stage, id, { do: "finish" })
        expect(early.code, describeEnd(early)).toBe(6)
        expect(decisionOf(early).reason).toBe("provider_process_alive")
        expect(stage.heard()).toHaveLength(starts)
      }
      const ended = await resumed(stage, id, { do: "finish" }, ["--stop-survivor"])
      const now = stored(stage, id)
      expect(now, points[point]).toMatchObject({ state: "interrupted", reason: "owner_lost" })
      expect(now.session !== null, differs(subject, declared, `its id is known ${points[point]}`)).toBe(
        isNamed(subject, declared, point)
      )
      expectResumed(subject, stage, declared, { ended, point, session: now.session })
      // A refusal ends nothing.
      if (ended.code === 0) await world.noneMarked(id)
      else await killAgent(stage, id)
    }
  })
})
