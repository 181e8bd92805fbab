/**
 * A whole loop with the real programs: three tasks in three phases, planned and reviewed by claude and implemented by
 * codex, a gate that fails twice, the loop killed in the second phase of the second task, and the rest done by
 * `task run resume`. What the model was sent proves which conversations went on and which were new.
 */
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import type { CheckpointDocument, DecisionDocument, StreamLine } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import type { ModelRequest, ModelServer } from "../support/modelServer/ModelServer.js"
import type { World } from "../support/world.js"
import { decisionsOf, query, statuses, summaryOf, type TaskList, taskRun } from "../tasks/support.js"
import { openAgents, sessionFiles, settings } from "./rig.js"

const names = ["TASK-ONE", "TASK-TWO", "TASK-THREE"] as const

const of = (agent: "claude" | "codex") => ({
  provider: agent,
  model: settings[agent].model,
  thinking: settings[agent].thinking
})

const phaseSettings = [
  { phase: "plan", ...of("claude") },
  { phase: "implement", ...of("codex") },
  { phase: "review", ...of("claude") }
]

/** Fails the first two times that it is run, whoever has it run. */
const gate = { argv: ["echo x >> tries; echo THE-FAILING-CHECK; test $(wc -l < tries) -ge 3"], shell: true }

interface WithPhases extends CheckpointDocument {
  readonly phases: ReadonlyArray<{
    readonly name: string
    readonly state: string
    readonly provider_session: { readonly id: string } | null
  }>
}

const shown = (world: World, id: string): Promise<WithPhases> => world.json<WithPhases>(["runs", "show", id])

const count = (texts: ReadonlyArray<string>, word: string): number => texts.filter((text) => text.includes(word)).length

/** Requests about a task, oldest first, each with the agent that made it. */
const requestsOf = (server: ModelServer, name: string): ReadonlyArray<ModelRequest> =>
  server.requests.filter(({ userTexts }) => count(userTexts, name) > 0)

/** Every earlier text of the conversation is in it, word for word, in the same order. */
const expectGoesOn = (before: ModelRequest | undefined, after: ModelRequest | undefined): void => {
  expect(after?.userTexts.slice(0, before?.userTexts.length)).toEqual(before?.userTexts)
  expect(after?.userTexts.length).toBeGreaterThan(before?.userTexts.length ?? 0)
}

