/** `task run` as a program sees it: streams, exit codes, signals, and the preview that `config show` gives. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import type { DecisionDocument, Document, StreamLine } from "../support/documents.js"
import * as claude from "../support/stub/claudeStream.js"
import { exit, forever } from "../support/stub/script.js"
import { openWorld, type World } from "../support/world.js"
import { addTasks, decisionsOf, statuses, summaryOf, type TaskDocument, type TaskList, taskRun } from "./support.js"

const quick = { fresh: [claude.init(), claude.text("Working."), claude.success("All done."), exit(0)] }
const endless = { fresh: [claude.init(), claude.text("Working."), forever] }

interface Config extends Document {
  readonly resume_preview: DecisionDocument | null
  readonly safety: { readonly gate_enabled: boolean; readonly revert_mode: string }
}

const preview = async (world: World): Promise<DecisionDocument | null> =>
  (await world.json<Config>(["config", "show"])).resume_preview

/** A loop that was ended by SIGTERM in the middle of its first task. */
const interrupted = async (world: World, prompts: ReadonlyArray<string> = ["one", "two"]): Promise<void> => {
  world.stub("claude", endless)
  await addTasks(world, prompts)
  const loop = world.start(["task", "run", "loop", "--max-tasks", "all", "--json"])
  await loop.event<StreamLine>("message")
  loop.kill("SIGTERM")
  const ended = await loop.ended()
  expect(ended.code, describeEnd(ended)).toBe(143)
  expect(summaryOf(ended)).toMatchObject({ state: "interrupted", exit_code: 143, outcome: "signalled" })
}

describe("the stream of a loop", () => {
  test("is one line an event, and its last line is the summary of everything", async () => {
    const world = openWorld()
    world.stub("claude", quick)
    await addTasks(world, ["one", "two"])
    const ended = await taskRun(world, "loop", ["--max-tasks", "all"])
    expect(ended.code, describeEnd(ended)).toBe(0)
    const kinds = ended.lines().map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === "created")).toHaveLength(2)
    expect(kinds.filter((kind) => kind === "run_summary")).toHaveLength(1)
    expect(kinds.slice(0, 3)).toEqual(["created", "task_selected", "phase_entered"])
    const seqs = (ended.lines() as ReadonlyArray<StreamLine & Document>).flatMap(({ seq }) =>
      typeof seq === "number" ? [seq] : []
    )
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b))
    expect(summaryOf(ended)).toMatchObject({
      state: "completed",
      exit_code: 0,
      outcome: "done",
      loop: { max_tasks: null, tasks_completed: 2, iterations_completed: 2 },
      usage: { input_tokens: 20, output_tokens: 10 },
      blocked: null
    })
    const starts = world.stubStarts()
    expect(starts.map(({ stdin }) => stdin)).toEqual(["one", "two"])
    expect(new Set(starts.map(({ session }) => session)).size).toBe(2)
  })

  test("where there is nothing to do, says so and ends with 0", async () => {
    const world = openWorld()
    const ended = await taskRun(world, "loop", ["--max-tasks", "3", "--resume"])
    expect(ended.code, describeEnd(ended)).toBe(0)
    expect(decisionsOf(ended)[0]).toMatchObject({ reason: "no_session" })
    expect(summaryOf(ended)).toMatchObject({ state: null, outcome: "done" })
  })

  test("a task that cannot be begun is an error, and nothing is created", async () => {
    const world = openWorld()
    await addTasks(world, ["one"], { provider: "codex" })
    const ended = await taskRun(world, "one")
    expect(ended.code).toBe(4)
    expect(ended.stdout).toBe("")
    expect(ended.error<Document & { readonly code: string }>()).toMatchObject({
      code: "provider_not_found",
      message: expect.stringMatching(/^task T-0001 cannot be begun: .*codex/)
    })
    expect(await statuses(world)).toEqual(["todo"])
  })
})

