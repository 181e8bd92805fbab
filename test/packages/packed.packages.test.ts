/** The packages as others get them: complete, with types, and enough to run every example. */
import { execFile } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, inject, test } from "vitest"
import { startCommand } from "../support/command.js"
import type { CheckpointDocument, Document } from "../support/documents.js"
import { eventually } from "../support/eventually.js"
import { openTerminalWith } from "../support/terminal.js"
import { openWorld, type World } from "../support/world.js"
import { published } from "./consumer.js"

const run = promisify(execFile)
const consumer = inject("consumer")

/** The bundle holds scripts for shells as text, which publint takes for the syntax of modules. */
const looksLikeModule = /\/dist\/program-\w+\.cjs ends with the \.cjs extension, but the code is written in ESM/

interface List extends Document {
  readonly items: ReadonlyArray<CheckpointDocument>
}

const example = (world: World, name: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  startCommand(process.execPath, [join(consumer.folder, "dist", `${name}.js`)], args, {
    cwd: world.work,
    env: { ...world.env, ...env }
  })

const listed = (world: World): Promise<List> => world.json<List>(["runs", "list", "--attempts"])

describe.each(published)("%s", (folder) => {
  test("is complete and holds no tests", async () => {
    const { stdout } = await run("tar", ["-tzf", consumer.tarballs[folder] ?? ""])
    const files = stdout.trim().split("\n")
    expect(files).toContain("package/package.json")
    expect(files).toContain("package/README.md")
    expect(files).toContain("package/LICENSE")
    expect(files.filter((file) => /\.test\.|tsbuildinfo|\/support\//.test(file))).toEqual([])
  })

  test("is laid out as its manifest says", async () => {
    const bin = join(consumer.folder, "node_modules/.bin/publint")
    const said = await run(bin, ["run", consumer.tarballs[folder] ?? "", "--strict"], {
      cwd: consumer.folder
    }).then(
      ({ stdout }) => stdout,
      ({ stdout }: { readonly stdout: string }) => stdout
    )
    expect(said).toContain("Linting...")
    expect(said.split("\n").filter((line) => /^\d+\. /.test(line) && !looksLikeModule.test(line))).toEqual([])
  })
})

test.each(published.filter((folder) => folder !== "apps/cli"))("%s has types that fit its modules", async (folder) => {
  const bin = join(consumer.folder, "node_modules/.bin/attw")
  // Node's own ESM resolution is what these packages are for.
  await run(bin, [consumer.tarballs[folder] ?? "", "--profile", "esm-only"], { cwd: consumer.folder })
})

test("the command installs by itself, and works", async () => {
  const world = openWorld()
  const alluka = join(consumer.prefix, "bin", "alluka")
  const ended = await startCommand(alluka, [], ["run", "--provider", "demo", "-p", "survey", "--json"], {
    cwd: world.work,
    env: { ...world.env, ALLUKA_DEMO_PACE_MS: "0" }
  }).ended()
  expect(ended.last<Document & { readonly state: string }>("run_summary")).toMatchObject({ state: "completed" })
  expect(existsSync(join(consumer.prefix, "lib/node_modules/alluka/node_modules/effect"))).toBe(false)
  expect(readdirSync(join(consumer.prefix, "lib/node_modules"))).toEqual(["alluka"])
})

test("every example is run here", () => {
  const parts = ["notes-agent.mjs", "notes-provider.ts", "services.ts"]
  const runHere = ["custom-provider.ts", "mounted-monitor.tsx", "resume-safe.mjs", "tracked-app.ts"]
  expect(readdirSync(join(consumer.folder, "src")).sort()).toEqual([...parts, ...runHere].sort())
})

test("an app's own loop is killed with -9, and goes on at the step where it stopped", async () => {
  const world = openWorld()
  const first = example(world, "tracked-app", ["start"], { STEP_MS: "100" })
  await eventually(() => first.stdout().includes("step 3 of 10"), { what: "the third step" })
  first.kill("SIGKILL")
  await first.ended()
  const second = await example(world, "tracked-app", ["resume"], { STEP_MS: "10" }).ended()
  expect(second.code, second.stderr).toBe(0)
  expect(second.stdout).toContain("Resume: continuing the interrupted session")
  expect(second.stdout).not.toContain("step 3 of 10")
  expect(second.stdout).toContain("step 10 of 10")
  const { items } = await listed(world)
  expect(items.map(({ state, attempt }) => [state, attempt])).toEqual([
    ["completed", 2],
    ["interrupted", 1]
  ])
  expect(items[1]?.reason).toMatchObject({ code: "owner_lost" })
})

test("a provider of one's own runs, and goes on in its conversation", async () => {
  const world = openWorld()
  const ended = await example(world, "custom-provider", ["water the garden", "and the balcony"]).ended()
  expect(ended.code, ended.stderr).toBe(0)
  expect(ended.stdout).toContain("2 noted: water the garden; and the balcony")
})

test("the monitor is shown inside another Ink app", async () => {
  const world = openWorld()
  await world.run(["run", "--provider", "demo", "-p", "survey the folder"], { env: { ALLUKA_DEMO_PACE_MS: "0" } })
  const terminal = openTerminalWith(world, [process.execPath, join(consumer.folder, "dist/mounted-monitor.js")])
  await terminal.shows("My app: its runs")
  await terminal.shows("survey the folder")
  terminal.write("q")
  expect((await terminal.ended()).exitCode).toBe(0)
})

test("a script resumes what is safe, and reports the rest", async () => {
  const world = openWorld()
  const own = example(world, "tracked-app", ["start"], { STEP_MS: "100" })
  await eventually(() => own.stdout().includes("step 1"), { what: "the first step" })
  own.kill("SIGKILL")
  await own.ended()
  const demo = world.start(["run", "--provider", "demo", "-p", "survey", "--json"], {
    env: { ALLUKA_DEMO_PACE_MS: "500" }
  })
  await demo.event("tool_started")
  demo.kill("SIGTERM")
  await demo.ended()
  const ended = await startCommand(process.execPath, [join(consumer.folder, "src/resume-safe.mjs")], [], {
    cwd: world.work,
    env: { ...world.env, ALLUKA: join(consumer.prefix, "bin/alluka"), ALLUKA_DEMO_PACE_MS: "0" }
  }).ended()
  expect(ended.stdout).toMatch(/^goes on: survey \(ckpt_\w+ as ckpt_\w+\)$/m)
  expect(ended.stdout).toMatch(/^waits for you: Count to ten \(ckpt_\w+\): unsupported_provider$/m)
  expect(ended.code).toBe(1)
  await eventually(async () =>
    (await listed(world)).items.some(({ attempt, state }) => attempt === 2 && state === "completed")
  )
})
