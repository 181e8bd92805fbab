/**
 * What becomes of a conversation of the other real agents that is gone, emptied, broken or cut, whose id is unknown or no id
 * at all, or that is wanted in another folder. No id is lost by a refusal.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Sqlite from "better-sqlite3"
import { describe, expect, test } from "vitest"
import { type AgentName, agents, chosenAgents } from "../support/agents/catalogue.js"
import { describeEnd, type Ended } from "../support/command.js"
import type { CheckpointDocument, Document, StreamLine } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import { openWorld } from "../support/world.js"
import { decisionOf, expectWentOn, ofTask, resume, start, useBefore } from "./otherRuns.js"
import { type OtherAgent, type OtherRig, openOther, others } from "./others.js"
import { task } from "./rig.js"

/** Where an agent keeps its conversations, and how one of them may be spoiled. */
interface Storage {
  /** The folder of all of them, under the home folder. */
  readonly root: string
  /** The file of one, from all below that folder. */
  readonly isFile: (path: string, id: string) => boolean
  /** What an emptied file is: as if it were not there, or as damaged. */
  readonly emptied: "missing" | "damaged"
}

const named = (end: (id: string) => string) => (path: string, id: string) => path.endsWith(end(id))

const rows: Readonly<Partial<Record<AgentName, Storage>>> = {
  gemini: { root: ".gemini/tmp", isFile: named((id) => `-${id.slice(0, 8)}.jsonl`), emptied: "missing" },
  "pi-0.73": { root: ".pi/agent/sessions", isFile: named((id) => `_${id}.jsonl`), emptied: "missing" },
  pi: { root: ".pi/agent/sessions", isFile: named((id) => `_${id}.jsonl`), emptied: "missing" },
  kimi: { root: ".kimi-code/sessions", isFile: named((id) => `/${id}/agents/main/wire.jsonl`), emptied: "missing" },
  "claude-acp": { root: ".claude/projects", isFile: named((id) => `/${id}.jsonl`), emptied: "missing" },
  "codex-acp": { root: ".codex/sessions", isFile: named((id) => `-${id}.jsonl`), emptied: "damaged" },
  qwen: { root: ".qwen/projects", isFile: named((id) => `/${id}.jsonl`), emptied: "missing" },
  copilot: { root: ".copilot/session-state", isFile: named((id) => `/${id}/events.jsonl`), emptied: "missing" }
}

interface Stopped {
  readonly rig: OtherRig
  readonly agent: OtherAgent
  readonly checkpoint: CheckpointDocument
  readonly session: string
}

/** A run that has used some tools and was shut down. */
const stoppedRun = async (agent: OtherAgent): Promise<Stopped> => {
  const rig = await openOther(agent)
  await useBefore(agent, rig)
  const alluka = start(agent, rig, `${task} {{loop echo again}}`, "full")
  const { checkpoint_id: id } = await alluka.event<StreamLine>("created")
  await alluka.event("provider_session", 90_000)
  await eventually(() => ofTask(agent, rig).length >= 3, { what: "the third request", withinMs: 90_000 })
  alluka.kill("SIGTERM")
  await alluka.ended()
  await rig.world.noneMarked(id ?? "")
  const checkpoint = await rig.world.show(id ?? "")
  return { rig, agent, checkpoint, session: checkpoint.provider_session?.id ?? "" }
}

const says = (agent: OtherAgent, what: string, ended: Ended): string =>
  `${agent.agent} ${agents[agent.agent].version}, ${what}: ${describeEnd(ended)}`

const missing = { reason: "fresh_start_requires_confirmation", cause: "provider_session_missing" }

/** Tries to go on, and is refused; the id stays, and the model is not asked. */
const expectRefused = async (
  { agent, checkpoint, rig }: Stopped,
  what: string,
  { code, decision }: { readonly code: number; readonly decision: object },
  flags: ReadonlyArray<string> = []
): Promise<void> => {
  const requests = rig.server.requests.length
  const { provider_session: before } = await rig.world.show(checkpoint.id)
  const ended = await resume(rig, checkpoint.id, flags)
  expect(ended.code, says(agent, what, ended)).toBe(code)
  expect(decisionOf(ended), says(agent, what, ended)).toMatchObject(decision)
  expect(
    rig.server.requests.slice(requests).filter(({ userTexts }) => userTexts.join().includes("INSTRUCTION-NEW"))
  ).toEqual([])
  expect(await rig.world.show(checkpoint.id), what).toMatchObject({
    state: "interrupted",
    resumed_by: null,
    provider_session: { id: before?.id }
  })
}