describe("an interrupted loop", () => {
  test("is not guessed about: without a word it is refused with the flags that settle it", async () => {
    const world = openWorld()
    await interrupted(world)
    expect(await statuses(world)).toEqual(["doing", "todo"])
    for (const kind of ["one", "loop"] as const) {
      const ended = await taskRun(world, kind)
      expect(ended.code, describeEnd(ended)).toBe(5)
      expect(decisionsOf(ended)[0]).toMatchObject({ reason: "resume_confirmation_required", task_id: "T-0001" })
      expect(summaryOf(ended)).toMatchObject({ state: null, exit_code: 5, outcome: "refused" })
    }
    expect(world.stubStarts()).toHaveLength(1)
  })

  test("goes on by `task run resume` in the same conversation, exactly as the preview said", async () => {
    const world = openWorld()
    await interrupted(world)
    const said = await preview(world)
    expect(await preview(world)).toMatchObject({ reason: said?.reason, checkpoint_id: said?.checkpoint_id })
    world.stub("claude", quick)
    const ended = await taskRun(world, "resume")
    expect(ended.code, describeEnd(ended)).toBe(0)
    const [decision] = decisionsOf(ended)
    /** Both as they are at no certain time; the preview is the payload with `kind` and `version`. */
    const timeless = (one: DecisionDocument | null | undefined): unknown => ({
      ...one,
      kind: null,
      version: null,
      evaluated_at: null,
      facts: { ...one?.facts, age_ms: null }
    })
    expect(timeless(decision)).toEqual(timeless(said))
    expect(decision).toMatchObject({ status: "resuming_same_session", task_id: "T-0001" })
    const [first, second, third] = world.stubStarts()
    expect(second).toMatchObject({ resumed: true, session: first?.session })
    expect(second?.stdin).not.toContain("one")
    expect(third).toMatchObject({ resumed: false, stdin: "two" })
    expect(summaryOf(ended).loop).toMatchObject({ tasks_completed: 2 })
    expect(await statuses(world)).toEqual(["done", "done"])
    expect((await preview(world))?.reason).toBe("no_session")
  })

  test("left with --no-resume, its task begins anew and the old checkpoint stays", async () => {
    const world = openWorld()
    await interrupted(world, ["one"])
    world.stub("claude", quick)
    const ended = await taskRun(world, "one", ["--no-resume"])
    expect(ended.code, describeEnd(ended)).toBe(0)
    expect(decisionsOf(ended)[0]).toMatchObject({ reason: "session_declined" })
    const [first, second] = world.stubStarts()
    expect(second).toMatchObject({ resumed: false, stdin: "one" })
    expect(second?.session).not.toBe(first?.session)
    const old = await world.show(first?.run ?? "")
    expect(old).toMatchObject({ state: "interrupted", resumed_by: null })
    expect(await statuses(world)).toEqual(["done"])
  })

  test("is overridden by a named task, which says so", async () => {
    const world = openWorld()
    await interrupted(world)
    world.stub("claude", quick)
    const ended = await taskRun(world, "one", ["--id", "t-2"])
    expect(ended.code, describeEnd(ended)).toBe(0)
    expect(decisionsOf(ended)[0]).toMatchObject({
      status: "falling_back_to_fresh_invocation",
      reason: "explicit_task_selection_overrides_session",
      task_id: "T-0001"
    })
    expect(await statuses(world)).toEqual(["doing", "done"])
    // Its own record is untouched: it goes on later in its own conversation.
    const later = await taskRun(world, "resume")
    expect(later.code, describeEnd(later)).toBe(0)
    const [first, , third] = world.stubStarts()
    expect(third).toMatchObject({ resumed: true, session: first?.session })
    expect(await statuses(world)).toEqual(["done", "done"])
  })

  test("goes on only so often, unless a person says once more", async () => {
    const world = openWorld()
    await interrupted(world, ["one"])
    const env = { ALLUKA_RESUME_MAX_ATTEMPTS: "1" }
    const refused = await world.run(["task", "run", "resume", "--json"], { env })
    expect(refused.code, describeEnd(refused)).toBe(5)
    expect(decisionsOf(refused)[0]).toMatchObject({
      reason: "attempts_exhausted",
      requires: ["attempts"],
      alternatives: [{ argv: ["task", "run", "resume", "--more-attempts"] }, {}]
    })
    world.stub("claude", quick)
    const once = await world.run(["task", "run", "resume", "--json", "--more-attempts"], { env })
    expect(once.code, describeEnd(once)).toBe(0)
    expect(await statuses(world)).toEqual(["done"])
  })
})

