/**
 * Real agents, killed at the points of a run that the model server can bring about. What the model was then sent shows what
 * went on; where the agent had kept nothing, that is told, and nothing goes on as if.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { describe, expect, test } from "vitest"
import { chosenAgents } from "../support/agents/catalogue.js"
import { describeEnd, type Running } from "../support/command.js"
import type { StreamLine } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import { decisionOf, expectWentOn, killAgent, ofTask, resume, start, useBefore } from "./otherRuns.js"
import { first, type OtherAgent, type OtherRig, openOther, others } from "./others.js"
import { task, toolCommand } from "./rig.js"

interface Point {
  readonly name: string
  /** What the model does. */
  readonly scenario: string
  /** The run is there. */
  readonly reached: (agent: OtherAgent, rig: OtherRig, alluka: Running) => Promise<unknown>
  /** The first answer of the model is complete. */
  readonly answered?: true
  /** Its shell is used: it may do everything. */
  readonly tool?: true
  readonly killed: "both" | "agent"
  /** For claude and codex, `killed.agents.test.ts` has it. */
  readonly elsewhere?: true
}

const asked = (agent: OtherAgent, rig: OtherRig, times: number) =>
  eventually(() => ofTask(agent, rig).length >= times, { what: `request ${times}`, withinMs: 60_000 })

const requested: Point["reached"] = (agent, rig) => asked(agent, rig, 1)

const inTool = (_: OtherAgent, { world }: OtherRig) =>
  eventually(() => world.running().some(({ command }) => command.endsWith(toolCommand)), {
    what: "the tool's process",
    withinMs: 90_000
  })

/** What is announced, or sent, is not at once on the disk. */
const settled = () => delay(1500)

const points: ReadonlyArray<Point> = [
  {
    name: "killed when the model was asked and has sent no byte",
    scenario: "{{stall}}",
    reached: requested,
    killed: "both"
  },
  {
    name: "killed when the answer was opened and nothing is said",
    scenario: "{{silent}}",
    reached: requested,
    killed: "both"
  },
  {
    name: "the agent killed in the middle of an answer",
    scenario: "{{slow 240}}",
    reached: requested,
    killed: "agent",
    elsewhere: true
  },
  {
    name: "killed while a tool is at work",
    scenario: `{{tool ${toolCommand}}}`,
    reached: inTool,
    answered: true,
    tool: true,
    killed: "both",
    elsewhere: true
  },
  {
    name: "the agent killed while a tool is at work",
    scenario: `{{tool ${toolCommand}}}`,
    reached: inTool,
    answered: true,
    tool: true,
    killed: "agent",
    elsewhere: true
  },
  {
    name: "killed after a tool, when the model was told of it",
    scenario: "{{tool-stall echo from-the-tool}}",
    reached: (agent, rig) => asked(agent, rig, 2),
    answered: true,
    tool: true,
    killed: "both"
  },
  {
    name: "killed after the agent has had its whole answer, and before Alluka has read it",
    scenario: "{{slow 8}}",
    reached: async (agent, rig, alluka) => {
      await asked(agent, rig, 1)
      alluka.kill("SIGSTOP")
      await delay(4000)
    },
    answered: true,
    killed: "both"
  }
]

const chosen = chosenAgents(process.env.ALLUKA_TEST_AGENTS)
const cases = [
  ...first.map((agent) => ({ agent, has: points.filter(({ elsewhere }) => elsewhere !== true) })),
  ...others.map((agent) => ({ agent, has: points }))
].flatMap(({ agent, has }) =>
  chosen.includes(agent.agent) ? has.map((point) => ({ agent, point, name: `${agent.agent}, ${point.name}` })) : []
)

// A name that is filled in would be cut.
describe.each(cases.map(({ agent, name, point }) => [name, agent, point] as const))("%s", (_, agent, point) => {
  test("its state is true, its id is kept, and it goes on if it can", { timeout: 180_000 }, async () => {
    const rig = await openOther(agent)
    const { server, world } = rig
    writeFileSync(join(world.work, "waited-for.log"), "")
    await useBefore(agent, rig, { words: point.answered === true || point.scenario.includes("slow") })
    const alluka = start(agent, rig, `${task} ${point.scenario}`, point.tool === true ? "full" : agent.permission)
    const id = (await alluka.event<StreamLine>("created")).checkpoint_id ?? ""
    await alluka.event("provider_session", 90_000)
    await point.reached(agent, rig, alluka)
    await settled()
    if (point.killed === "both") {
      alluka.kill("SIGKILL")
      await alluka.ended()
      await killAgent(rig, id)
    } else {
      await killAgent(rig, id)
      const ended = await alluka.ended()
      expect(ended.code, describeEnd(ended)).toBe(8)
    }

    const stopped = await world.show(id)
    expect(stopped).toMatchObject({
      state: "interrupted",
      reason: point.killed === "both" ? { code: "owner_lost" } : { code: "provider_killed", signal: "SIGKILL" },
      resumable: true,
      resumed_by: null
    })
    expect(stopped.provider_session?.id).toBeTruthy()
    const requests = server.requests.length
    const ended = await resume(rig, id)
    if (agent.keepsAnswersOnly === true && point.answered !== true) {
      expect(ended.code, describeEnd(ended)).toBe(10)
      expect(decisionOf(ended)).toMatchObject({
        reason: "fresh_start_requires_confirmation",
        cause: "provider_session_missing"
      })
      expect(server.requests).toHaveLength(requests)
      expect((await world.show(id)).provider_session?.id).toBe(stopped.provider_session?.id)
      return
    }
    await expectWentOn(agent, rig, { ended, requests, stopped })
  })
})
