/** Signals to Alluka and a cancel from elsewhere, with the real programs. */
import { describe, expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import type { Document, StreamLine } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import { openTerminal } from "../support/terminal.js"
import { expectContinued, flushed, openRig, type RealAgent, type Situation, situations, task } from "./rig.js"

const agents: ReadonlyArray<RealAgent> = ["claude", "codex"]
const cases = agents.flatMap((agent) =>
  (Object.keys(situations) as ReadonlyArray<Situation>).map((when) => ({ agent, when }))
)

describe.each(cases)("$agent, $when", ({ agent, when }) => {
  test("SIGINT cancels, and the resume asks for a confirmation", async () => {
    const rig = await openRig(agent)
    const run = await situations[when](rig)
    run.alluka.kill("SIGINT")
    const ended = await run.alluka.ended()
    expect(ended.code, describeEnd(ended)).toBe(130)
    expect(await rig.world.show(run.id)).toMatchObject({ state: "cancelled", reason: { code: "cancelled_by_user" } })
    await rig.world.noneMarked(run.id)

    const requests = rig.server.requests.length
    const refused = await rig.world.run(["resume", run.id, "--json"])
    expect(refused.code, describeEnd(refused)).toBe(5)
    expect(refused.last<StreamLine>("resume_decision").payload).toMatchObject({
      reason: "cancelled_requires_confirmation"
    })
    expect(rig.server.requests).toHaveLength(requests)
    await expectContinued(rig, run, ["--confirm-cancelled"])
  })

  test("SIGTERM is a shutdown, and the run simply goes on later", async () => {
    const rig = await openRig(agent)
    const run = await situations[when](rig)
    run.alluka.kill("SIGTERM")
    const ended = await run.alluka.ended()
    expect(ended.code, describeEnd(ended)).toBe(143)
    expect(await rig.world.show(run.id)).toMatchObject({
      state: "interrupted",
      reason: { code: "shutdown" },
      resumable: true
    })
    await rig.world.noneMarked(run.id)
    await expectContinued(rig, run)
  })

  test("a cancel from another process ends the run where it lives", async () => {
    const rig = await openRig(agent)
    const run = await situations[when](rig)
    const cancel = await rig.world.run(["cancel", run.id, "--json"])
    expect(cancel.code, describeEnd(cancel)).toBe(0)
    expect(cancel.document().kind).toBe("cancel_result")
    const ended = await run.alluka.ended()
    expect(ended.code, describeEnd(ended)).toBe(9)
    expect(await rig.world.show(run.id)).toMatchObject({
      state: "cancelled",
      reason: { code: expect.stringMatching(/^cancelled_by_(user|stop)$/) }
    })
    await rig.world.noneMarked(run.id)
    await expectContinued(rig, run, ["--confirm-cancelled"])
  })
})

test.each(agents)("%s: closing the terminal is an interruption that can go on", async (agent) => {
  const rig = await openRig(agent)
  const args = rig.runArgs(`${task} {{slow 240}}`).filter((arg) => arg !== "--json")
  const terminal = openTerminal(rig.world, args)
  await rig.server.waitForRequest((request) => request.scenario === "slow")
  const list = await rig.world.json<
    Document & { items: ReadonlyArray<{ id: string; provider_session: { id: string } }> }
  >(["runs", "list"])
  const [listed] = list.items
  if (listed === undefined) throw new Error("the run is not listed")
  await flushed(rig, listed.provider_session.id)
  terminal.close()
  const stopped = await eventually(
    async () => {
      const shown = await rig.world.show(listed.id)
      return shown.state === "running" ? null : shown
    },
    { withinMs: 15_000, what: "the end of the run" }
  )
  expect(stopped).toMatchObject({ state: "interrupted", reason: { code: "terminal_closed" }, resumable: true })
  await rig.world.noneMarked(listed.id)
  const run = { alluka: rig.world.start(["version"]), id: listed.id, providerSession: listed.provider_session.id }
  await expectContinued(rig, run)
})