describe("limits of time", () => {
  test("end a run as interrupted, and its task can go on", async () => {
    const world = openWorld()
    world.stub("claude", endless)
    await addTasks(world, ["one", "two"])
    const ended = await taskRun(world, "loop", ["--timeout", "1s"])
    expect(ended.code, describeEnd(ended)).toBe(8)
    expect(summaryOf(ended)).toMatchObject({
      state: "interrupted",
      outcome: "blocked",
      blocked: { reason: "timed_out", next: [{ argv: ["task", "run", "resume"] }] }
    })
    expect(await statuses(world)).toEqual(["doing", "todo"])
    const idle = await taskRun(world, "loop", ["--resume", "--idle-timeout", "1s"])
    expect(summaryOf(idle).blocked?.reason, describeEnd(idle)).toBe("stalled")
  })
})

describe("signals", () => {
  test("while it waits for a usage limit, it ends with its summary and the task can go on", async () => {
    const world = openWorld()
    world.stub("claude", {
      fresh: [
        claude.init(),
        claude.text("Working."),
        claude.rateLimit(Math.floor(Date.now() / 1000) + 3600),
        claude.apiError(429, "You've hit your limit"),
        exit(1)
      ]
    })
    await addTasks(world, ["one"])
    const loop = world.start(["task", "run", "loop", "--json", "--continue-at-reset"])
    await loop.event<StreamLine>("waiting_for_reset")
    loop.kill("SIGINT")
    const ended = await loop.ended()
    expect(ended.code, describeEnd(ended)).toBe(130)
    expect(summaryOf(ended).exit_code).toBe(130)
    expect(await statuses(world)).toEqual(["doing"])
    expect(await preview(world)).toMatchObject({ reason: "usage_limit_not_reset", task_id: "T-0001" })
  })

  test("Ctrl-C cancels the run, puts its task back and ends with 130", async () => {
    const world = openWorld()
    world.stub("claude", endless)
    await addTasks(world, ["one", "two"])
    const loop = world.start(["task", "run", "loop", "--json"])
    await loop.event<StreamLine>("message")
    const [start] = world.stubStarts()
    loop.kill("SIGINT")
    const ended = await loop.ended()
    expect(ended.code, describeEnd(ended)).toBe(130)
    expect(summaryOf(ended)).toMatchObject({ state: "cancelled", exit_code: 130 })
    await world.noneMarked(start?.run ?? "")
    expect(await statuses(world)).toEqual(["todo", "todo"])
    expect(world.stubStarts()).toHaveLength(1)
  })

  test("SIGTERM in the middle of the check ends it with everything it started, and the task can go on", async () => {
    const world = openWorld()
    world.stub("claude", quick)
    await addTasks(world, ["one"], { gate: { argv: ["touch at-gate; sleep 300"], shell: true } })
    const loop = world.start(["task", "run", "loop", "--json"])
    const started = await loop.event<StreamLine>("gate_started")
    await loop.line(() => existsSync(`${world.work}/at-gate`))
    loop.kill("SIGTERM")
    const ended = await loop.ended()
    expect(ended.code, describeEnd(ended)).toBe(143)
    await world.noneMarked(started.checkpoint_id ?? "")
    expect(await statuses(world)).toEqual(["doing"])
  })

  test("`task stop` lets the present task end and begins no other", async () => {
    const world = openWorld()
    world.stub("claude", {
      fresh: [claude.init(), claude.text("Working."), { until: world.path("go") }, claude.success(), exit(0)]
    })
    await addTasks(world, ["one", "two"])
    const nothing = await world.run(["task", "stop", "--json"])
    expect(nothing.code).toBe(3)
    const loop = world.start(["task", "run", "loop", "--json"])
    await loop.event<StreamLine>("message")
    expect((await world.json<Document>(["task", "stop"])).kind).toBe("notice")
    world.touch(world.path("go"))
    const ended = await loop.ended()
    expect(ended.code, describeEnd(ended)).toBe(0)
    expect(summaryOf(ended)).toMatchObject({ outcome: "stopped", state: "completed" })
    expect(await statuses(world)).toEqual(["done", "todo"])
  })
})

