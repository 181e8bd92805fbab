/** `alluka doctor`: what would get in the way, of everything or of the resume of one run. */
import { chmodSync, mkdirSync, rmSync, statSync } from "node:fs"
import { expect, test } from "vitest"
import { describeEnd } from "../support/command.js"
import type { Document } from "../support/documents.js"
import { openWorld, type World } from "../support/world.js"
import { interrupted, underWay } from "../trials/runs.js"
import { claudeStub as provider } from "../trials/stubs.js"

interface Report extends Document {
  readonly ok: boolean
  readonly items: ReadonlyArray<{ readonly id: string; readonly status: string; readonly message: string }>
}

const doctor = async (world: World, args: ReadonlyArray<string>, code: number) => {
  const ended = await world.run(["doctor", ...args, "--json"])
  expect(ended.code, describeEnd(ended)).toBe(code)
  const report = ended.document<Report>()
  expect(report.ok).toBe(code === 0)
  return new Map(report.items.map((item) => [item.id, item]))
}

test("names the facts of one run's resume, and what of them stands in the way", async () => {
  const world = openWorld()
  const folder = world.path("work", "inner")
  mkdirSync(folder)
  const run = await interrupted(world, provider, [], { cwd: folder })
  const found = await doctor(world, [run.id], 0)
  // The stub keeps no files: that its conversation is there cannot be known, and is not taken for absence.
  expect(found.get("conversation")).toMatchObject({ status: "skipped" })
  expect(found.get("folder")).toMatchObject({ status: "ok" })
  rmSync(folder, { recursive: true })
  const gone = await doctor(world, [run.id], 1)
  expect(gone.get("folder")).toMatchObject({ status: "problem" })
  expect(gone.get("folder")?.message).toContain(folder)
  expect(gone.get("resume")?.message).toContain("refusing")
  expect(await world.show(run.id)).toEqual(run)
})

test("says of a run that goes on who has it", async () => {
  const world = openWorld()
  const run = await underWay(world, provider)
  const found = await doctor(world, [run.id], 0)
  expect(found.get("owner")).toMatchObject({ status: "ok" })
  expect(found.get("owner")?.message).toContain(`pid ${run.alluka.pid}`)
})

test("finds a store that others may read, and closes it with --fix", async () => {
  const world = openWorld()
  await world.run(["runs", "list"])
  const database = world.path("store", "alluka.db")
  chmodSync(database, 0o644)
  expect((await doctor(world, [], 0)).get("permissions")).toMatchObject({ status: "warning" })
  expect((await doctor(world, ["--fix"], 0)).get("permissions")).toMatchObject({ status: "fixed" })
  expect(statSync(database).mode & 0o777).toBe(0o600)
})
