/** `hooks.on_state`: a program of the user's is told of every end of a run, once, by whoever stored it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { expect, test } from "vitest"
import type { Document, StreamLine } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import { openWorld, type World } from "../support/world.js"
import { summaryOf, task, underWay } from "../trials/runs.js"
import { claudeStub as provider } from "../trials/stubs.js"

interface Config extends Document {
  readonly paths: { readonly user_config: string }
}

/** Puts a hook into the user's configuration, and gives what it was told so far. */
const hook = async (world: World, argv: ReadonlyArray<string>, timeout = "10s"): Promise<() => Array<StreamLine>> => {
  const { paths } = await world.json<Config>(["config", "show"])
  mkdirSync(dirname(paths.user_config), { recursive: true })
  writeFileSync(paths.user_config, JSON.stringify({ hooks: { on_state: argv, timeout } }))
  const told = world.path("told")
  return () =>
    existsSync(told)
      ? readFileSync(told, "utf8")
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => JSON.parse(line) as StreamLine)
      : []
}

const writesDown = (world: World): ReadonlyArray<string> => ["/bin/sh", "-c", `cat >> '${world.path("told")}'`]

test("is told once of the end that a run had", async () => {
  const world = openWorld()
  const told = await hook(world, writesDown(world))
  world.stub(provider.name, { fresh: provider.finished })
  const ended = await world.run(["run", "--json", "--provider", provider.name, "-p", task])
  expect(ended.code).toBe(0)
  const { checkpoint_id } = summaryOf(ended)
  expect(told()).toMatchObject([
    { kind: "state_changed", version: 1, checkpoint_id, payload: { from: "running", to: "completed", reason: null } }
  ])
})

test("is told by whoever finds that a run's process is gone, and not again", async () => {
  const world = openWorld()
  const told = await hook(world, writesDown(world))
  const run = await underWay(world, provider)
  run.alluka.kill("SIGKILL")
  await run.alluka.ended()
  await Promise.all([1, 2, 3].map(() => world.run(["runs", "list", "--json"])))
  await world.run(["runs", "list", "--json"])
  expect(told()).toMatchObject([
    { checkpoint_id: run.id, payload: { from: "running", to: "interrupted", reason: "owner_lost" } }
  ])
})

test.each([
  ["fails", ["/bin/sh", "-c", "exit 3"], "ended with exit code 3"],
  ["does not end", ["/bin/sh", "-c", "sleep 60"], "took longer than 0.5 s"],
  ["is not there", ["/nowhere/hook"], "could not be started"]
] as const)("that %s is a notice of the run, whose end stays what it was", async (_, argv, words) => {
  const world = openWorld()
  await hook(world, argv, "500ms")
  world.stub(provider.name, { fresh: provider.finished })
  const ended = await world.run(["run", "--json", "--provider", provider.name, "-p", task])
  expect(ended.code).toBe(0)
  expect(ended.stderr).toContain(words)
  const { checkpoint_id } = summaryOf(ended)
  const shown = await world.run(["runs", "show", checkpoint_id ?? "", "--events", "--json"])
  expect(shown.stdout).toContain(words)
  expect(shown.stdout).toContain('"hook":"on_state"')
})

test("of a project that is not trusted is never called", async () => {
  const world = openWorld()
  mkdirSync(world.path("work", ".alluka"))
  writeFileSync(
    world.path("work", ".alluka", "config.json"),
    JSON.stringify({ hooks: { on_state: ["/usr/bin/touch", world.path("touched")] } })
  )
  world.stub(provider.name, { fresh: provider.finished })
  expect((await world.run(["run", "--json", "--provider", provider.name, "-p", task])).code).toBe(0)
  expect(existsSync(world.path("touched"))).toBe(false)
  expect((await world.run(["trust", "--yes"])).code).toBe(0)
  expect((await world.run(["run", "--json", "--provider", provider.name, "-p", task])).code).toBe(0)
  await eventually(() => existsSync(world.path("touched")), { what: "the call of the trusted hook" })
})