/** Writes another id into the record, as a damaged or foreign store might have it. */
const renamed = ({ checkpoint, rig }: Stopped, from: string, to: string): void => {
  const database = new Sqlite(join(rig.world.store, "alluka.db"))
  try {
    database
      .prepare(
        `UPDATE checkpoint SET provider_session_id = :to, progress = replace(progress, :from, :to),
         spec = replace(spec, :from, :to) WHERE id = :id`
      )
      .run({ from, to, id: checkpoint.id })
  } finally {
    database.close()
  }
}

/** An id in the agent's own form that it never gave. */
const unknownIdLike = (session: string): string => `${session.slice(0, -6)}000000`

/** The program itself is asked for an id that it does not know: there is no storage that could be looked into. */
const expectUnknownRefused = async (stopped: Stopped): Promise<void> => {
  const other = unknownIdLike(stopped.session)
  renamed(stopped, stopped.session, other)
  await expectRefused(stopped, "an id that it does not know", { code: 10, decision: missing })
  renamed(stopped, other, stopped.session)
}

/** Words that the agent's program would take for something else than an id. */
const malformed = "--help"

const expectMalformedRefused = async (stopped: Stopped): Promise<void> => {
  renamed(stopped, stopped.session, malformed)
  await expectRefused(stopped, "no id at all", {
    code: 10,
    decision: { reason: "fresh_start_requires_confirmation", cause: "provider_session_invalid" }
  })
  renamed(stopped, malformed, stopped.session)
}

const expectBound = async (stopped: Stopped): Promise<void> => {
  const elsewhere = stopped.rig.world.path("elsewhere")
  mkdirSync(elsewhere)
  const decision = { reason: "fresh_start_requires_confirmation", cause: "continuation_unsupported" }
  await expectRefused(stopped, "in another folder", { code: 10, decision }, ["--cd", elsewhere])
}

interface ProviderList extends Document {
  readonly items: ReadonlyArray<{ readonly id: string; readonly capabilities: { readonly cwd_bound: boolean } }>
}

const isBound = async ({ provider }: OtherAgent): Promise<boolean> => {
  const { items } = await openWorld().json<ProviderList>(["providers", "list"])
  return items.find(({ id }) => id === provider)?.capabilities.cwd_bound === true
}

const chosen = chosenAgents(process.env.ALLUKA_TEST_AGENTS)
const mine = others.filter(({ agent }) => chosen.includes(agent) && rows[agent] !== undefined)

test("the conversations of every other agent are spoiled here", () => {
  expect(new Set([...Object.keys(rows), "opencode"])).toEqual(new Set(others.map(({ agent }) => agent)))
})