describe("the check", () => {
  test("sends the conversation back with what it printed until it passes", async () => {
    const world = openWorld()
    world.stub("claude", quick)
    await addTasks(world, ["one"], {
      phases: 2,
      gate: { argv: ["echo x >> tries; echo the failing line; test $(wc -l < tries) -ge 3"], shell: true }
    })
    const ended = await taskRun(world, "loop")
    expect(ended.code, describeEnd(ended)).toBe(0)
    const [plan, first, second, third] = world.stubStarts()
    expect(world.stubStarts()).toHaveLength(4)
    expect(first?.session).not.toBe(plan?.session)
    expect([second?.session, third?.session]).toEqual([first?.session, first?.session])
    expect(second?.stdin).toContain("the failing line")
    expect(decisionsOf(ended).map(({ scope, status }) => [scope, status])).toEqual([
      ["continue_session", "resuming_same_session"],
      ["continue_session", "resuming_same_session"]
    ])
    const gates = ended.lines().filter(({ kind }) => kind === "gate_finished")
    expect(gates.map((line) => (line as unknown as StreamLine).payload.ok)).toEqual([false, false, true])
  })

  test("given up where nobody can be asked, the work is kept and the task can go on", async () => {
    const world = openWorld()
    world.stub("claude", quick)
    await addTasks(world, ["one"], {
      gate: { argv: ["echo made > made.txt; echo the failing line; exit 3"], shell: true }
    })
    const ended = await taskRun(world, "one", ["--revert", "ask"])
    expect(ended.code, describeEnd(ended)).toBe(7)
    expect(summaryOf(ended)).toMatchObject({ state: "failed", reason: { code: "gate_failed", exit_code: 3 } })
    expect(summaryOf(ended).reason?.detail).toContain("the failing line")
    expect(world.stubStarts()).toHaveLength(3)
    expect(readFileSync(`${world.work}/made.txt`, "utf8")).toBe("made\n")
    expect(await statuses(world)).toEqual(["doing"])
    expect(await preview(world)).toMatchObject({ status: "resuming_same_session", task_id: "T-0001" })
  })

  test("given up, the work is saved as a branch and the folder put back, where that was asked for", async () => {
    const world = openWorld()
    world.stub("claude", quick)
    await world.shell("git -c user.name=a -c user.email=a@b commit --quiet --allow-empty -m first")
    writeFileSync(`${world.work}/mine.txt`, "the person's own\n")
    await addTasks(world, ["one"], {
      gate: { argv: ["echo made > made.txt; echo more >> mine.txt; exit 1"], shell: true }
    })
    const ended = await taskRun(world, "loop", ["--revert", "revert"])
    expect(ended.code, describeEnd(ended)).toBe(7)
    const run = await world.show(summaryOf(ended).checkpoint_id ?? "")
    expect(run.reason?.code).toBe("gate_failed")
    const branch = /saved as the branch (\S+)/.exec(run.reason?.detail ?? "")?.[1] ?? ""
    expect(readFileSync(`${world.work}/mine.txt`, "utf8")).toBe("the person's own\n")
    expect(existsSync(`${world.work}/made.txt`)).toBe(false)
    const saved = await world.shell(`git show ${branch}:made.txt`)
    expect(saved.stdout, describeEnd(saved)).toBe("made\n")
    expect(summaryOf(ended)).toMatchObject({
      outcome: "blocked",
      blocked: { reason: "tasks_unfinished", next: [{ argv: ["task", "run", "resume"] }] }
    })
  })
})

test("checks of an imported file are commands, and taken only where that is said", async () => {
  const world = openWorld()
  const input = JSON.stringify([{ prompt: "one", gate: { argv: ["rm", "-rf", "/"] } }])
  const left = await world.json<TaskList>(["task", "import", "-"], { input })
  expect(left.items[0]).toMatchObject({ gate: null })
  const taken = await world.json<TaskList>(["task", "import", "-", "--with-gates"], { input })
  expect(taken.items[0]).toMatchObject({ gate: { argv: ["rm", "-rf", "/"] } })
})
