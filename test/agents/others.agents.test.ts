/**
 * The other real agents: killed in the middle of an answer, Alluka with them, and resumed. What the model was then sent
 * shows what went on: the task once, the instruction once, the same model.
 */
import { describe, expect, test } from "vitest"
import { agents, chosenAgents } from "../support/agents/catalogue.js"
import type { Document, StreamLine } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import { openWorld } from "../support/world.js"
import { expectWentOn, killAgent, ofTask, resume, start, useBefore } from "./otherRuns.js"
import { first, openOther, others } from "./others.js"
import { task } from "./rig.js"

const chosen = chosenAgents(process.env.ALLUKA_TEST_AGENTS)
const mine = others.filter(({ agent }) => chosen.includes(agent))

interface ProviderList extends Document {
  readonly items: ReadonlyArray<{ readonly id: string; readonly capabilities: { readonly verified_with: string } }>
}

test("what each provider declares was verified with the version that is tested here", async () => {
  const { items } = await openWorld().json<ProviderList>(["providers", "list"])
  const tested = [...first, ...others]
  expect(tested.map(({ agent }) => agent).toSorted()).toEqual(Object.keys(agents).toSorted())
  for (const { agent, provider } of tested) {
    const declared = items.find(({ id }) => id === provider)?.capabilities.verified_with
    expect(declared, provider).toContain(agents[agent].version)
  }
})

describe.each(mine)("$agent", (agent) => {
  test("killed in the middle, it goes on in its own conversation with its own model", {
    timeout: 180_000
  }, async () => {
    const rig = await openOther(agent)
    const { server, world } = rig
    await useBefore(agent, rig)
    const alluka = start(agent, rig, `${task} ${agent.working}`)
    const id = (await alluka.event<StreamLine>("created")).checkpoint_id ?? ""
    await alluka.event("provider_session", 90_000)
    const enough = agent.working.includes("loop") ? 3 : 1
    await eventually(() => ofTask(agent, rig).length >= enough, { what: "the model's part", withinMs: 90_000 })
    // What is announced is not at once on the disk.
    await new Promise((resolve) => setTimeout(resolve, 1500))
    alluka.kill("SIGKILL")
    await alluka.ended()
    await killAgent(rig, id)

    const stopped = await world.show(id)
    expect(stopped).toMatchObject({ state: "interrupted", reason: { code: "owner_lost" }, resumable: true })
    expect(stopped.provider_session?.id).toBeTruthy()
    const requests = server.requests.length
    await expectWentOn(agent, rig, { ended: await resume(rig, id), requests, stopped })
  })
})
