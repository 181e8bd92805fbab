/** kill -9 of Alluka itself and of the agent, with the real programs: what is recorded, what survives, what goes on. */
import { describe, expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import type { DecisionDocument, Document, StreamLine } from "../support/documents.js"
import { signal } from "../support/processes.js"
import { expectContinued, openRig, type RealAgent, type Situation, situations, toolCommand } from "./rig.js"

const agents: ReadonlyArray<RealAgent> = ["claude", "codex"]
const cases = agents.flatMap((agent) =>
  (Object.keys(situations) as ReadonlyArray<Situation>).map((when) => ({ agent, when }))
)

describe.each(cases)("$agent, $when", ({ agent, when }) => {
  test("alluka killed: the owner is found dead, the survivor blocks the resume until it is stopped", async () => {
    const rig = await openRig(agent)
    const run = await situations[when](rig)
    run.alluka.kill("SIGKILL")
    await run.alluka.ended()

    const stopped = await rig.world.show(run.id)
    expect(stopped).toMatchObject({ state: "interrupted", reason: { code: "owner_lost" }, resumable: true })
    expect(stopped.ended_at).not.toBeNull()
    expect(stopped.provider_session?.id).toBe(run.providerSession)
    if (when === "usingTool") expect(stopped.position.open_tool).not.toBeNull()
    const survivors = rig.world.marked(run.id)
    expect(survivors.length).toBeGreaterThan(0)

    const requests = rig.server.requests.length
    const refused = await rig.world.run(["resume", run.id, "--json", "-p", "too early"])
    expect(refused.code, describeEnd(refused)).toBe(6)
    const decision = refused.last<StreamLine>("resume_decision").payload as unknown as DecisionDocument
    expect(decision).toMatchObject({ status: "refusing_to_resume", reason: "provider_process_alive" })
    expect(survivors.map((one) => one.pid)).toContain(decision.facts.survivor_pid)
    expect(rig.server.requests).toHaveLength(requests)
    expect(rig.world.marked(run.id).length).toBeGreaterThan(0)

    await expectContinued(rig, run, ["--stop-survivor"])
  })

  test("the agent killed: alluka records it and ends what the agent left behind", async () => {
    const rig = await openRig(agent)
    const run = await situations[when](rig)
    const { child } = await rig.world.show(run.id)
    if (child === null) throw new Error("the record names no process of the agent")
    signal(child.pid, "SIGKILL")
    const ended = await run.alluka.ended()

    expect(ended.code, describeEnd(ended)).toBe(8)
    expect(await rig.world.show(run.id)).toMatchObject({
      state: "interrupted",
      reason: { code: "provider_killed", signal: "SIGKILL" },
      resumable: true
    })
    await rig.world.noneMarked(run.id)
    await expectContinued(rig, run)
  })
})

test.each(agents)("%s: a tool that was open at the end is named in the preview as uncertain", async (agent) => {
  const rig = await openRig(agent)
  const run = await situations.usingTool(rig)
  const { child } = await rig.world.show(run.id)
  // Killed outright: on a polite signal claude ends its tool itself and says so.
  signal(child?.pid ?? 0, "SIGKILL")
  await run.alluka.ended()
  const stopped = await rig.world.show(run.id)
  expect(stopped.position.open_tool).not.toBeNull()
  const preview = await rig.world.json<DecisionDocument & Document>(["resume", run.id, "--preview"])
  expect(preview).toMatchObject({ kind: "resume_preview", status: "resuming_same_session" })
  expect(preview.warnings.join("\n")).toContain(stopped.position.open_tool?.name ?? toolCommand)
})
