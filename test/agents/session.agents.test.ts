/** What becomes of a conversation whose file is gone, cut or damaged, and of a thread that never got its prompt. */
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import type { CheckpointDocument, DecisionDocument, Document, RunSummary, StreamLine } from "../support/documents.js"
import { signal } from "../support/processes.js"
import {
  expectContinued,
  instruction,
  openRig,
  type RealAgent,
  type Rig,
  streaming,
  task,
  type UnderWay,
  usingTool
} from "./rig.js"

const agents: ReadonlyArray<RealAgent> = ["claude", "codex"]

/** A run that was shut down in the middle, with its file. */
const stopped = async (
  rig: Rig,
  situation: (rig: Rig) => Promise<UnderWay> = streaming
): Promise<{ run: UnderWay; file: string }> => {
  const run = await situation(rig)
  run.alluka.kill("SIGTERM")
  await run.alluka.ended()
  const file = rig.sessionFile(run.providerSession)
  if (file === null) throw new Error("no session file")
  return { run, file: file.path }
}

test.each(agents)("%s: a deleted conversation is never replaced quietly; --fresh says what is lost", async (agent) => {
  const rig = await openRig(agent)
  const { run, file } = await stopped(rig)
  rmSync(file)
  const before = await rig.world.show(run.id)

  const refused = await rig.world.run(["resume", run.id, "--json", "-p", instruction])
  expect(refused.code, describeEnd(refused)).toBe(10)
  expect(refused.last<StreamLine>("resume_decision").payload).toMatchObject({
    status: "refusing_to_resume",
    reason: "fresh_start_requires_confirmation",
    cause: "provider_session_missing"
  })
  expect(await rig.world.show(run.id)).toMatchObject({
    state: before.state,
    reason: before.reason,
    provider_session: { id: run.providerSession }
  })

  const requests = rig.server.requests.length
  const fresh = await rig.world.run(["resume", run.id, "--json", "--fresh", "-p", `${instruction} {{text}}`])
  expect(fresh.code, describeEnd(fresh)).toBe(0)
  const decision = fresh.last<StreamLine>("resume_decision").payload as unknown as DecisionDocument
  expect(decision.status).toBe("falling_back_to_fresh_invocation")
  expect(decision.loses.length).toBeGreaterThan(0)
  const handover = rig.server.requests[requests]?.userTexts.join("\n") ?? ""
  expect(handover).toContain("TASK-ORIGINAL")
  expect(handover.split("INSTRUCTION-NEW")).toHaveLength(2)
  const next = await rig.world.show(fresh.last<RunSummary & Document>("run_summary").checkpoint_id ?? "")
  expect(next).toMatchObject({ state: "completed", resumed_from: run.id, root_id: run.id })
  expect(next.provider_session?.id).not.toBe(run.providerSession)
})

test.each(agents)("%s: a broken line in the middle of the conversation is refused, not glossed over", async (agent) => {
  const rig = await openRig(agent)
  const { run, file } = await stopped(rig)
  const lines = readFileSync(file, "utf8").split("\n")
  const prompt = lines.findIndex((line) => line.includes("TASK-ORIGINAL"))
  lines[prompt] = (lines[prompt] ?? "").slice(0, 40)
  writeFileSync(file, lines.join("\n"))
  const requests = rig.server.requests.length
  const refused = await rig.world.run(["resume", run.id, "--json", "-p", instruction])
  expect(refused.code, describeEnd(refused)).toBe(5)
  expect(refused.last<StreamLine>("resume_decision").payload).toMatchObject({ reason: "provider_session_damaged" })
  expect(rig.server.requests).toHaveLength(requests)
})

test.each(agents)("%s: a cut last line loses that row only, and the conversation goes on", async (agent) => {
  const rig = await openRig(agent)
  const { run, file } = await stopped(rig, usingTool)
  writeFileSync(file, `${readFileSync(file, "utf8")}{"type":"assistant","mess`)
  await expectContinued(rig, run)
})

test("codex: a thread that never got its prompt is sent the whole prompt on resume", async () => {
  const rig = await openRig("codex")
  const alluka = rig.world.start(rig.runArgs(`${task} {{stall}}`))
  const created = await alluka.event<StreamLine>("created")
  await alluka.event("provider_session")
  await rig.server.waitForRequest((request) => request.scenario === "stall")
  const id = created.checkpoint_id ?? ""
  alluka.kill("SIGTERM")
  await alluka.ended()
  const { provider_session: session } = await rig.world.show(id)
  const file = rig.sessionFile(session?.id ?? "")
  if (file === null) throw new Error("no rollout")
  // What the file holds when codex dies some 30 ms after its first event: the head, without the prompt.
  writeFileSync(
    file.path,
    file.text
      .split("\n")
      .filter((line) => line.includes('"session_meta"'))
      .join("\n")
      .concat("\n")
  )

  const requests = rig.server.requests.length
  const ended = await rig.world.run(["resume", id, "--json", "-p", `${instruction} {{text}}`])
  expect(ended.code, describeEnd(ended)).toBe(0)
  const said = rig.server.requests[requests]?.userTexts ?? []
  expect(said.filter((text) => text.includes(task))).toHaveLength(1)
  expect(said.join("\n").split("INSTRUCTION-NEW")).toHaveLength(2)
})

