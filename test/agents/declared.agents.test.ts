/** What a provider declares, held against what the real program did in a run, a resume and a copy. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { describe, expect, onTestFinished, test } from "vitest"
import { chosenAgents } from "../support/agents/catalogue.js"
import { type DeclaredFacts, differences } from "../support/agents/differences.js"
import type { Document, StreamLine } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import { signal } from "../support/processes.js"
import { query } from "../tasks/support.js"
import { endOf, expectWentOn, killAgent, ofTask, resume, start, useBefore } from "./otherRuns.js"
import { first, openOther, others } from "./others.js"
import { task, toolCommand } from "./rig.js"

interface Shown extends Document {
  readonly program_version: string | null
  readonly capabilities: DeclaredFacts
}

/** Started by the tool's shell, and so not the agent's own child: some agents end those with themselves, and no others. */
const tool = `sh -c '${toolCommand}; true'`

const chosen = chosenAgents(process.env.ALLUKA_TEST_AGENTS)
const mine = [...first, ...others].filter(({ agent }) => chosen.includes(agent))

describe.each(mine)("$agent", (agent) => {
  test("what its provider declares is what it did", { timeout: 240_000 }, async () => {
    const rig = await openOther(agent)
    const { server, world } = rig
    writeFileSync(join(world.work, "waited-for.log"), "")
    await useBefore(agent, rig)
    const alluka = start(agent, rig, `${task} {{tool ${tool}}}`, "full")
    const created = await alluka.event<StreamLine>("created")
    const id = created.checkpoint_id ?? ""
    const [atOnce] = query(world, `SELECT provider_session_id AS session FROM checkpoint WHERE id = '${id}'`)
    // Looked at from the start: kimi 2.1.0 takes its arguments off its own process once it runs.
    let inArguments = false
    const looking = setInterval(() => {
      inArguments ||= world.marked(id).some(({ command }) => command.includes("TASK-ORIGINAL"))
    }, 50)
    onTestFinished(() => clearInterval(looking))
    const named = await alluka.event<StreamLine>("provider_session", 90_000)
    clearInterval(looking)
    await eventually(() => world.running().some(({ command }) => command.endsWith(toolCommand)), {
      what: "the tool's process",
      withinMs: 90_000
    })
    const beforeSpawn = atOnce?.session != null

    // The agent alone, with nothing of Alluka's left to look after what it has started.
    await delay(1000)
    const { child } = await world.show(id)
    alluka.kill("SIGKILL")
    await alluka.ended()
    signal(child?.pid ?? 0, "SIGKILL")
    await delay(1500)
    const survivors = world.running().filter(({ pid }) => pid !== child?.pid)
    await killAgent(rig, id)
    const stopped = await world.show(id)

    const shown = await world.json<Shown>(["providers", "show", agent.provider])
    const { capabilities: declared, program_version: version } = shown
    const requests = server.requests.length
    const copied = declared.fork
    const ended = await resume(rig, id, copied ? ["--fork"] : [])
    await expectWentOn(agent, rig, { ended, requests, stopped, copied })
    const next = await endOf(rig, ended)

    expect(
      differences({ provider: agent.provider, version: version ?? "without a version" }, declared, {
        continuation: "provider_session",
        ...(copied ? { fork: next.provider_session?.id !== stopped.provider_session?.id } : {}),
        id_assignment: stopped.provider_session?.assigned_by ?? "nobody",
        // An id that the lines of the program tell only at their end is found beside them.
        ...(declared.id_known === "end_only" ? {} : { id_known: beforeSpawn ? "before_spawn" : "first_event" }),
        // That nothing lived on here is no proof that nothing can: codex 0.171.0 ends some tools with itself, and not all.
        ...(survivors.length > 0 || !declared.survives_kill ? { survives_kill: survivors.length > 0 } : {}),
        prompt_channel: inArguments ? "argument" : "stdin",
        reports_model: next.model.actual !== null
      }).join("\n")
    ).toBe("")
    expect(named.kind).toBe("provider_session")
    expect(ofTask(agent, rig).length).toBeGreaterThan(0)
  })
})
