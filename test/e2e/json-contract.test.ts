/** Every command's `--json` against the committed schemas. */
import { describe, expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import { type Document, parseLines } from "../support/documents.js"
import { expectValid, schemas } from "../support/schemas.js"
import { exit } from "../support/stub/script.js"
import { openWorld, type World } from "../support/world.js"
import { interrupted, resume } from "../trials/runs.js"
import { claudeStub as provider } from "../trials/stubs.js"

/** A store with a run in every end state, a lineage, and a task. */
const populated = async (): Promise<{ readonly world: World; readonly id: string; readonly session: string }> => {
  const world = openWorld()
  const source = await interrupted(world, provider, ["--label", "team=garden", "--title", "a title"])
  world.stub(provider.name, { fresh: provider.finished })
  await resume(world, source.id)
  world.stub(provider.name, { fresh: [...provider.opening, exit(2)] })
  await world.run(["run", "--json", "--provider", provider.name, "-p", "fails"])
  world.stub(provider.name, { fresh: provider.working })
  const running = world.start(["run", "--json", "--provider", provider.name, "-p", "is cancelled"])
  await running.event("message")
  running.kill("SIGINT")
  await running.ended()
  return { world, id: source.id, session: source.session_id }
}

test("every schema is printed by `alluka schema KIND` as it is committed", async () => {
  const world = openWorld()
  expect(schemas.size).toBeGreaterThan(0)
  for (const [kind, committed] of schemas) {
    const ended = await world.run(["schema", kind])
    expect(ended.code, describeEnd(ended)).toBe(0)
    expect(JSON.parse(ended.stdout)).toEqual(committed)
  }
})

test("one document: every command that answers with one", async () => {
  const { world, id, session } = await populated()
  const commands: ReadonlyArray<{ readonly args: ReadonlyArray<string>; readonly kind: string }> = [
    { args: ["runs", "list"], kind: "checkpoint_list" },
    { args: ["runs", "list", "--all"], kind: "checkpoint_list" },
    { args: ["runs", "list", "-L", "1"], kind: "checkpoint_list" },
    { args: ["checkpoints", "list", "--state", "failed,cancelled"], kind: "checkpoint_list" },
    { args: ["runs", "list", "--resumable", "--here"], kind: "checkpoint_list" },
    { args: ["runs", "show", id], kind: "checkpoint" },
    { args: ["resume", "latest", "--preview"], kind: "resume_preview" },
    { args: ["sessions", "list"], kind: "session_list" },
    { args: ["sessions", "show", session], kind: "session" },
    { args: ["providers", "list"], kind: "provider_list" },
    { args: ["providers", "show", "demo"], kind: "provider" },
    { args: ["providers", "test", "demo"], kind: "provider_test" },
    { args: ["agents", "list"], kind: "agent_list" },
    { args: ["config", "show"], kind: "config" },
    { args: ["doctor"], kind: "doctor_report" },
    { args: ["backup", "copy.db"], kind: "backup_result" },
    { args: ["version"], kind: "program_version" },
    { args: ["task", "list"], kind: "task_list" },
    { args: ["cancel", id], kind: "cancel_result" }
  ]
  for (const { args, kind } of commands) {
    const ended = await world.run([...args, "--json"])
    expect(ended.code, describeEnd(ended)).toBe(0)
    const document = ended.document()
    expect(document.kind, args.join(" ")).toBe(kind)
    expectValid(document)
  }
})

test("a timeline goes with its checkpoint", async () => {
  const { world, id } = await populated()
  const ended = await world.run(["runs", "show", id, "--events", "--json"])
  expect(ended.code, describeEnd(ended)).toBe(0)
  for (const document of parseLines(ended.stdout)) expectValid(document)
  expect(ended.stdout).toContain('"kind":"timeline"')
})

describe("streams", () => {
  test("run, resume, watch and logs print valid lines, and run and resume end with their summary", async () => {
    const { world, id } = await populated()
    world.stub(provider.name, { fresh: provider.finished })
    const streams = [
      await world.run(["run", "--json", "--provider", provider.name, "-p", "again"]),
      await world.run(["resume", id, "--json"]),
      await world.run(["runs", "watch", "--json", "--from-seq", "0", "--timeout", "1s"]),
      await world.run(["runs", "logs", id, "--json"])
    ]
    for (const ended of streams) {
      const lines = ended.lines()
      expect(lines.length, describeEnd(ended)).toBeGreaterThan(0)
      for (const line of lines) expectValid(line)
    }
    for (const ended of streams.slice(0, 2)) expect(ended.lines().at(-1)?.kind).toBe("run_summary")
  })
})

test("an error is one valid document on stderr and nothing on stdout", async () => {
  const world = openWorld()
  const ended = await world.run(["runs", "show", "ckpt_000000000000", "--json"])
  expect(ended.stdout).toBe("")
  expectValid(ended.error())
})

test("pages: a cursor goes on where the page ended, without gap or repeat", async () => {
  const { world } = await populated()
  interface Page extends Document {
    readonly items: ReadonlyArray<{ readonly id: string }>
    readonly next_cursor: string | null
  }
  const whole = (await world.json<Page>(["runs", "list", "--all"])).items.map((one) => one.id)
  const seen: Array<string> = []
  let cursor: string | null = null
  do {
    const page: Page = await world.json<Page>([
      "runs",
      "list",
      "--attempts",
      "--dismissed",
      "-L",
      "2",
      ...(cursor === null ? [] : ["--cursor", cursor])
    ])
    expect(page.items.length).toBeLessThanOrEqual(2)
    seen.push(...page.items.map((one) => one.id))
    cursor = page.next_cursor
  } while (cursor !== null)
  expect(seen).toEqual(whole)
})

test("--fields keeps kind and version, and only what was asked for", async () => {
  const { world } = await populated()
  const list = await world.json<Document & { items: ReadonlyArray<Record<string, unknown>> }>([
    "runs",
    "list",
    "--fields",
    "id,state"
  ])
  expect(list.kind).toBe("checkpoint_list")
  for (const item of list.items) expect(Object.keys(item).sort()).toEqual(expect.arrayContaining(["id", "state"]))
  expect(JSON.stringify(list)).not.toContain('"prompt"')
})