test("codex: killed right after its first event, it is either continued with the prompt or honestly refused", async () => {
  const rig = await openRig("codex")
  const alluka = rig.world.start(rig.runArgs(`${task} {{stall}}`))
  const created = await alluka.event<StreamLine>("created")
  await alluka.event("provider_session")
  const id = created.checkpoint_id ?? ""
  for (const one of rig.world.marked(id)) signal(one.pid, "SIGKILL")
  await alluka.ended()

  const requests = rig.server.requests.length
  const ended = await rig.world.run(["resume", id, "--json", "-p", `${instruction} {{text}}`])
  const decision = ended.last<StreamLine>("resume_decision").payload as unknown as DecisionDocument
  if (decision.reason === "provider_session_damaged") {
    // Killed while it wrote the head of its file.
    expect(ended.code).toBe(5)
  } else if (decision.status === "refusing_to_resume") {
    expect(decision).toMatchObject({ reason: "fresh_start_requires_confirmation", cause: "provider_session_missing" })
    expect(ended.code).toBe(10)
  } else {
    expect(ended.code, describeEnd(ended)).toBe(0)
    expect(rig.server.requests[requests]?.userTexts.join("\n")).toContain(task)
  }
})

test("codex: a second writer is refused by codex, and the thread's id is kept", async () => {
  const rig = await openRig("codex")
  const { run } = await stopped(rig)
  // A writer that Alluka knows nothing of: codex started by hand in the same thread.
  const { spawn } = await import("node:child_process")
  const { PATH, HOME, ...rest } = rig.world.env
  const other = spawn("codex", ["exec", "--json", "resume", run.providerSession, "by hand {{slow 240}}"], {
    cwd: rig.world.work,
    env: { ...rest, PATH, HOME },
    stdio: "ignore"
  })
  await rig.server.waitForRequest((request) => request.userTexts.some((text) => text.includes("by hand")))

  const requests = rig.server.requests.length
  const ended = await rig.world.run(["resume", run.id, "--json", "-p", `${instruction} {{text}}`])
  expect(ended.code, describeEnd(ended)).not.toBe(0)
  expect(rig.server.requests).toHaveLength(requests)
  const now = await rig.world.show(run.id)
  expect(now.provider_session?.id).toBe(run.providerSession)
  expect(now.resumed_by).toBeNull()

  const gone = new Promise((resolve) => other.once("exit", resolve))
  other.kill("SIGINT")
  await gone
  const later = await rig.world.run(["resume", run.id, "--json", "-p", `${instruction} {{text}}`])
  expect(later.code, describeEnd(later)).toBe(0)
  expect(await rig.world.show(later.last<RunSummary & Document>("run_summary").checkpoint_id ?? "")).toMatchObject({
    state: "completed",
    provider_session: { id: run.providerSession }
  } satisfies Partial<Record<keyof CheckpointDocument, unknown>>)
})

test("codex: another model of the same family goes on with the history; another family needs a yes", async () => {
  const rig = await openRig("codex")
  const { run } = await stopped(rig)

  const other = await rig.world.run(["resume", run.id, "--json", "-m", "gpt-5.5", "-p", `${instruction} {{text}}`])
  expect(other.code, describeEnd(other)).toBe(5)
  expect(other.last<StreamLine>("resume_decision").payload).toMatchObject({
    reason: "model_change_requires_confirmation",
    requires: ["model_change"]
  })

  const requests = rig.server.requests.length
  const same = await rig.world.run(["resume", run.id, "--json", "-m", "gpt-6-luna", "-p", `${instruction} {{text}}`])
  expect(same.code, describeEnd(same)).toBe(0)
  const request = rig.server.requests[requests]
  expect(request?.model).toBe("gpt-6-luna")
  expect(request?.userTexts.filter((text) => text.includes("TASK-ORIGINAL"))).toHaveLength(1)
  expect(await rig.world.show(run.id)).toMatchObject({ model: { requested: "gpt-6-sol" } })
})

test("codex: with the consent, another family runs and the loss is named", async () => {
  const rig = await openRig("codex")
  const { run } = await stopped(rig)
  const ended = await rig.world.run([
    "resume",
    run.id,
    "--json",
    "-m",
    "gpt-5.5",
    "--confirm-model",
    "-p",
    `${instruction} {{text}}`
  ])
  expect(ended.code, describeEnd(ended)).toBe(0)
  const decision = ended.last<StreamLine>("resume_decision").payload as unknown as DecisionDocument
  expect([...decision.loses, ...decision.warnings].join("\n")).toMatch(/gpt-5\.5|history|summar|compact/i)
  expect(rig.server.requests.at(-1)?.model).toBe("gpt-5.5")
})