test("three tasks in three phases by claude and codex, killed in the middle, are finished by the resume", async () => {
  const { server, world } = await openAgents(["claude", "codex"])
  await world.json<TaskList>(["task", "import", "-", "--with-gates"], {
    input: JSON.stringify(
      names.map((name) => ({ prompt: `${name}: do it.`, phases: 3, phase_settings: phaseSettings, gate }))
    )
  })

  const loop = world.start(["task", "run", "loop", "--max-tasks", "all", "--json"])
  // The plan of the second task is being made: what the model is asked next is its second phase.
  await server.waitForRequest(({ userTexts }) => count(userTexts, "TASK-TWO") > 0, { withinMs: 60_000 })
  server.force({ name: "slow", argument: "240" })
  const cut = await server.waitForRequest(
    ({ api, userTexts }) => api === "responses" && count(userTexts, "TASK-TWO") > 0
  )
  const running = await eventually(
    async () => {
      const [row] = query(world, "SELECT id FROM checkpoint WHERE task_id = 'T-0002'")
      const now = await shown(world, String(row?.id))
      const thread = now.phases[1]?.provider_session?.id
      const file = sessionFiles(world, "codex").find(({ path }) => thread !== undefined && path.includes(thread))
      return file?.text.includes("TASK-TWO") === true ? now : null
    },
    { what: "codex's own file with the second task" }
  )
  loop.kill("SIGKILL")
  await loop.ended()
  const firstHalf = server.requests.length

  const early = await taskRun(world, "resume")
  expect(early.code, describeEnd(early)).toBe(6)
  expect(decisionsOf(early)[0]).toMatchObject({ reason: "provider_process_alive", task_id: "T-0002" })
  expect(await statuses(world)).toEqual(["done", "doing", "todo"])
  expect(server.requests).toHaveLength(firstHalf)

  const ended = await world.run(["task", "run", "resume", "--json", "--stop-survivor"], { withinMs: 80_000 })
  expect(ended.code, describeEnd(ended)).toBe(0)
  expect(summaryOf(ended)).toMatchObject({ outcome: "done", loop: { tasks_completed: 3, iterations_completed: 3 } })
  expect(await statuses(world)).toEqual(["done", "done", "done"])

  // ---- the first task: codex was sent back twice in its own conversation, each time with what the check said
  const [plan, first, second, third, review, ...others] = requestsOf(server, "TASK-ONE")
  expect(others).toEqual([])
  expect([plan, first, second, third, review].map((request) => request?.api)).toEqual([
    "anthropic",
    "responses",
    "responses",
    "responses",
    "anthropic"
  ])
  expectGoesOn(first, second)
  expectGoesOn(second, third)
  for (const request of [first, second, third]) {
    expect(count(request?.userTexts ?? [], "TASK-ONE")).toBe(1)
    expect({ model: request?.model, effort: request?.effort }).toEqual({
      model: settings.codex.model,
      effort: settings.codex.thinking
    })
  }
  expect([first, second, third].map((request) => count(request?.userTexts ?? [], "THE-FAILING-CHECK"))).toEqual([
    0, 1, 2
  ])
  // Each phase is a conversation of its own, and is told how the one before it ended.
  const planned = `This is answer number ${plan?.number}.`
  expect(first?.userTexts.join("\n")).toContain(planned)
  expect(count(review?.userTexts ?? [], "THE-FAILING-CHECK")).toBe(0)
  expect(review?.userTexts.join("\n")).toContain(`This is answer number ${third?.number}.`)

  // ---- the second task: the killed phase went on in its conversation; its plan was not made again
  const [, killed, resumed, reviewed, ...more] = requestsOf(server, "TASK-TWO")
  expect(more).toEqual([])
  expect(killed?.number).toBe(cut.number)
  expectGoesOn(killed, resumed)
  expect(resumed?.number).toBe(firstHalf + 1)
  expect(count(resumed?.userTexts ?? [], "TASK-TWO")).toBe(1)
  expect(resumed?.userTexts).toHaveLength((killed?.userTexts.length ?? 0) + 1)
  // The order to go on is there once, and in no other request.
  expect(resumed?.userTexts.at(-1)).toContain("stopped before it was finished (owner lost)")
  expect(server.requests.filter(({ userTexts }) => count(userTexts, "stopped before it was finished") > 0)).toEqual([
    resumed
  ])
  expect({ model: resumed?.model, effort: resumed?.effort }).toEqual({
    model: settings.codex.model,
    effort: settings.codex.thinking
  })
  expect(reviewed).toMatchObject({ api: "anthropic", model: settings.claude.model, effort: settings.claude.thinking })
  const [decision] = decisionsOf(ended)
  expect(decision).toMatchObject({
    status: "resuming_same_session",
    scope: "run_session",
    reason: "session_valid",
    task_id: "T-0002",
    checkpoint_id: running.id,
    facts: { phase: 2 }
  } satisfies Partial<Record<keyof DecisionDocument, unknown>>)

  const attempts = query(world, "SELECT id, state FROM checkpoint WHERE task_id = 'T-0002' ORDER BY seq")
  expect(attempts.map(({ state }) => state)).toEqual(["interrupted", "completed"])
  const [before, after] = await Promise.all(attempts.map(({ id }) => shown(world, String(id))))
  expect(before).toMatchObject({ state: "interrupted", reason: { code: "owner_lost" }, resumed_by: after?.id })
  expect(after).toMatchObject({ attempt: 2, root_id: before?.id, resumed_from: before?.id })
  expect(after?.phases.map(({ name, state }) => [name, state])).toEqual([
    ["plan", "completed"],
    ["implement", "completed"],
    ["review", "completed"]
  ])
  expect(after?.phases.slice(0, 2).map(({ provider_session }) => provider_session?.id)).toEqual(
    before?.phases.slice(0, 2).map(({ provider_session }) => provider_session?.id)
  )

  // ---- the third task: three requests, one a phase; and no conversation was begun that was not needed
  expect(requestsOf(server, "TASK-THREE").map(({ api }) => api)).toEqual(["anthropic", "responses", "anthropic"])
  expect(sessionFiles(world, "codex")).toHaveLength(3)
  expect(sessionFiles(world, "claude")).toHaveLength(6)
  // Run after every implementation and every review: 3 + 1, 1 + 1, 1 + 1.
  expect(readFileSync(`${world.work}/tries`, "utf8").split("\n").length - 1).toBe(8)
  const gates = ended.lines().filter(({ kind }) => kind === "gate_finished")
  expect(gates.map((line) => (line as unknown as StreamLine).payload.ok)).toEqual([true, true, true, true])
  for (const { id } of query(world, "SELECT id FROM checkpoint")) await world.noneMarked(String(id))
})
