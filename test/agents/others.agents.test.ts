/**
 * The other real agents: killed in the middle of an answer, Alluka with them, and resumed. What the model was then sent
 * shows what went on: the task once, the instruction once, the same model.
 */
import { describe, expect, test } from "vitest"
import { agents, chosenAgents } from "../support/agents/catalogue.js"
import { describeEnd } from "../support/command.js"
import type { DecisionDocument, Document, RunSummary, StreamLine } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import { signal } from "../support/processes.js"
import { openWorld } from "../support/world.js"
import { type OtherAgent, type OtherRig, openOther, others } from "./others.js"
import { instruction, task } from "./rig.js"

const chosen = chosenAgents(process.env.ALLUKA_TEST_AGENTS)
const mine = others.filter(({ agent }) => chosen.includes(agent))

const flags = ({ model, permission, provider, thinking }: OtherAgent): ReadonlyArray<string> => [
  ...["--json", "--provider", provider, "--permission", permission],
  ...(model === null ? [] : ["--model", model.asked]),
  ...(thinking === null ? [] : ["--thinking", thinking])
]

const start = (agent: OtherAgent, { world }: OtherRig, prompt: string) =>
  world.start(["run", ...flags(agent), "-p", "-"], { input: prompt })

/** The requests that hold the task. Some agents ask another model for a title besides. */
const ofTask = ({ model }: OtherAgent, { server }: OtherRig) =>
  server.requests.filter(
    (request) =>
      request.userTexts.some((text) => text.includes("TASK-ORIGINAL")) &&
      (model === null || request.model === model.sent)
  )

interface ProviderList extends Document {
  readonly items: ReadonlyArray<{ readonly id: string; readonly capabilities: { readonly verified_with: string } }>
}

test("what each provider declares was verified with the version that is tested here", async () => {
  const { items } = await openWorld().json<ProviderList>(["providers", "list"])
  const tested = [...others, ...(["claude", "codex"] as const).map((name) => ({ agent: name, provider: name }))]
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
    if (agent.usedBefore === true) {
      const before = await start(agent, rig, "hello {{text}}").ended(90_000)
      expect(before.code, describeEnd(before)).toBe(0)
    }
    const alluka = start(agent, rig, `${task} ${agent.working}`)
    const created = await alluka.event<StreamLine>("created")
    const id = created.checkpoint_id ?? ""
    await alluka.event("provider_session", 90_000)
    const enough = agent.working.includes("loop") ? 3 : 1
    await eventually(() => ofTask(agent, rig).length >= enough, { what: "the model's part", withinMs: 90_000 })
    // What is announced is not at once on the disk.
    await new Promise((resolve) => setTimeout(resolve, 1500))
    alluka.kill("SIGKILL")
    await alluka.ended()
    for (const { pid } of world.marked(id)) signal(pid, "SIGKILL")
    await world.noneMarked(id)

    const stopped = await world.show(id)
    expect(stopped).toMatchObject({ state: "interrupted", reason: { code: "owner_lost" }, resumable: true })
    expect(stopped.provider_session?.id).toBeTruthy()
    const first = ofTask(agent, rig)[0]
    const requests = server.requests.length
    const ended = await world.run(["resume", id, "--json", "-p", `${instruction} {{text}}`], { withinMs: 120_000 })
    expect(ended.code, describeEnd(ended)).toBe(0)
    const decision = ended.last<StreamLine>("resume_decision").payload as unknown as DecisionDocument
    expect(decision).toMatchObject({ status: "resuming_same_session" })

    const asked = server.requests.slice(requests).find(({ userTexts }) => userTexts.at(-1)?.includes("INSTRUCTION-NEW"))
    expect(asked, describeEnd(ended)).toBeDefined()
    const said = asked?.userTexts.join("\n") ?? ""
    expect(said.split("TASK-ORIGINAL"), said).toHaveLength(2)
    expect(said.split("INSTRUCTION-NEW"), said).toHaveLength(2)
    expect(asked?.model).toBe(first?.model)
    if (agent.model !== null) expect(asked?.model).toBe(agent.model.sent)
    expect(asked?.effort).toBe(first?.effort)
    const next = await world.show(ended.last<RunSummary & Document>("run_summary").checkpoint_id ?? "")
    expect(next).toMatchObject({
      state: "completed",
      attempt: 2,
      resumed_from: id,
      provider_session: { id: stopped.provider_session?.id }
    })
    await world.noneMarked(next.id)
  })
})
