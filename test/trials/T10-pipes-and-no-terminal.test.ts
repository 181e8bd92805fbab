/** T10: pipes, closed outputs, and terminals that are none. */
import { describe, expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import {
  type CheckpointDocument,
  type Document,
  parseDocument,
  type RunSummary,
  type StreamLine
} from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import { seedRuns } from "../support/seed.js"
import { until } from "../support/stub/script.js"
import { openTerminal, openTerminalWith } from "../support/terminal.js"
import { openWorld, type World } from "../support/world.js"
import { started, underWay } from "./runs.js"
import { claudeStub as provider } from "./stubs.js"

interface List extends Document {
  readonly items: ReadonlyArray<CheckpointDocument>
}

const escape = "\u001b"
const states = ["completed", "failed"] as const

/** A world with one run of each of two states. */
const withRuns = async (): Promise<World> => {
  const world = openWorld()
  world.stub(provider.name, { fresh: provider.finished })
  await world.run(["run", "--json", "--provider", provider.name, "--title", "first of two", "-p", "task"])
  world.stub(provider.name, { fresh: [{ exit: 3 }] })
  await world.run(["run", "--json", "--provider", provider.name, "--title", "second of two", "-p", "task"])
  return world
}

const expectPlainList = (text: string): void => {
  expect(text).toContain("first of two")
  expect(text).toContain("second of two")
  for (const state of states) expect(text).toContain(state)
  expect(text).not.toContain(escape)
  expect(text).not.toMatch(/raw mode/i)
}

describe("without a terminal, alluka alone is the plain list", () => {
  test("(a) stdin from /dev/null", async () => {
    const world = await withRuns()
    const ended = await world.run([])
    expect(ended.code, describeEnd(ended)).toBe(0)
    expectPlainList(ended.stdout)
    expect(ended.stderr).not.toMatch(/raw mode/i)
  })

  test("(b) stdout into a pipe, the rest a terminal", async () => {
    const world = await withRuns()
    const terminal = openTerminalWith(world, ["/bin/bash", "-c", "set -o pipefail; alluka | cat; echo status $?"])
    await terminal.shows("status ")
    await terminal.ended()
    expectPlainList(terminal.output())
    expect(terminal.output()).toContain("status 0")
  })

  test("(g) a dumb terminal", async () => {
    const world = await withRuns()
    const terminal = openTerminal(world, [], { env: { TERM: "dumb" } })
    expect((await terminal.ended()).exitCode).toBe(0)
    expectPlainList(terminal.output())
  })
})

test("5,000 runs: (d) the whole list arrives through a pipe, and (c) a reader that stops early is no error, 200 times", async () => {
  const world = openWorld()
  await seedRuns(world, 5000)
  const piped = await world.shell("set -o pipefail; alluka runs list --json --all | cat")
  expect(piped.code, piped.stderr.slice(0, 500)).toBe(0)
  expect(piped.stdout.length).toBeGreaterThan(3_000_000)
  expect((parseDocument(piped.stdout.trimEnd().split("\n").at(-1) ?? "") as List).items).toHaveLength(5000)

  const rounds = 200
  const once = 'alluka runs list --json | head -1 > /dev/null; echo "$PIPESTATUS"'
  // The whole list is far more than a pipe holds, so there the writer meets the closed pipe for certain.
  const whole = 'alluka runs list --json --all | head -c 1 > /dev/null; echo "$PIPESTATUS"'
  const ended = await world.shell(
    `{ seq ${rounds} | xargs -P 3 -I _ bash -c '${once}'; seq 10 | xargs -P 2 -I _ bash -c '${whole}'; } | sort | uniq -c`,
    { withinMs: 200_000 }
  )
  expect(ended.stderr).toBe("")
  const statuses = ended.stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
  expect(statuses.reduce((sum, [count]) => sum + Number(count), 0)).toBe(rounds + 10)
  for (const [, status] of statuses) expect(["0", "141"]).toContain(status)
}, 240_000)

describe("no escape byte where a program reads", () => {
  test.each([
    ["(e) FORCE_COLOR", { FORCE_COLOR: "1" }],
    ["(h) CI", { CI: "1" }]
  ])("%s with --json", async (_name, env) => {
    const world = await withRuns()
    const ended = await world.run(["runs", "list", "--json"], { env })
    expect(ended.code, describeEnd(ended)).toBe(0)
    expect(ended.stdout).not.toContain(escape)
    expect(ended.document<List>().items).toHaveLength(2)
  })

  test("(f) NO_COLOR on a terminal: no colour, and every state is a word", async () => {
    const world = await withRuns()
    const terminal = openTerminal(world, ["runs", "list"], { env: { NO_COLOR: "1" } })
    expect((await terminal.ended()).exitCode).toBe(0)
    expect(terminal.output()).not.toMatch(/\u001b\[[0-9;]*m/)
    for (const state of states) expect(terminal.output()).toContain(state)
  })
})

describe("(i) a run whose reader is gone", () => {
  test("stdout closed from the start: the run goes on and its end is stored", async () => {
    const world = openWorld()
    world.stub(provider.name, { fresh: provider.finished })
    const ended = await world.shell(`alluka run --provider ${provider.name} -p task >&-`)
    expect(ended.code, describeEnd(ended)).toBe(0)
    const { items } = await world.json<List>(["runs", "list"])
    expect(items).toMatchObject([{ state: "completed" }])
  })

  test.each([[["--json"]], [[]]])("stdout closed in the middle (%j): the same", async (flags) => {
    const world = openWorld()
    const gate = world.path("gate")
    world.stub(provider.name, {
      fresh: [
        ...provider.opening,
        provider.message("one"),
        until(gate),
        ...Array.from({ length: 50 }, (_, index) => provider.message(`more ${index}`)),
        provider.success
      ]
    })
    const running = world.start(["run", ...flags, "--provider", provider.name, "-p", "task"])
    const stub = await world.stubStart(1)
    running.closeStdout()
    world.touch(gate)
    const ended = await running.ended()
    expect(ended.code, describeEnd(ended)).toBe(0)
    expect(ended.stderr).not.toMatch(/EPIPE/)
    expect(await world.show(stub.run ?? "")).toMatchObject({ state: "completed", position: { messages: 51 } })
  })
})

test("a run without a terminal ignores SIGHUP, as under nohup, and a question is never asked", async () => {
  const world = openWorld()
  const gate = world.path("gate")
  world.stub(provider.name, { fresh: [...provider.opening, provider.message("one"), until(gate), provider.success] })
  const run = await started(world, provider.name)
  await run.alluka.event("message")
  run.alluka.kill("SIGHUP")
  world.touch(gate)
  const ended = await run.alluka.ended()
  expect(ended.code, describeEnd(ended)).toBe(0)
  expect(await world.show(run.id)).toMatchObject({ state: "completed" })
})

test("every line of a run's stream is strict JSON and the last one is its summary, also when it is interrupted", async () => {
  const world = openWorld()
  const run = await underWay(world, provider)
  run.alluka.kill("SIGTERM")
  const ended = await run.alluka.ended()
  const lines = ended.lines()
  expect(lines.at(0)?.kind).toBe("created")
  expect(lines.at(-1)).toMatchObject({
    kind: "run_summary",
    state: "interrupted",
    exit_code: 143
  } satisfies Partial<RunSummary>)
  const numbers = lines.flatMap((line) =>
    "seq" in line && (line as StreamLine).seq !== null ? [(line as StreamLine).seq ?? 0] : []
  )
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
  expect(new Set(numbers).size).toBe(numbers.length)
  await eventually(() => world.marked().length === 0)
})