describe.each(mine)("$agent", (agent) => {
  const storage = rows[agent.agent]
  if (storage === undefined) throw new Error(`no storage of ${agent.agent}`)

  test("a spoiled conversation is told, and a cut last line costs that line only", { timeout: 240_000 }, async () => {
    const stopped = await stoppedRun(agent)
    const { rig, session } = stopped
    const root = join(rig.world.home, storage.root)
    const kept = rig.world.path("kept")
    cpSync(root, kept, { recursive: true })
    const restore = (): void => {
      rmSync(root, { recursive: true, force: true })
      cpSync(kept, root, { recursive: true })
    }
    const file = readdirSync(root, { recursive: true, encoding: "utf8" })
      .map((name) => join(root, name))
      .find((path) => storage.isFile(path, session))
    if (file === undefined) throw new Error(`no file of ${session} under ${root}`)
    const text = readFileSync(file, "utf8")

    rmSync(file)
    await expectRefused(stopped, "its file deleted", { code: 10, decision: missing })
    restore()

    truncateSync(file)
    await expectRefused(
      stopped,
      "its file emptied",
      storage.emptied === "missing"
        ? { code: 10, decision: missing }
        : { code: 5, decision: { reason: "provider_session_damaged" } }
    )
    restore()

    const lines = text.split("\n")
    const prompt = lines.findIndex((line) => line.includes("TASK-ORIGINAL"))
    expect(prompt, "the row of the prompt is followed by others").toBeLessThan(lines.length - 2)
    writeFileSync(file, lines.map((line, at) => (at === prompt ? line.slice(0, line.length / 2) : line)).join("\n"))
    await expectRefused(stopped, "a row broken", { code: 5, decision: { reason: "provider_session_damaged" } })
    restore()

    rmSync(root, { recursive: true })
    await expectUnknownRefused(stopped)
    restore()

    await expectMalformedRefused(stopped)
    if (await isBound(agent)) await expectBound(stopped)

    writeFileSync(file, `${readFileSync(file, "utf8").replace(/\n$/, "")}\n{"type":"cut off in the mid`)
    const requests = rig.server.requests.length
    const ended = await resume(rig, stopped.checkpoint.id)
    await expectWentOn(agent, rig, { ended, requests, stopped: stopped.checkpoint, attempt: null })
  })

  test("in another folder it goes on where it declares that it does", { timeout: 180_000 }, async () => {
    if (await isBound(agent)) return
    const stopped = await stoppedRun(agent)
    const { rig } = stopped
    const elsewhere = rig.world.path("elsewhere")
    mkdirSync(elsewhere)
    const requests = rig.server.requests.length
    const ended = await resume(rig, stopped.checkpoint.id, ["--cd", elsewhere])
    await expectWentOn(agent, rig, { ended, requests, stopped: stopped.checkpoint })
  })
})

const opencode = others.filter(({ agent }) => agent === "opencode" && chosen.includes(agent))

describe.each(opencode)("$agent, whose conversations are in one database", (agent) => {
  test("a spoiled conversation is told", { timeout: 240_000 }, async () => {
    const stopped = await stoppedRun(agent)
    const { rig, session } = stopped
    const folder = join(rig.world.home, ".local/share/opencode")
    const path = join(folder, "opencode.db")
    const inside = (statement: string): void => {
      const database = new Sqlite(path)
      try {
        database.prepare(statement).run(session)
      } finally {
        database.close()
      }
    }
    inside("UPDATE session SET title = 'kept' WHERE id = ?")
    const kept = rig.world.path("kept")
    cpSync(folder, kept, { recursive: true })
    const restore = (): void => {
      rmSync(folder, { recursive: true, force: true })
      cpSync(kept, folder, { recursive: true })
    }

    inside("DELETE FROM session WHERE id = ?")
    await expectRefused(stopped, "its row deleted", { code: 10, decision: missing })
    restore()

    inside(
      "UPDATE part SET data = substr(data, 1, length(data) / 2) WHERE id = (SELECT min(id) FROM part WHERE session_id = ?)"
    )
    await expectRefused(stopped, "a row broken", { code: 5, decision: { reason: "provider_session_damaged" } })
    restore()

    for (const name of ["opencode.db", "opencode.db-wal", "opencode.db-shm"]) {
      if (existsSync(join(folder, name))) truncateSync(join(folder, name))
    }
    await expectRefused(stopped, "the database emptied", { code: 10, decision: missing })
    restore()

    rmSync(folder, { recursive: true })
    await expectUnknownRefused(stopped)
    restore()

    await expectMalformedRefused(stopped)
    await expectBound(stopped)

    // The whole database is no database: that is no word about the conversation, and its id stays.
    writeFileSync(path, "garbage ".repeat(4096))
    const ended = await resume(rig, stopped.checkpoint.id)
    expect(ended.code, says(agent, "the database is garbage", ended)).not.toBe(0)
    expect(await rig.world.show(stopped.checkpoint.id)).toMatchObject({
      resumed_by: null,
      resumable: true,
      provider_session: { id: session }
    })
    rmSync(`${path}-wal`, { force: true })
    rmSync(`${path}-shm`, { force: true })
    restore()
    const requests = rig.server.requests.length
    await expectWentOn(agent, rig, {
      ended: await resume(rig, stopped.checkpoint.id),
      requests,
      stopped: stopped.checkpoint,
      attempt: null
    })
  })
})
