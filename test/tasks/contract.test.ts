/** The JSON of every task command against the committed schemas, with each of its flags; and every error it can answer. */
import { existsSync, readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { describeEnd, type Ended } from "../support/command.js"
import type { Document, StreamLine } from "../support/documents.js"
import { expectValid } from "../support/schemas.js"
import * as claude from "../support/stub/claudeStream.js"
import { exit, forever } from "../support/stub/script.js"
import { openWorld, type World } from "../support/world.js"
import {
  addTasks,
  decisionsOf,
  interruptedLoop,
  statuses,
  summaryOf,
  type TaskDocument,
  type TaskList,
  taskRun
} from "./support.js"

const quick = { fresh: [claude.init(), claude.text("Working."), claude.success("All done."), exit(0)] }
const failing = { fresh: [claude.init(), claude.text("Working."), exit(1)] }

const valid = async (world: World, args: ReadonlyArray<string>, input?: string): Promise<Document> => {
  const document = await world.json<Document>(["task", ...args], input === undefined ? {} : { input })
  expectValid(document)
  return document
}

/** Every line against its schema, the last of them the summary. */
const expectStream = (ended: Ended): void => {
  const lines = ended.lines()
  for (const line of lines) expectValid(line)
  expect(lines.at(-1)?.kind, describeEnd(ended)).toBe("run_summary")
}

test("documents: what adds, changes, orders, lists, exports, imports and removes tasks", async () => {
  const world = openWorld()
  const added = await valid(world, [
    "add",
    "first\nwith details",
    ...["--title", "its title", "--label", "area=cli", "--provider", "claude", "-m", "opus", "--thinking", "high"],
    ...["--permission", "full", "--phases", "3", "--gate", "npm test", "--gate-timeout", "5m", "--add-dir", "../lib"],
    ...["--phase-provider", "implement=codex", "--phase-model", "implement=gpt-6-sol", "--phase-thinking", "plan=low"],
    ...["--phase-permission", "review=read"]
  ])
  expect(added).toMatchObject({
    id: "T-0001",
    title: "its title",
    prompt: "first\nwith details",
    status: "todo",
    labels: { area: "cli" },
    phases: 3,
    settings: { provider: "claude", model: "opus", thinking: "high", permission: "full" },
    gate: { argv: ["npm", "test"], shell: false, timeout_ms: 300_000 },
    add_dirs: [world.path("lib")]
  })
  expect((added as TaskDocument & { phase_settings: unknown }).phase_settings).toEqual([
    { phase: "plan", provider: null, model: null, thinking: "low", permission: null },
    { phase: "implement", provider: "codex", model: "gpt-6-sol", thinking: null, permission: null },
    { phase: "review", provider: null, model: null, thinking: null, permission: "read" }
  ])
  await valid(world, ["add", "-", "--gate-shell", "make && make check"], "second, from stdin\n")
  expect(await valid(world, ["show", "t-2"])).toMatchObject({
    prompt: "second, from stdin\n",
    gate: { argv: ["make && make check"], shell: true }
  })
  for (const [place, order] of [
    [["--top"], ["T-0002", "T-0001"]],
    [["--bottom"], ["T-0001", "T-0002"]],
    [
      ["--before", "T-1"],
      ["T-0002", "T-0001"]
    ],
    [
      ["--after", "T-1"],
      ["T-0001", "T-0002"]
    ],
    [
      ["--to", "1"],
      ["T-0002", "T-0001"]
    ]
  ] as const) {
    const moved = (await valid(world, ["move", "T-2", ...place])) as TaskList
    expect(moved.items.map(({ id }) => id)).toEqual(order)
  }
  // A text that is empty takes a setting back; everything else stays.
  const edited = await valid(world, [
    "edit",
    "T-1",
    ...["--title", "", "-m", "", "--phase-model", "implement=", "--label", "area=", "--no-gate", "--phases", "2"]
  ])
  expect(edited).toMatchObject({
    title: "first",
    labels: {},
    phases: 2,
    settings: { provider: "claude", model: null, thinking: "high" },
    gate: "none"
  })
  expect(await valid(world, ["edit", "T-2", "-p", "third", "--status", "rejected"])).toMatchObject({
    prompt: "third",
    status: "rejected"
  })
  const listed = (await valid(world, ["list", "--here", "--status", "todo,doing"])) as TaskList
  expect(listed.items.map(({ id }) => id)).toEqual(["T-0001"])
  const some = await world.json<TaskList>(["task", "list", "--fields", "id,status"])
  expect(some.items.map((item) => Object.keys(item))).toEqual(some.items.map(() => ["kind", "version", "id", "status"]))

  // What is exported comes back as it was, under new ids.
  await world.run(["task", "export", "tasks.json"])
  expectValid(JSON.parse(readFileSync(`${world.work}/tasks.json`, "utf8")) as Document)
  expect((await world.run(["task", "export"])).stdout).toBe(readFileSync(`${world.work}/tasks.json`, "utf8"))
  await valid(world, ["export"])
  const imported = (await valid(world, ["import", "tasks.json", "--with-gates"])) as TaskList
  const all = (await world.json<TaskList>(["task", "list"])).items
  const timeless = (items: TaskList["items"]): ReadonlyArray<object> =>
    items.map((item) => ({ ...item, id: "", position: 0, created_at: "", updated_at: "" }))
  expect(imported.items.map(({ id }) => id)).toEqual(["T-0003", "T-0004"])
  expect(timeless(all.slice(2))).toEqual(timeless(all.slice(0, 2)))
  await valid(world, ["rm", "T-3", "t-3", "T-4", "-y"])
  expect((await world.json<TaskList>(["task", "list"])).items).toHaveLength(2)
})

describe("streams", () => {
  test("of a loop with phases, a gate and a failure; and of `task stop`", async () => {
    const world = openWorld()
    world.stub("claude", quick)
    await addTasks(world, ["one"], { phases: 3, gate: { argv: ["test -e x || { touch x; exit 1; }"], shell: true } })
    expectStream(await taskRun(world, "loop", ["--max-tasks", "1"]))
    world.stub("claude", failing)
    await addTasks(world, ["two", "three"])
    const stopped = await taskRun(world, "loop", ["--stop-on-failure"])
    expectStream(stopped)
    expect(stopped.code).toBe(7)
    expect(summaryOf(stopped)).toMatchObject({ outcome: "blocked", blocked: { reason: "provider_error" } })
    expect(await statuses(world)).toEqual(["done", "doing", "todo"])
    const stop = await world.run(["task", "stop", "--json"])
    expect(stop.code).toBe(3)
    expectValid(stop.error())
  })

  test("--max-tasks counts what a loop did before it was interrupted", async () => {
    const world = openWorld()
    await addTasks(world, ["one", "two", "three", "four"])
    world.stub("claude", { fresh: [claude.init(), claude.text("Working."), forever] })
    await interruptedLoop(world, ["--max-tasks", "2"])
    world.stub("claude", quick)
    const ended = await taskRun(world, "loop", ["--resume", "--max-tasks", "2"])
    expectStream(ended)
    expect(ended.code, describeEnd(ended)).toBe(0)
    expect(summaryOf(ended)).toMatchObject({ outcome: "done", loop: { max_tasks: 2, iterations_completed: 2 } })
    expect(await statuses(world)).toEqual(["done", "done", "todo", "todo"])
  })

  test("a conversation that the provider does not have: refused with its flag, begun anew with it", async () => {
    const world = openWorld()
    await addTasks(world, ["one", "two"])
    world.stub("claude", { fresh: [claude.init(), claude.text("Working."), forever] })
    await interruptedLoop(world)
    world.stub("claude", { ...quick, resume: claude.noSession })
    const refused = await taskRun(world, "resume", ["--on-lost-session", "refuse"])
    expectStream(refused)
    expect(refused.code, describeEnd(refused)).toBe(10)
    expect(decisionsOf(refused).at(-1)).toMatchObject({
      reason: "fresh_start_requires_confirmation",
      cause: "provider_session_missing",
      task_id: "T-0001"
    })
    expect(await statuses(world)).toEqual(["doing", "todo"])
    const fresh = await taskRun(world, "resume", ["--on-lost-session", "fresh"])
    expectStream(fresh)
    expect(fresh.code, describeEnd(fresh)).toBe(0)
    expect(decisionsOf(fresh).at(-1)).toMatchObject({
      status: "falling_back_to_fresh_invocation",
      reason: "provider_session_missing",
      loses: [expect.stringContaining("conversation")]
    })
    expect(await statuses(world)).toEqual(["done", "done"])
  })

  test("a usage limit blocks with the command that waits; --continue-at-reset waits and goes on by itself", async () => {
    const world = openWorld()
    await addTasks(world, ["one"])
    const limited = (resetsAt: number) => ({
      fresh: [claude.init(), claude.rateLimit(resetsAt), claude.apiError(429, "You've hit your limit"), exit(1)],
      resume: quick.fresh
    })
    const now = Math.floor(Date.now() / 1000)
    world.stub("claude", limited(now + 3600))
    const blocked = await taskRun(world, "one")
    expectStream(blocked)
    expect(blocked.code, describeEnd(blocked)).toBe(8)
    expect(summaryOf(blocked).blocked).toMatchObject({
      reason: "usage_limit",
      next: [
        { argv: ["task", "run", "resume", "--continue-at-reset"] },
        { argv: ["task", "run", "resume", "--ignore-limit"] }
      ]
    })
    // The limit of this one has reset by the time it is told.
    world.stub("claude", limited(now - 60))
    const ended = await taskRun(world, "one", ["--no-resume", "--continue-at-reset"])
    expectStream(ended)
    expect(ended.code, describeEnd(ended)).toBe(0)
    expect(ended.lines().filter(({ kind }) => kind === "waiting_for_reset")).not.toEqual([])
    const [, first, second] = world.stubStarts()
    expect(second).toMatchObject({ resumed: true, session: first?.session })
    expect(await statuses(world)).toEqual(["done"])
  })

  test("from another folder, what goes on is named with the folder", async () => {
    const world = openWorld()
    await addTasks(world, ["one"])
    world.stub("claude", failing)
    const ended = await world.run(["task", "run", "loop", "--json", "-C", world.work], { cwd: world.home })
    expectStream(ended)
    expect(summaryOf(ended).blocked?.next[0]?.argv).toEqual(["task", "run", "resume", "--cd", world.work])
    const refused = await world.run(["task", "run", "one", "--json", "--cd", world.work], { cwd: world.home })
    expect(decisionsOf(refused)[0]?.alternatives[0]?.argv).toEqual(["task", "run", "resume", "--cd", world.work])
  })
})

test("errors say what happened and what to try, on stderr alone, and change nothing", async () => {
  const world = openWorld()
  await addTasks(world, ["one"])
  const before = await world.json<TaskList>(["task", "list"])
  const cases: ReadonlyArray<readonly [ReadonlyArray<string>, number, RegExp]> = [
    [["add"], 2, /there is no task/],
    [["add", " "], 2, /empty/],
    [["add", "x", "--phases", "4"], 2, /1, 2 .* or 3 phases/],
    [["add", "x", "--phase-model", "build=opus"], 2, /no phase "build"/],
    [["add", "x", "--phase-permission", "plan=all"], 2, /"all" is no permission/],
    [["add", "x", "--permission", "all"], 2, /Allowed choices are read, edit, full/],
    [["add", "x", "--provider", "nobody"], 4, /no provider "nobody"/],
    [["add", "x", "--provider", "claude", "--thinking", "enormous"], 2, /no thinking level "enormous"; it has/],
    [["add", "x", "--gate", "a && b"], 2, /--gate-shell/],
    [["add", "x", "--gate", "a", "--gate-shell", "b"], 2, /twice/],
    [["add", "x", "--gate", "curl -H 'Authorization: Bearer abcdef0123456789abcdef0123456789'"], 2, /secret/],
    [["add", "x", "-C", "/nowhere"], 5, /\/nowhere does not exist/],
    [["show", "T-9"], 3, /no task T-0009/],
    [["show", "nonsense"], 2, /they look like T-0001/],
    [["edit", "T-1", "-p", ""], 2, /empty/],
    [["edit", "T-1", "--status", "doing"], 2, /todo, done, rejected/],
    [["move", "T-1"], 2, /where to/],
    [["move", "T-1", "--top", "--to", "2"], 2, /one place only/],
    [["move", "T-1", "--after", "T-9"], 3, /no task T-0009/],
    [["rm", "T-1"], 5, /Remove T-0001/],
    [["rm", "T-1", "T-9", "-y"], 3, /no task T-0009/],
    [["list", "--fields", "nothing"], 2, /no field "nothing"; it has kind/],
    [["import", "nowhere.json"], 1, /nowhere\.json could not be read/],
    [["export", "/nowhere/x.json"], 1, /could not be written/],
    [["run", "one", "--id", "T-9"], 3, /no task T-0009/],
    [["run", "loop", "--max-tasks", "0"], 2, /--max-tasks is a number from 1 up, or all/],
    [["run", "loop", "-C", "/nowhere"], 5, /\/nowhere does not exist/]
  ]
  for (const [args, code, said] of cases) {
    const ended = await world.run(["task", ...args, "--json"])
    expect(ended.code, describeEnd(ended)).toBe(code)
    expect(ended.stdout).toBe("")
    const error = ended.error<Document & { message: string; try: ReadonlyArray<string> }>()
    expectValid(error)
    expect(error.message, args.join(" ")).toMatch(said)
    expect(error.try.length, args.join(" ")).toBeGreaterThan(0)
  }
  for (const [input, said] of [
    ["{", /no valid JSON/],
    ["[1]", /task 1 of it is none/],
    ['["ok", {"title": "no prompt"}]', /task 2 of it is none: it has no prompt/],
    ['[{"prompt": "x", "phase": 3}]', /no field "phase"; it has prompt/],
    ['[{"prompt": "x", "phases": 7}]', /"phases" cannot be 7/],
    ['[{"prompt": "x", "settings": {"provider": "nobody"}}]', /no provider "nobody"/]
  ] as const) {
    const ended = await world.run(["task", "import", "-", "--json"], { input })
    expect([2, 4], describeEnd(ended)).toContain(ended.code)
    expect(ended.error<Document & { message: string }>().message).toMatch(said)
  }
  expect(await world.json<TaskList>(["task", "list"])).toEqual(before)
  expect(existsSync("/nowhere")).toBe(false)
})

test("a task that is being done is not changed, settled or taken away under its run", async () => {
  const world = openWorld()
  await addTasks(world, ["one"])
  world.stub("claude", { fresh: [claude.init(), claude.text("Working."), forever] })
  const loop = world.start(["task", "run", "loop", "--json"])
  await loop.event<StreamLine>("message")
  for (const args of [
    ["rm", "T-1", "-y"],
    ["edit", "T-1", "--status", "done"]
  ]) {
    const ended = await world.run(["task", ...args, "--json"])
    expect(ended.code, describeEnd(ended)).toBe(6)
    expect(ended.error<Document & { try: ReadonlyArray<string> }>().try[0]).toContain("cancel ckpt_")
  }
  loop.kill("SIGTERM")
  await loop.ended()
})
